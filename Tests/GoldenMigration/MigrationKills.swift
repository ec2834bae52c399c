// SPDX-License-Identifier: Apache-2.0
import Foundation
import GoldenModels
import Strata
import StrataTestSupport

/// Migrations of copies of one store, each killed at a random moment.
struct MigrationKills {
  private let store: URL
  private let seed: UInt64
  private let folder: URL

  /// - Parameter store: a store of the first version.
  init(of store: URL, seed: UInt64) throws {
    (self.store, self.seed) = (store, seed)
    folder = store.deletingLastPathComponent()
      .appendingPathComponent("kills-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// - Returns: the number of rounds after which a copy was neither of the first version nor of the
  ///   second one.
  func run(_ rounds: Int) throws -> Int {
    defer { try? FileManager.default.removeItem(at: folder) }
    let expected = try PersistentContainer(at: store, model: Made.model()).root
      .performAndWait { try GoldenFacts(made: $0) }
    print("the first version, seed \(seed)\n\(expected)")
    let whole = try copy(0)
    let duration = try Self.migrate(whole, killingAfter: nil)
    let migrated = try PersistentContainer(at: whole, model: Staged.model()).root
      .performAndWait { try GoldenFacts(staged: $0) }
    print("the second version, after \(duration)\n\(migrated)")
    var problems = migrated == expected ? 0 : 1

    var random = SeededGenerator(seed: seed)
    var counts: [Version: Int] = [:]
    var current = try copy(1)
    for round in 1...rounds {
      let delay = Int.random(in: 0...Int(1.1 * (duration / .microseconds(1))), using: &random)
      _ = try Self.migrate(current, killingAfter: delay)
      let version = try version(of: current, expected)
      counts[version, default: 0] += 1
      switch version {
      case .first: continue
      case .second: break
      case .neither:
        print("round \(round), killed after \(delay) µs: neither version")
        problems += 1
      }
      for end in ["", "-lock"] {
        try? FileManager.default.removeItem(atPath: current.path + end)
      }
      current = try copy(round + 1)
    }
    print(
      "killed \(rounds) times: first version \(counts[.first] ?? 0), second version "
        + "\(counts[.second] ?? 0), neither \(counts[.neither] ?? 0)")
    // A store that has survived kills goes the whole way.
    _ = try Self.migrate(current, killingAfter: nil)
    if try version(of: current, expected) != .second { problems += 1 }
    return problems
  }

  private enum Version {
    case first, second, neither
  }

  private func copy(_ number: Int) throws -> URL {
    let copy = folder.appendingPathComponent("\(number).strata")
    try FileManager.default.copyItem(at: store, to: copy)
    return copy
  }

  /// Opens the store without a plan, so that nothing is migrated, and compares its facts.
  private func version(of copy: URL, _ expected: GoldenFacts) throws -> Version {
    do {
      let container = try PersistentContainer(at: copy, model: Made.model())
      let facts = try container.root.performAndWait { try GoldenFacts(made: $0) }
      return facts == expected ? .first : .neither
    } catch StoreError.modelMismatch {}
    do {
      let container = try PersistentContainer(at: copy, model: Staged.model())
      let facts = try container.root.performAndWait { try GoldenFacts(staged: $0) }
      return facts == expected ? .second : .neither
    } catch {
      print("\(error)")
      return .neither
    }
  }

  /// Migrates in a process.
  ///
  /// - Parameter microseconds: the time after which the process is killed; nil for never.
  /// - Returns: the time from `opening` to `opened`, or to the kill.
  private static func migrate(_ store: URL, killingAfter microseconds: Int?) throws -> Duration {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments = [store.path, "migrate"]
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
    let start = ContinuousClock.now
    if let microseconds {
      usleep(UInt32(microseconds))
      kill(process.processIdentifier, SIGKILL)
    } else {
      _ = output.fileHandleForReading.availableData
    }
    let duration = ContinuousClock.now - start
    _ = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return duration
  }
}
