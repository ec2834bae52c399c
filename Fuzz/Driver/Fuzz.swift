// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport

/// The fuzzer: random work and random bytes against naive models.
///
///     fuzz record --seed 7 --ops 100000    one subject; a failure prints how to see it again
///     fuzz record --seconds 60             for a time
///     fuzz smoke --seconds 60              every subject, each for its part of the time
///     fuzz canary                          a planted mistake: it must fail
///     fuzz replay FILES…                   bytes of Fuzz/Corpus/<subject>/, or of a crash
///
/// A finding ends it with the code 1, a wrong command line with 64, and a trap by a signal.
@main
struct Fuzz {
  static let usage = """
    usage: fuzz SUBJECT|smoke|canary [--seed N] [--ops N | --seconds N]
           fuzz replay FILES…
    subjects: \(subjects.map { $0.name }.joined(separator: ", "))
    """

  static func main() {
    #if LIBFUZZER
      LibFuzzer.main()
    #else
      var arguments = CommandLine.arguments.dropFirst()
      guard let command = arguments.popFirst() else { refuse() }
      if command == "replay" { return replay(Array(arguments)) }
      let chosen = command == "smoke" ? subjects : found(command)
      guard !chosen.isEmpty else { refuse() }
      let options = Options(arguments)
      for subject in chosen {
        run(subject, seed: options.seed, options.extent(for: subject, of: chosen.count))
      }
    #endif
  }

  /// The subject of this name, or none. The canary's is found, too.
  static func found(_ name: String) -> [any Subject.Type] {
    (subjects + [CanarySubject.self]).filter { $0.name == name }
  }

  /// How long a subject runs.
  private enum Extent {
    case operations(Int)
    case seconds(Double)
  }

  /// `--seed N`, `--ops N` and `--seconds N`, in any order.
  private struct Options {
    var seed = UInt64.random(in: 0 ... .max)
    var operationCount = 100_000
    var seconds: Double?

    init(_ arguments: ArraySlice<String>) {
      var rest = arguments
      while let option = rest.popFirst() {
        guard let text = rest.popFirst(), let number = UInt64(text) else { refuse() }
        switch option {
        case "--seed": seed = number
        case "--ops": operationCount = Int(clamping: number)
        case "--seconds": seconds = Double(number)
        default: refuse()
        }
      }
    }

    /// Of several subjects each has its part of the time, and fewer operations if they take longer.
    func extent(for subject: any Subject.Type, of count: Int) -> Extent {
      if let seconds { return .seconds(seconds / Double(count)) }
      return .operations(count == 1 ? operationCount : max(1, operationCount / subject.weight))
    }
  }

  private static func run(_ subject: any Subject.Type, seed: UInt64, _ extent: Extent) {
    print("\(subject.name): seed \(seed)", terminator: "")
    // A trap kills the process: the seed must be out by then.
    fflush(nil)
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    var operation = 0
    while isWithin(extent, operation, since: start) {
      do throws(Finding) {
        try subject.step(&random)
      } catch {
        print()
        fail(
          """
          \(subject.name): \(error) (operation \(operation))
          again: fuzz \(subject.name) --seed \(seed) --ops \(operation + 1)
          """)
      }
      operation += 1
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print(", \(operation) operations, \(Int(Double(operation) / seconds)) per second")
    if let tally = subject.tally { print("  \(tally)") }
  }

  private static func isWithin(
    _ extent: Extent, _ operation: Int, since start: ContinuousClock.Instant
  ) -> Bool {
    switch extent {
    case .operations(let count): operation < count
    case .seconds(let seconds): ContinuousClock.now - start < .seconds(seconds)
    }
  }

  /// Probes files; the folder that one lies in names its subject, else every subject has it.
  private static func replay(_ paths: [String]) {
    for path in paths {
      let file = URL(fileURLWithPath: path)
      guard let data = try? Data(contentsOf: file) else { fail("cannot read \(path)") }
      let named = found(file.deletingLastPathComponent().lastPathComponent)
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

  static func refuse() -> Never { fail(usage, code: 64) }

  static func fail(_ message: String, code: Int32 = 1) -> Never {
    fflush(nil)
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(code)
  }
}
