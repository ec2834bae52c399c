// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What the compiler makes of the programs in `Tests/CompileFailures`.
///
/// A program's head says what must come of it: every `// error: …` line is a diagnostic that it must
/// be refused with, and there must be no others, so that a program which fails for want of a module
/// is not taken for one that was refused. A program with `// warning: …` lines compiles with these
/// warnings: it is a limit of the compiler's checks, kept so that nobody believes more than is so.
/// A program may be about certain flags of the compiler, `// flags: …`. One with neither errors nor
/// warnings must compile: the controls, without which a compiler that refuses everything would
/// pass.
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
  func `is not what values and IDs do`(_ program: Program) throws {
    let outcome = try Compiler.compile(program)
    #expect(outcome.succeeded, "\(outcome.output)")
    #expect(outcome.warnings.isEmpty, "\(outcome.output)")
  }
}
