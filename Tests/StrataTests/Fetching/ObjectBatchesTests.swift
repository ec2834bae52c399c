// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `Objects in batches` {
  /// Ten entries in the store, and the IDs in the order of their amounts.
  private func saved(_ container: PersistentContainer) throws -> [ObjectID] {
    try container.root.performAndWait { context in
      let ids = (0..<10).map { (index: Int) in context.entry("e\(index)", index).objectID }
      try context.save()
      return ids
    }
  }

  @Test func `are loaded when they are looked at, with their batch alone`() throws {
    let container = try ledger()
    let ids = try saved(container)
    let worker = ContextQueue(parent: container.newBackgroundContext())
    try worker.performAndWait { context in
      func loaded() -> [Int] {
        ids.indices.filter { context.registeredObject(for: ids[$0])?.isFault == false }
      }
      let entries = try context.fetch(LedgerEntry.all.sorted(by: \.amount), inBatchesOf: 4)
      #expect(entries.count == 10)
      #expect(entries.objectIDs == ids)
      #expect(loaded().isEmpty)
      #expect(entries[5].label == "e5")
      #expect(loaded() == [4, 5, 6, 7])
      #expect(entries.last?.label == "e9")
      #expect(loaded() == [4, 5, 6, 7, 8, 9])
      #expect(entries.map(\.label) == (0..<10).map { "e\($0)" })
      let five = try context.object(LedgerEntry.self, with: ids[5])
      #expect(entries[5] === five)
    }
  }

  @Test func `stay those of the fetch, with unsaved ones among them`() throws {
    let container = try ledger()
    let ids = try saved(container)
    try container.newBackgroundContext().performAndWait { context in
      context.entry("new", 3)
      try context.existingObject(LedgerEntry.self, with: ids[0]).amount = 20
      context.delete(try context.existingObject(LedgerEntry.self, with: ids[9]))
      let request = LedgerEntry.all.sorted(by: \.amount).sorted(by: \.label).offset(2).limit(6)
      let entries = try context.fetch(request, inBatchesOf: 2)
      let expected = ["e3", "new", "e4", "e5", "e6", "e7"]
      #expect(entries.map(\.label) == expected)
      context.entry("newer", 4)
      for entry in try context.fetch(LedgerEntry.where { $0.label == "e4" }) {
        context.delete(entry)
      }
      #expect(entries.count == 6)
      #expect(entries[2].isDeleted)
    }
  }

  @Test func `read as deleted if another context has deleted them`() throws {
    let container = try ledger()
    let ids = try saved(container)
    let worker = ManagedObjectContext(parent: container.root)
    let entries = try worker.fetch(LedgerEntry.all, inBatchesOf: 5)
    worker.processPendingChanges()
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(LedgerEntry.self, with: ids[3]))
      try context.save()
    }
    #expect(entries.map(\.label) == ["e0", "e1", "e2", "", "e4", "e5", "e6", "e7", "e8", "e9"])
    #expect(entries[3].isDeleted)
  }

  @Test func `load the prefetched objects, batch by batch`() throws {
    let container = try ledger()
    let accounts = try container.root.performAndWait { context in
      let accounts = (0..<4).map { context.account("o\($0)") }
      for (index, account) in accounts.enumerated() {
        context.entry("e\(index)", index, of: account)
      }
      try context.save()
      return accounts.map(\.objectID)
    }
    try container.newBackgroundContext().performAndWait { context in
      let request = LedgerEntry.all.prefetching { $0.account }
      let entries = try context.fetch(request, inBatchesOf: 2)
      #expect(entries[0].label == "e0")
      let loaded = accounts.map { context.registeredObject(for: $0)?.isFault == false }
      #expect(loaded == [true, true, false, false])
    }
  }
}
