// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Synchronization
import Testing

@Suite struct `A fetch beside a context` {
  /// A container with the given number of entries saved.
  @Test func `sees published changes at each level`() async throws {
    let container = try ledger(entries: 3)
    let worker = container.newBackgroundContext()
    try container.root.performAndWait { _ = $0.entry("root", 10) }
    try worker.performAndWait { context in
      for entry in try context.fetch(LedgerEntry.where { $0.amount < 2 }) { context.delete(entry) }
    }
    let request = LedgerEntry.all.sorted(by: \.amount, order: .reverse)
    let rows = request.select(\.label)
    #expect(try await container.coordinator.fetch(rows) == ["e2", "e1", "e0"])
    #expect(try await container.root.fetch(rows) == ["root", "e2", "e1", "e0"])
    #expect(try await worker.layer.fetch(rows) == ["root", "e2"])
    let ids = try await worker.fetchIDs(request)
    let here = try worker.performAndWait { try $0.fetchIDs(request) }
    #expect(ids == here)
  }

  @Test @MainActor func `sees the view context's latest changes`() async throws {
    let container = try ledger(entries: 1)
    container.viewContext.entry("view", 5)
    let request = LedgerEntry.all.sorted(by: \.amount)
    #expect(try await container.viewContext.layer.fetchIDs(request).count == 2)
  }

  @Test func `holds no context up and waits for none`() async throws {
    let container = try ledger(entries: 600)
    let busy = HeldThread { thread in
      try container.root.performAndWait { context in
        context.entry("not yet", 0)
        thread.hold()
      }
    }
    busy.untilHeld()
    #expect(try await container.root.fetchIDs(LedgerEntry.all).count == 600)
    busy.letGo()
    try busy.finish()
    #expect(try await container.root.fetchIDs(LedgerEntry.all).count == 601)
  }

  @Test func `reports how far it has come`() async throws {
    let container = try ledger(entries: 1_000)
    let reports = Mutex<[FetchProgress]>([])
    let rows = LedgerEntry.where { $0.weight > 1 }.select(\.label)
    #expect(
      try await container.root.fetch(rows) { report in reports.withLock { $0.append(report) } }
        .isEmpty)
    let told = reports.withLock(\.self)
    #expect(told.map(\.readCount) == [256, 512, 768, 1_000])
    #expect(told.allSatisfy { $0.objectCount == 1_000 })
  }

  @Test func `ends soon after its task is cancelled`() async throws {
    let container = try ledger(entries: 2_000)
    for request in [
      LedgerEntry.where { $0.weight > 1 }, LedgerEntry.all.sorted(by: \.weight), LedgerEntry.all,
      LedgerEntry.all.sorted(by: \.label),
    ] {
      let last = Mutex(0)
      let task = Task {
        try await container.root.fetch(request.select(\.weight)) { report in
          last.withLock { $0 = report.readCount }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(last.withLock(\.self) == 256)
    }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await container.root.fetchIDs(LedgerEntry.all)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
  }

  /// A container with the given number of entries, none of them saved.
  private func unsaved(entries count: Int) throws -> PersistentContainer {
    let container = try ledger()
    try container.root.performAndWait { context in
      for index in 0..<count { context.entry("e\(index)", index) }
    }
    return container
  }

  @Test func `reports how far it has come over unsaved changes`() async throws {
    let container = try unsaved(entries: 1_000)
    for request in [LedgerEntry.where { $0.weight > 1 }, LedgerEntry.where { $0.label > "e" }] {
      let reports = Mutex<[Int]>([])
      _ = try await container.root.fetch(request.select(\.weight)) { report in
        reports.withLock { $0.append(report.readCount) }
      }
      let told = reports.withLock(\.self)
      #expect(told.starts(with: [256, 512, 768]) && told.last.map { $0 >= 1_000 } == true)
    }
  }

  @Test func `ends soon after its task is cancelled, also over unsaved changes`() async throws {
    let container = try unsaved(entries: 2_000)
    for request in [
      LedgerEntry.where { $0.weight > 1 }, LedgerEntry.all.sorted(by: \.weight), LedgerEntry.all,
      LedgerEntry.all.sorted(by: \.label),
    ] {
      let last = Mutex(0)
      let task = Task {
        try await container.root.fetch(request.select(\.weight)) { report in
          last.withLock { $0 = report.readCount }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(last.withLock(\.self) == 256)
    }
  }

  @Test func `refuses invalid requests`() async throws {
    let container = try ledger(entries: 1)
    let transient = QueryError.transientProperty(entity: "LedgerEntry", property: "note")
    await #expect(throws: transient) {
      try await container.root.fetchIDs(LedgerEntry.where { $0.note == "x" })
    }
  }
}
