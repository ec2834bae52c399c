// SPDX-License-Identifier: Apache-2.0
import Foundation
import IsolationHistory
import Strata
import StrataChanges
import StrataTestSupport
import Testing

/// How many units each thread does: `STRATA_ISOLATION_ROUNDS`, 100 by default. A fourth of it if
/// there are several processes.
private let rounds =
  ProcessInfo.processInfo.environment["STRATA_ISOLATION_ROUNDS"].flatMap(Int.init) ?? 100

/// A running `IsolationProcess`.
private struct RecordingProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let file: URL

  init(storeAt url: URL, _ number: Int, of count: Int, seed: UInt64, to file: URL) throws {
    self.file = file
    process.executableURL = Bundle.main.bundleURL.appendingPathComponent("IsolationProcess")
    process.arguments = [
      url.path, "\(number)", "\(count)", "\(seed)", "\(max(1, rounds / 4))", file.path,
    ]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  /// Waits until it has opened the store.
  func untilReady() -> Bool {
    String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n"
  }

  func begin() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

  func history() throws -> History {
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try JSONDecoder().decode(History.self, from: Data(contentsOf: file))
  }
}

/// A store with the threads of this process.
private struct Recording {
  private let folder: TemporaryDirectory
  private let store: URL
  private let arrangement: Arrangement

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.file("cells.strata")
    try Arrangement.makeStore(at: store, processCount: 1)
    arrangement = try Arrangement(storeAt: store)
  }

  func history(seed: UInt64, rounds: Int, with fault: PlantedFault? = nil) throws -> History {
    #if DEBUG
      let schemas = arrangement.containers.map(\.coordinator.schema)
      for schema in schemas { PlantedFault.plant(fault, in: schema) }
      defer { for schema in schemas { PlantedFault.plant(nil, in: schema) } }
    #endif
    var history = try arrangement.run(seed: seed, rounds: rounds)
    history.units.append(try Arrangement.finalUnit(ofStoreAt: store, processCount: 1))
    return history
  }
}

@Suite(.serialized) struct `A recorded history` {
  @Test func `of many threads and two coordinators has no anomaly`() async throws {
    let seed = SeededGenerator.firstSeed()
    let history = try await onOwnThread { try Recording().history(seed: seed, rounds: rounds) }
    let anomalies = HistoryChecker.anomalies(in: history)
    #expect(anomalies.isEmpty, "STRATA_MODEL_SEED=\(seed): \(anomalies.map(\.description))")
    requireVariety(history)
  }

  @Test func `of several processes has no anomaly`() async throws {
    let seed = SeededGenerator.firstSeed()
    let (count, folder) = (3, try TemporaryDirectory())
    let store = folder.file("cells.strata")
    try Arrangement.makeStore(at: store, processCount: count)
    let processes = try (0..<count).map {
      try RecordingProcess(
        storeAt: store, $0, of: count, seed: seed, to: folder.file("history-\($0)"))
    }
    for process in processes { #expect(process.untilReady()) }
    for process in processes { try process.begin() }
    let history = try await onOwnThread {
      var history = History()
      for process in processes { history.units += try process.history().units }
      history.units.append(try Arrangement.finalUnit(ofStoreAt: store, processCount: count))
      return history
    }
    let anomalies = HistoryChecker.anomalies(in: history)
    #expect(anomalies.isEmpty, "STRATA_MODEL_SEED=\(seed): \(anomalies.map(\.description))")
    requireVariety(history)
  }

  /// Requires that a history has something to check: saves, refused saves, and reads of versions
  /// that units of others have saved, at all levels.
  private func requireVariety(_ history: History) {
    let refused = history.units.count { $0.outcome == .abandoned }
    #expect(refused > 0 && refused < history.units.count / 2)
    var readLevels: Set<String> = []
    for operation in history.units.flatMap({ $0.turns.joined() }) {
      if case .read(let register, let version, _, _) = operation, version > 0 {
        readLevels.insert(String(register.level.prefix(1)))
      }
    }
    #expect(readLevels == ["s", "R", "C"])
  }
}

#if DEBUG
  /// A fault and the kinds of anomaly of which it must show one.
  private struct Planted: CustomTestStringConvertible, Sendable {
    let fault: PlantedFault
    let kinds: Set<Anomaly.Kind>

    var testDescription: String { fault.rawValue }

    /// The kinds that show a state which no order of the saves explains.
    private static let disorder: Set<Anomaly.Kind> = [
      .staleRead, .readSkew, .longFork, .circularFlow, .lostUpdate, .dirtyWrite,
    ]

    static let all = [
      Planted(fault: .versionUnchecked, kinds: [.lostUpdate]),
      // A child replaces a value that a sibling has just saved to their parent.
      Planted(fault: .pushUnchecked, kinds: [.lostUpdate]),
      Planted(fault: .publishedBeforeCommit, kinds: [.abortedRead]),
      // A reader goes on with its first copy of the layers.
      Planted(fault: .staleCopy, kinds: disorder),
      // A push takes the other half of an object back to an older version.
      Planted(fault: .wholeRecords, kinds: disorder),
      // A reader copies layer by layer, and misses a push between two of them.
      Planted(fault: .lockPerLayer, kinds: disorder),
      // A reader keeps objects that an ancestor of its parent has changed.
      Planted(fault: .eventsDropped, kinds: disorder),
      // A child pushes an edit without looking at the state beneath it.
      Planted(fault: .doubtForgotten, kinds: disorder),
    ]

    /// How many histories may be needed.
    static let historyCountMax = 20
  }

  @Suite(.serialized) struct `A mistake in isolation` {
    @Test(arguments: Planted.all)
    private func `is seen in a recorded history when it is planted`(
      _ planted: Planted
    ) async throws {
      let seed = SeededGenerator.firstSeed()
      let found = try await onOwnThread { () -> Anomaly? in
        for attempt in 0..<Planted.historyCountMax {
          let history = try Recording().history(
            seed: seed &+ UInt64(attempt), rounds: 60, with: planted.fault)
          let anomalies = HistoryChecker.anomalies(in: history)
          if let found = anomalies.first(where: { planted.kinds.contains($0.kind) }) {
            return found
          }
        }
        return nil
      }
      #expect(found != nil, "STRATA_MODEL_SEED=\(seed)")
    }
  }
#endif
