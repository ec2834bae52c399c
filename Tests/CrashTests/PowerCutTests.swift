// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataPrimitives
  import StrataTestSupport
  import Testing

  /// A process records all that it writes. Then the disk is made again and again as a power cut at
  /// one of its calls may leave it (`PowerCutDisk`), and the store is opened.
  @Suite struct `A power cut during an operation` {
    /// The number of disks of each operation; STRATA_POWER_CUTS sets another one.
    private static let diskCount =
      ProcessInfo.processInfo.environment["STRATA_POWER_CUTS"].flatMap { Int($0) } ?? 20

    @Test(arguments: CrashOperation.allCases)
    func `leaves the state before or after it, and after it once it has ended`(
      operation: CrashOperation
    ) throws {
      for problem in try problems(of: operation) { Issue.record("\(problem)") }
    }

    #if DEBUG
      @Test(
        arguments: [
          (StorageFault.commitUnsynced, CrashOperation.save), (.copyUnsynced, .backup),
          (.folderUnsynced, .create),
        ])
      func `shows that a sync is missing`(fault: StorageFault, operation: CrashOperation) throws {
        // A cut shows it only by chance: it must fall between two calls and lose the former.
        let found = try problems(of: operation, planting: fault, onDisks: 6_000, countMax: 1)
        #expect(!found.isEmpty)
      }
    #endif

    /// The disks on which a store is neither in the state before the operation nor in that after
    /// it, in words, up to a number of them.
    private func problems(
      of operation: CrashOperation, planting fault: StorageFault? = nil,
      onDisks diskCount: Int = Self.diskCount, countMax: Int = .max
    ) throws -> [String] {
      let directory = try TemporaryDirectory()
      let store = directory.file("store")
      try CrashOperation.makeStore(at: store)
      let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
      let number = try #require(attributes[.systemFileNumber] as? UInt64)
      let record = directory.file("record")
      try #require(
        try WriterProcess.record(operation, onStoreAt: store, to: record, planting: fault))
      let changes = try #require(try RecordedChange.all(in: record))
      let former = PowerCutDisk(
        name: "store", file: number, content: try Data(contentsOf: directory.file("record.store")))

      let firstSeed = SeededGenerator.firstSeed()
      var states: [String: Int] = [:]
      var problems: [String] = []
      for cut in 0..<diskCount where problems.count < countMax {
        var generator = SeededGenerator(seed: firstSeed &+ UInt64(cut))
        let count = cut % (changes.count + 1)
        var disk = former
        for change in changes.prefix(count) { disk.apply(change) }
        let loss = try #require(PowerCutDisk.Loss.allCases.randomElement(using: &generator))
        let point =
          "\(operation), \(count) of \(changes.count) changes, losing \(loss), "
          + "cut \(cut) of STRATA_MODEL_SEED=\(firstSeed)"
        let folder = directory.file("disk-\(cut)")
        try disk.write(to: folder, losing: loss, using: &generator)
        do {
          let state = try operation.state(ofStoreAt: folder.appendingPathComponent("store"))
          if case .torn(let problem) = state { problems.append("\(point): \(problem)") }
          if disk.isAcknowledged, state != .after { problems.append("\(point): \(state)") }
          states["\(state)", default: 0] += 1
        } catch {
          problems.append("\(point): \(error)")
        }
        try FileManager.default.removeItem(at: folder)
      }
      print("\(operation), \(changes.count) changes, cut: \(states)")
      return problems
    }
  }
#endif
