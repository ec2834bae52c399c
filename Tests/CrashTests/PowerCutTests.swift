// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import CrashLedger
  import Foundation
  import Strata
  import StrataTestSupport
  import Testing

  /// A process records all that it writes. Then the disk is made again and again as a power cut at
  /// one of its calls may leave it (`PowerCutDisk`), and the store is opened.
  @Suite struct `A power cut during an operation` {
    /// The number of disks of each operation; STRATA_POWER_CUTS sets another one.
    private static let diskCount =
      ProcessInfo.processInfo.environment["STRATA_POWER_CUTS"].flatMap { Int($0) } ?? 60

    @Test(arguments: CrashOperation.allCases)
    func `leaves the state before or after it, and after it once it has ended`(
      operation: CrashOperation
    ) throws {
      let directory = try TemporaryDirectory()
      let store = directory.file("store")
      try CrashOperation.makeStore(at: store)
      let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
      let number = try #require(attributes[.systemFileNumber] as? UInt64)
      let record = directory.file("record")
      try #require(try WriterProcess.record(operation, onStoreAt: store, to: record))
      let changes = try #require(try RecordedChange.all(in: record))
      let former = PowerCutDisk(
        name: "store", file: number, content: try Data(contentsOf: directory.file("record.store")))

      let firstSeed = SeededGenerator.firstSeed()
      var states: [String: Int] = [:]
      for cut in 0..<Self.diskCount {
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
          if case .torn(let problem) = state { Issue.record("\(point): \(problem)") }
          if disk.isAcknowledged { #expect(state == .after, "\(point)") }
          states["\(state)", default: 0] += 1
        } catch {
          Issue.record("\(point): \(error)")
        }
        try FileManager.default.removeItem(at: folder)
      }
      print("\(operation), \(changes.count) changes, cut: \(states)")
    }
  }
#endif
