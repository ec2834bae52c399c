// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Testing

@Suite struct `A batch delete among contexts` {
  /// Entries with the amounts 0 ..< count, saved.
  private let few = BatchDeleteRequest(LedgerEntry.where { $0.amount < 2 })

  // MARK: - Where it is asked for

  @Test func `is seen at once by the context that asks for it, with a notification`() throws {
    let container = try ledger(entries: 4)
    let worker = container.newBackgroundContext()
    let log = MergeLog(worker.layer)
    let merges = MergeLog(worker.layer, name: ManagedObjectContext.didMergeNotification)
    try worker.performAndWait { context in
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.amount))
      let result = try context.execute(few)
      #expect(result.deletedCount == 2)
      #expect(entries.map(\.isDeleted) == [true, true, false, false])
      #expect(entries[0].amount == nil && entries[2].amount == 2)
      let left = try context.fetch(LedgerEntry.all.sorted(by: \.amount))
      #expect(left == [entries[2], entries[3]])
      #expect(!context.hasChanges)
      #expect(log.messages.count == 1 && merges.messages.count == 1)
      #expect(log.deleted == [entries[0].objectID, entries[1].objectID])
    }
    #expect(log.messages.count == 1)
  }

  @Test func `is reported once to a context that asks for it and merges automatically`() throws {
    let container = try ledger(entries: 4)
    let worker = container.newBackgroundContext()
    let log = MergeLog(worker.layer)
    try worker.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      let entry = try #require(try context.fetch(LedgerEntry.where { $0.amount == 0 }).first)
      try context.execute(few)
      #expect(entry.isDeleted)
    }
    try worker.performAndWait { _ in }
    #expect(log.messages.count == 1)
  }

  @Test func `works in the store, past unsaved changes of contexts`() throws {
    let container = try ledger(entries: 2)
    let worker = container.newBackgroundContext()
    try container.root.performAndWait { _ = $0.entry("root", 0) }
    try worker.performAndWait { context in
      context.entry("worker", 1)
      let result = try context.execute(few)
      #expect(result.deletedCount == 2)
      let labels = try context.fetch(LedgerEntry.all.sorted(by: \.label)).map(\.label)
      #expect(labels == ["root", "worker"])
      #expect(context.hasChanges)
    }
  }

  @Test func `drops the unsaved changes of deleted objects in the context that asks`() throws {
    let container = try ledger(entries: 3)
    try container.root.performAndWait { context in
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.amount))
      for entry in entries { entry.label += "!" }
      try context.execute(few)
      #expect(entries.map(\.isDeleted) == [true, true, false])
      #expect(entries[2].label == "e2!")
      #expect(context.updatedObjects == [entries[2]])
      try context.save()
      try context.expectEntries([entries[2]])
    }
  }

  @Test func `is seen by a child in the middle of its parent's turn`() throws {
    let container = try ledger(entries: 3)
    try container.root.performAndWait { context in
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.amount))
      let child = ManagedObjectContext(parent: context)
      try child.expectEntries(3)
      try child.execute(few)
      try child.expectEntries(1)
      try context.expectEntries(1)
      // An object that the program holds keeps its values until a merge.
      #expect(entries[0].label == "e0")
    }
  }

  @Test func `beside a queue lets its blocks run, and is merged there`() async throws {
    let container = try ledger(entries: 4)
    let worker = container.newBackgroundContext()
    let log = MergeLog(worker.layer)
    let result = try await worker.execute(few)
    #expect(result.deletedCount == 2)
    #expect(log.deleted.count == 2)
    let count = try await worker.perform { try $0.count(LedgerEntry.all) }
    #expect(count == 2)
  }

  @Test func `in an edit is not taken back, and is merged when that has ended`() throws {
    let container = try ledger(entries: 3)
    try container.root.performAndWait { context in
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.amount))
      #expect(throws: CancellationError.self) {
        try context.withSavepoint {
          entries[2].label = "x"
          try context.execute(few)
          try context.expectEntries(1)
          throw CancellationError()
        }
      }
      #expect(entries[2].label == "e2")
      context.processPendingChanges()
      try context.expectEntries([entries[2]])
      #expect(entries.map(\.isDeleted) == [true, true, false])
    }
  }

  @Test func `does not move a context that is pinned to a query generation`() throws {
    let container = try ledger(entries: 3)
    let reader = ContextQueue(parent: container.coordinator)
    try reader.performAndWait { context in
      try context.setQueryGeneration(from: .current)
      try context.expectEntries(3)
      try context.execute(few)
      try context.expectEntries(3)
      try context.setQueryGeneration(from: nil)
      try context.expectEntries(1)
    }
  }

  // MARK: - Others

  @Test func `is merged by contexts at every level that merge automatically`() throws {
    let container = try ledger(entries: 4)
    let worker = container.newBackgroundContext()
    let child = ContextQueue(parent: worker)
    for queue in [container.root, worker, child] {
      try queue.performAndWait { context in
        context.automaticallyMergesChangesFromParent = true
        context.retainsRegisteredObjects = true
        _ = try context.fetch(LedgerEntry.all)
      }
    }
    try container.coordinator.execute(few)
    for queue in [container.root, worker, child] {
      try queue.performAndWait { context in
        let gone = context.registeredObjects.filter(\.isDeleted)
        #expect(gone.count == 2)
        try context.expectEntries(2)
      }
    }
  }

  @Test func `is a conflict for a context that has changed a deleted object`() throws {
    let container = try ledger(entries: 2)
    let saver = ContextQueue(parent: container.coordinator)
    try saver.performAndWait { context in
      let entry = try #require(try context.fetch(LedgerEntry.where { $0.amount == 0 }).first)
      entry.label = "mine"
      try container.coordinator.execute(BatchDeleteRequest(LedgerEntry.all))
      let error = try #require(throws: StoreError.self) { try context.save() }
      guard case .conflicts(let conflicts) = error else { throw error }
      #expect(conflicts.map(\.objectID) == [entry.objectID])
      #expect(conflicts[0].theirValues == nil)
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      try context.expectEntries(0)
    }
  }

  @Test func `is a dangling link for a context that links to a deleted object`() throws {
    let container = try geography()
    let saver = ContextQueue(parent: container.coordinator)
    try container.root.performAndWait { context in
      Country(context: context).iso = "A"
      try context.save()
    }
    try saver.performAndWait { context in
      City(context: context).country = try context.fetch(Country.all).first
      try container.coordinator.execute(BatchDeleteRequest(Country.all))
      let error = try #require(throws: StoreError.self) { try context.save() }
      guard case .danglingLinks = error else { throw error }
    }
  }

  @Test func `is followed by lists`() throws {
    let container = try ledger(entries: 5)
    let reader = ContextQueue(parent: container.coordinator)
    try reader.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      let list = FetchedResultsController(
        LedgerEntry.all.sorted(by: \.amount, order: .reverse), context: context)
      try list.performFetch()
      #expect(list.fetchedObjects.count == 5)
      try container.coordinator.execute(few)
      context.processPendingChanges()
      #expect(list.fetchedObjects.map(\.amount) == [4, 3, 2])
      try context.execute(BatchDeleteRequest(LedgerEntry.all))
      #expect(list.fetchedObjects.isEmpty)
    }
  }

  @Test func `is heard of by another coordinator on the file`() throws {
    let folder = try TemporaryDirectory()
    let model = try republicModel()
    let first = try PersistentContainer(at: folder.file("store"), model: model, durability: .none)
    let second = try PersistentContainer(at: folder.file("store"), model: model, durability: .none)
    try first.root.performAndWait { context in
      for _ in 0..<3 { _ = Memo(context: context) }
      try context.save()
    }
    try second.root.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      let memos = try context.fetch(Memo.all)
      #expect(memos.count == 3)
    }
    let log = MergeLog(second.root.layer)
    try first.coordinator.execute(BatchDeleteRequest(Memo.all))
    try second.root.performAndWait { context in
      let count = try context.count(Memo.all)
      #expect(count == 0)
    }
    #expect(log.deleted.count == 3)
  }

  @Test func `of objects that a save under way changes comes after that save`() async throws {
    let container = try ledger(entries: 2)
    try container.root.performAndWait { context in
      for entry in try context.fetch(LedgerEntry.all) { entry.label = "changed" }
      context.entry("new", 0)
    }
    async let save: Void = container.root.save()
    try await save
    #expect(try await container.root.execute(BatchDeleteRequest(LedgerEntry.all)).deletedCount == 3)
    let left = try await container.root.perform { try $0.count(LedgerEntry.all) }
    #expect(left == 0)
  }
}

extension ManagedObjectContext {
  fileprivate func expectEntries(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try self.count(LedgerEntry.all)
    #expect(found == count, sourceLocation: sourceLocation)
  }

  fileprivate func expectEntries(
    _ entries: [LedgerEntry], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try fetch(LedgerEntry.all)
    #expect(found == entries, sourceLocation: sourceLocation)
  }
}
