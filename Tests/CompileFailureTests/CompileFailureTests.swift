// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Compiles the programs in `Tests/CompileFailures`, and compares the diagnostics.
///
/// A program's head states the expected result: every `// error: …` line is a diagnostic that it
/// must be refused with, and there must be no others, so that a program which fails because a
/// module is missing is not taken for one that was refused. A program with `// warning: …` lines
/// compiles with these warnings: it documents a limit of the compiler's checks. A program may need
/// certain flags of the compiler, `// flags: …`. One with neither errors nor warnings must compile:
/// the controls, without which a compiler that refuses everything would pass.
@Suite struct `Leaving an isolation` {
  @Test(arguments: Program.all.filter { !$0.errors.isEmpty })
  func `is refused`(_ program: Program) throws {
    let outcome = try Compiler.compile(program)
    #expect(!outcome.succeeded)
    for expected in program.errors {
      #expect(outcome.errors.contains { $0.contains(expected) }, "\(outcome.output)")
    }
    for error in outcome.errors {
      #expect(program.errors.contains { error.contains($0) }, "\(outcome.output)")
    }
  }

  @Test(arguments: Program.all.filter { !$0.warnings.isEmpty })
  func `gets a warning and no more`(_ program: Program) throws {
    let outcome = try Compiler.compile(program)
    #expect(outcome.succeeded, "\(outcome.output)")
    for expected in program.warnings {
      #expect(outcome.warnings.contains { $0.contains(expected) }, "\(outcome.output)")
    }
  }

  @Test(arguments: Program.all.filter { $0.errors.isEmpty && $0.warnings.isEmpty })
  func `is not done by values and IDs`(_ program: Program) throws {
    let outcome = try Compiler.compile(program)
    #expect(outcome.succeeded, "\(outcome.output)")
    #expect(outcome.warnings.isEmpty, "\(outcome.output)")
  }
}
