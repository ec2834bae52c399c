// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport

/// The fuzzer: random work and random bytes against naive models.
///
///     fuzz record --seed 7 --ops 100000    one subject; a failure prints how to see it again
///     fuzz smoke --ops 20000               every subject
///     fuzz replay FILES…                   bytes of Fuzz/Corpus/<subject>/, or of a crash
@main
struct Fuzz {
  static let usage = """
    usage: fuzz <subject>|smoke [--seed N] [--ops N]
           fuzz replay FILES…
    subjects: \(subjects.map { $0.name }.joined(separator: ", "))
    """

  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    guard let command = arguments.popFirst() else { fail(usage) }
    if command == "replay" { return replay(Array(arguments)) }
    let chosen = command == "smoke" ? subjects : subjects.filter { $0.name == command }
    guard !chosen.isEmpty else { fail(usage) }
    let options = parse(arguments)
    for subject in chosen { run(subject, seed: options.seed, operationCount: options.ops) }
  }

  /// `--seed N` and `--ops N`, in any order.
  private static func parse(_ arguments: ArraySlice<String>) -> (seed: UInt64, ops: Int) {
    var rest = arguments
    var (seed, ops) = (UInt64.random(in: 0 ... .max), 100_000)
    while let option = rest.popFirst() {
      guard let text = rest.popFirst(), let number = UInt64(text) else { fail(usage) }
      switch option {
      case "--seed": seed = number
      case "--ops": ops = Int(clamping: number)
      default: fail(usage)
      }
    }
    return (seed, ops)
  }

  private static func run(_ subject: any Subject.Type, seed: UInt64, operationCount: Int) {
    print("\(subject.name): seed \(seed), \(operationCount) operations")
    // A trap kills the process: the line above must be out by then.
    fflush(nil)
    var random = SeededGenerator(seed: seed)
    for operation in 0..<operationCount {
      do throws(Finding) {
        try subject.step(&random)
      } catch {
        fail(
          """
          \(subject.name): \(error) (operation \(operation))
          again: fuzz \(subject.name) --seed \(seed) --ops \(operation + 1)
          """)
      }
    }
  }

  /// Probes files; the folder that one lies in names its subject, else every subject has it.
  private static func replay(_ paths: [String]) {
    for path in paths {
      let file = URL(fileURLWithPath: path)
      guard let data = try? Data(contentsOf: file) else { fail("cannot read \(path)") }
      let folder = file.deletingLastPathComponent().lastPathComponent
      let named = subjects.filter { $0.name == folder }
      for subject in named.isEmpty ? subjects : named {
        do {
          try data.withUnsafeBytes { try subject.probe($0) }
        } catch {
          fail("\(subject.name): \(error) in \(path)")
        }
      }
    }
    print("\(paths.count) files replayed")
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
  }
}
