// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The number of kills of each test: `STRATA_KILLS`, 20 by default.
private let killCount =
  ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap(Int.init) ?? 20

/// A kill loses the process and keeps its writes; it says nothing about a power cut.
@Suite struct `A process that is killed` {
  @Test func `in its saves leaves whole saves, and all that were acknowledged`() throws {
    let seed = SeededGenerator.firstSeed()
    print("in its saves: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let store = directory.file("ledger.strata")
    var latest = 0
    var interrupted = 0
    var unacknowledged = 0
    for round in 1...killCount {
      let writer = try WriterProcess(storeAt: store)
      let said = writer.kill(
        microseconds: .random(in: 0...30_000, using: &random), after: "saved")
      let acknowledged = lastSaved(try #require(said, "the writer failed in round \(round)"))
      #expect(acknowledged > latest)
      let container = try PersistentContainer(at: store, model: Ledger.model())
      let found = try audit(container)
      #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
      // The save under way when the kill came may be there or not.
      #expect(
        found.latest == acknowledged || found.latest == acknowledged + 1,
        "round \(round), seed \(seed)")
      if found.latest > 0 {
        let history = try container.coordinator.fetchHistory(HistoryRequest())
        #expect(history.count == found.latest, "round \(round), seed \(seed)")
      }
      if said?.last?.hasPrefix("saving") == true { interrupted += 1 }
      if found.latest > acknowledged { unacknowledged += 1 }
      latest = found.latest
    }
    print(
      "in its saves: \(latest) saves, \(interrupted) of \(killCount) kills in a save to the disk,"
        + " \(unacknowledged) of these saves are there")
    #expect(interrupted > 0)
  }

  @Test func `in a batch delete leaves all of it done or nothing`() throws {
    let seed = SeededGenerator.firstSeed()
    print("in a batch delete: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var moment = KillMoment()
    let directory = try TemporaryDirectory()
    let store = directory.file("ledger.strata")
    var outcomes = (before: 0, after: 0, later: 0)
    while let round = moment.nextRound(of: killCount) {
      let writer = try WriterProcess(storeAt: store, doing: "batches")
      let said = writer.kill(
        microseconds: moment.next(using: &random), after: "deleting")
      #expect(said != nil, "the writer failed in round \(round)")
      let container = try PersistentContainer(at: store, model: Ledger.model())
      let found = try auditBatches(container)
      #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
      switch found.sequences {
      case Array(1...Ledger.filledCount): outcomes.before += 1
      case Array((Ledger.filledCount / 2 + 1)...Ledger.filledCount): outcomes.after += 1
      case []: outcomes.later += 1
      default: Issue.record("round \(round), seed \(seed): sheets \(found.sequences)")
      }
      moment.note(late: found.sequences.count < Ledger.filledCount)
    }
    print("in a batch delete: \(outcomes)")
    #expect(outcomes.before > 0)
  }

  @Test func `in a backup leaves none or a whole one, and nothing else`() throws {
    let seed = SeededGenerator.firstSeed()
    print("in a backup: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var moment = KillMoment()
    let directory = try TemporaryDirectory()
    let store = directory.file("ledger.strata")
    let copy = directory.file("ledger.strata.copy")
    var outcomes = (none: 0, whole: 0, leftovers: 0)
    while let round = moment.nextRound(of: killCount) {
      let writer = try WriterProcess(
        storeAt: store, doing: round.isMultiple(of: 2) ? "compacting-backup" : "backup")
      let said = writer.kill(
        microseconds: moment.next(using: &random), after: "backing up")
      #expect(said != nil, "the writer failed in round \(round)")
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      outcomes.leftovers += files.count { $0.contains("copy.new-") }
      let isWhole = files.contains(copy.lastPathComponent)
      moment.note(late: isWhole)
      if isWhole {
        outcomes.whole += 1
        let found = try auditBatches(PersistentContainer(at: copy, model: Ledger.model()))
        #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
        #expect(found.sequences == Array(1...Ledger.filledCount), "round \(round), seed \(seed)")
      } else {
        outcomes.none += 1
      }
      try? FileManager.default.removeItem(at: copy)
      try? FileManager.default.removeItem(atPath: copy.path + "-lock")
      let container = try PersistentContainer(at: store, model: Ledger.model())
      #expect(try auditBatches(container).problems.isEmpty, "round \(round), seed \(seed)")
      try container.coordinator.backUp(to: copy)
      let rest = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      #expect(rest.filter { $0.contains("copy.new-") } == [], "round \(round), seed \(seed)")
    }
    print("in a backup: \(outcomes)")
    // The file has no name while it is written.
    #expect(outcomes.none > 0 && outcomes.whole > 0 && outcomes.leftovers == 0)
  }

  @Test func `while it creates a store leaves none or a good one`() throws {
    let seed = SeededGenerator.firstSeed()
    print("while it creates a store: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var outcomes = (before: 0, halfway: 0, created: 0)
    for round in 1...killCount {
      let directory = try TemporaryDirectory()
      let store = directory.file("ledger.strata")
      let writer = try WriterProcess(storeAt: store)
      let said = writer.kill(
        microseconds: .random(in: 0...30_000, using: &random), after: "opening")
      let acknowledged = lastSaved(try #require(said, "the writer failed in round \(round)"))
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      switch (files.isEmpty, files.contains(store.lastPathComponent)) {
      case (true, _): outcomes.before += 1
      case (false, false): outcomes.halfway += 1
      case (false, true): outcomes.created += 1
      }
      let container = try PersistentContainer(at: store, model: Ledger.model())
      let found = try audit(container)
      #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
      #expect(
        found.latest == acknowledged || found.latest == acknowledged + 1,
        "round \(round), seed \(seed)")
    }
    print("while it creates a store: \(outcomes)")
  }

  @Test func `while it takes a store to a later model leaves the former or the later one`() throws {
    let seed = SeededGenerator.firstSeed()
    print("while it takes a store to a later model: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var moment = KillMoment()
    let directory = try TemporaryDirectory()
    let filled = directory.file("filled.strata")
    let container = try PersistentContainer(at: filled, model: Ledger.model())
    try container.root.performAndWait { context in
      for sequence in 1...Ledger.filledCount { Ledger.fill(sequence, in: context) }
      try context.save()
    }
    container.coordinator.store.close()
    var outcomes = (former: 0, later: 0)
    while let round = moment.nextRound(of: killCount) {
      let store = directory.file("\(round).strata")
      try FileManager.default.copyItem(at: filled, to: store)
      let writer = try WriterProcess(storeAt: store, doing: "evolve")
      let said = writer.kill(
        microseconds: moment.next(using: &random), after: "opening")
      #expect(said != nil, "the writer failed in round \(round)")
      do {
        let container = try PersistentContainer(at: store, model: Ledger.model())
        let found = try auditBatches(container)
        #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
        #expect(found.sequences == Array(1...Ledger.filledCount))
        #expect(said?.last?.hasPrefix("opened") == false, "round \(round), seed \(seed)")
        outcomes.former += 1
        moment.note(late: false)
      } catch StoreError.modelMismatch {
        outcomes.later += 1
        moment.note(late: true)
      }
      // Whatever it was, it gets there now.
      let container = try PersistentContainer(at: store, model: LaterLedger.model())
      #expect(try auditEvolved(container) == [], "round \(round), seed \(seed)")
    }
    print("while it takes a store to a later model: \(outcomes)")
    #expect(outcomes.former > 0 && outcomes.later > 0)
  }

  @Test func `in a stage of a migration leaves the former model or the later one`() throws {
    let seed = SeededGenerator.firstSeed()
    print("in a stage of a migration: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var moment = KillMoment()
    let directory = try TemporaryDirectory()
    let filled = directory.file("filled.strata")
    let container = try PersistentContainer(at: filled, model: Ledger.model())
    try container.root.performAndWait { context in
      for sequence in 1...Ledger.filledCount { Ledger.fill(sequence, in: context) }
      try context.save()
    }
    container.coordinator.store.close()
    var outcomes = (former: 0, later: 0)
    while let round = moment.nextRound(of: killCount) {
      let store = directory.file("\(round).strata")
      try FileManager.default.copyItem(at: filled, to: store)
      let writer = try WriterProcess(storeAt: store, doing: "migrate")
      let said = writer.kill(
        microseconds: moment.next(using: &random), after: "opening")
      #expect(said != nil, "the writer failed in round \(round)")
      do {
        let container = try PersistentContainer(at: store, model: Ledger.model())
        let found = try auditBatches(container)
        #expect(found.problems.isEmpty, "round \(round), seed \(seed)")
        #expect(found.sequences == Array(1...Ledger.filledCount))
        #expect(said?.last?.hasPrefix("opened") == false, "round \(round), seed \(seed)")
        outcomes.former += 1
        moment.note(late: false)
      } catch StoreError.modelMismatch {
        outcomes.later += 1
        moment.note(late: true)
      }
      // Whatever it was, it gets there now.
      let container = try PersistentContainer(
        at: store, model: StagedLedger.model(), migratingWith: StagedLedger.plan())
      #expect(try auditMigrated(container) == [], "round \(round), seed \(seed)")
    }
    print("in a stage of a migration: \(outcomes)")
    #expect(outcomes.former > 0 && outcomes.later > 0)
  }

  @Test func `in a batch insert or update leaves all of it done or nothing`() throws {
    let seed = SeededGenerator.firstSeed()
    print("in a batch insert or update: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var moment = KillMoment()
    let directory = try TemporaryDirectory()
    let store = directory.file("ledger.strata")
    var outcomes: [String: Int] = [:]
    while let round = moment.nextRound(of: killCount) {
      let writer = try WriterProcess(storeAt: store, doing: "imports")
      let said = writer.kill(
        microseconds: moment.next(using: &random), after: "inserting")
      #expect(said != nil, "the writer failed in round \(round)")
      let container = try PersistentContainer(at: store, model: Ledger.model())
      let state = try container.root.performAndWait { context in
        let sequences = try context.fetch(Line.all.sorted(by: \.sequence)).map(\.sequence)
        let all = Array(1...Ledger.importedCount)
        let states = ["empty": [], "inserted": all, "doubled": all.map { $0 * 2 }]
        let state = states.first { $0.value == sequences }?.key ?? "torn"
        // The index says the same.
        let half = try context.count(Line.where { $0.sequence > Ledger.importedCount })
        #expect(half == (state == "doubled" ? Ledger.importedCount / 2 : 0))
        return state
      }
      #expect(state != "torn", "round \(round), seed \(seed)")
      outcomes[state, default: 0] += 1
      moment.note(late: state != "empty")
      try container.coordinator.execute(BatchDeleteRequest(Line.all))
    }
    print("in a batch insert or update: \(outcomes)")
    #expect(outcomes.count > 1)
  }
}
