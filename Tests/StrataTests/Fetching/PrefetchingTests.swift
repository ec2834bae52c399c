// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `Relationships that a request prefetches` {
  /// Which of these objects are loaded.
  private static func loaded(_ ids: [ObjectID], _ context: ManagedObjectContext) -> [Bool] {
    ids.map { context.registeredObject(for: $0)?.isFault == false }
  }

  private struct Graph: Sendable {
    let accounts: [ObjectID]
    let entries: [ObjectID]
    let tags: [ObjectID]
  }

  /// Two accounts with two entries each and a tag each; a third of everything that has no owner.
  private func saved(_ container: PersistentContainer) throws -> Graph {
    try container.root.performAndWait { context in
      let accounts = ["Ada", "Bob", "Cyd"].map { context.account($0) }
      var entries: [LedgerEntry] = []
      for index in 0..<4 {
        entries.append(context.entry("e\(index)", index, of: accounts[index / 2]))
      }
      entries.append(context.entry("alone", 4))
      let tags = ["t0", "t1", "t2"].map { name in
        let tag = LedgerTag(context: context)
        tag.name = name
        return tag
      }
      for index in 0..<2 { accounts[index].tags.insert(tags[index]) }
      try context.save()
      return Graph(
        accounts: accounts.map(\.objectID), entries: entries.map(\.objectID),
        tags: tags.map(\.objectID))
    }
  }

  @Test func `are loaded with the objects, to-one and to-many, at every depth`() throws {
    let container = try ledger()
    let graph = try saved(container)
    for depth in 0..<3 {
      var queue = container.newBackgroundContext()
      for _ in 0..<depth { queue = ContextQueue(parent: queue) }
      try queue.performAndWait { context in
        let request = LedgerEntry.where { $0.amount < 3 }.prefetching { $0.account }
        let entries = try context.fetch(request)
        #expect(Self.loaded(graph.accounts, context) == [true, true, false])
        #expect(entries.map { $0.account?.owner } == ["Ada", "Ada", "Bob"])
        #expect(Self.loaded(graph.entries, context) == [true, true, true, false, false])
      }
      queue = ContextQueue(parent: queue)
      try queue.performAndWait { context in
        let accounts = try context.fetch(LedgerAccount.all.prefetching { $0.entries })
        #expect(Self.loaded(graph.entries, context) == [true, true, true, true, false])
        #expect(accounts[0].entries.map(\.label) == ["e0", "e1"])
      }
    }
  }

  @Test func `follow each other, through links too`() throws {
    let container = try ledger()
    let graph = try saved(container)
    try container.newBackgroundContext().performAndWait { context in
      _ = try context.fetch(LedgerEntry.where { $0.amount == 0 }.prefetching("account.tags"))
      #expect(Self.loaded(graph.accounts, context) == [true, false, false])
      #expect(Self.loaded(graph.tags, context) == [true, false, false])
    }
    try container.newBackgroundContext().performAndWait { context in
      let tags = LedgerTag.where { $0.name == "t1" }.prefetching("accounts.entries.account")
      _ = try context.fetch(tags)
      #expect(Self.loaded(graph.accounts, context) == [false, true, false])
      #expect(Self.loaded(graph.entries, context) == [false, false, true, true, false])
    }
    try container.newBackgroundContext().performAndWait { context in
      let request = LedgerEntry.where { $0.amount == 0 }.prefetching { $0.account.tags }
      _ = try context.fetch(request)
      #expect(Self.loaded(graph.tags, context) == [true, false, false])
    }
  }

  @Test func `are those that the context shows, unsaved changes included`() throws {
    let container = try ledger()
    let graph = try saved(container)
    let middle = container.newBackgroundContext()
    try middle.performAndWait { context in
      let entry = try context.existingObject(LedgerEntry.self, with: graph.entries[0])
      entry.account = try context.existingObject(LedgerAccount.self, with: graph.accounts[2])
      context.delete(try context.existingObject(LedgerEntry.self, with: graph.entries[3]))
    }
    try ContextQueue(parent: middle).performAndWait { context in
      let cyd = LedgerAccount.where { $0.owner == "Cyd" }.prefetching { $0.entries }
      let accounts = try context.fetch(cyd)
      #expect(Self.loaded(graph.entries, context) == [true, false, false, false, false])
      #expect(accounts.first?.entries.map(\.label) == ["e0"])
    }
  }

  @Test func `are found in one walk where there are many`() throws {
    let container = try ledger()
    let ids = try container.root.performAndWait { context in
      let accounts = (0..<600).map { context.account("o\($0)") }
      for (index, account) in accounts.enumerated() { context.entry("e", index, of: account) }
      try context.save()
      return accounts.map(\.objectID)
    }
    try container.newBackgroundContext().performAndWait { context in
      context.delete(try context.existingObject(LedgerAccount.self, with: ids[5]))
      let request = LedgerEntry.where { $0.amount < 500 }.sorted(by: \.amount)
      let entries = try context.fetch(request.prefetching { $0.account })
      #expect(Self.loaded(ids, context).count(where: \.self) == 500)
      #expect(entries[7].account?.owner == "o7" && entries[5].account == nil)
    }
  }

  @Test func `are relationships that there are, else nothing is read`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      context.entry("a", 1)
      #expect(throws: QueryError.unfitProperty(entity: "LedgerEntry", property: "label")) {
        try context.fetch(LedgerEntry.all.prefetching { $0.label })
      }
      #expect(throws: QueryError.unknownProperty(entity: "LedgerAccount", keyPath: "friends")) {
        try context.fetch(LedgerEntry.all.prefetching("account.friends"))
      }
    }
  }
}
