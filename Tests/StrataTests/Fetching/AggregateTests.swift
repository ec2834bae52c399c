// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Sendable private func fill(_ context: ManagedObjectContext, share: Int, count: Int) {
  for index in 0..<8 where index % count == share {
    let entry = context.entry(
      "e\(index)", index == 3 ? nil : index, kind: index < 4 ? .fee : .refund)
    entry.weight = Double(index) / 2
    entry.price = Decimal(index)
    entry.small = 30_000
  }
}

@Suite struct `An aggregate of all objects of a request` {
  @Test func `is the same wherever the objects are`() throws {
    try withLedgers(fill) { context, place in
      let all = LedgerEntry.all
      expectEqual(try context.sum(all, of: \.amount), 25, "\(place)")
      expectEqual(try context.sum(all, of: \.weight), 14, "\(place)")
      expectEqual(try context.sum(all, of: \.price), 28, "\(place)")
      expectEqual(try context.sum(all, of: \.small), 240_000, "\(place)")
      expectEqual(try context.average(all, of: \.amount), 25.0 / 7, "\(place)")
      expectEqual(try context.average(all, of: \.price), Decimal(string: "3.5"), "\(place)")
      expectEqual(try context.minimum(all, of: \.amount), 0, "\(place)")
      expectEqual(try context.maximum(all, of: \.amount), 7, "\(place)")
      expectEqual(try context.minimum(all, of: \.label), "e0", "\(place)")
      expectEqual(try context.maximum(all, of: \.weight), 3.5, "\(place)")
      expectEqual(try context.count(all, distinct: \.kind), 2, "\(place)")
      expectEqual(try context.count(all, distinct: \.amount), 7, "\(place)")
      let window = LedgerEntry.where { $0.amount > 0 }.sorted(by: \.amount, order: .reverse)
        .offset(1).limit(2)
      expectEqual(try context.sum(window, of: \.amount), 11, "\(place)")
      expectEqual(try context.minimum(window, of: \.amount), 5, "\(place)")
    }
  }

  @Test func `of nothing is 0 or nil`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      context.entry("a", nil)
      expectEqual(try context.sum(LedgerEntry.all, of: \.amount), 0)
      expectEqual(try context.minimum(LedgerEntry.all, of: \.amount), nil)
      expectEqual(try context.average(LedgerEntry.all, of: \.amount), nil)
      let none = LedgerEntry.all.limit(0)
      expectEqual(try context.sum(none, of: \.weight), 0)
      expectEqual(try context.maximum(none, of: \.label), nil)
      expectEqual(try context.count(none, distinct: \.label), 0)
    }
  }

  @Test func `that no integer can be is an error and no trap`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      for label in ["a", "b"] { context.entry(label, .max) }
      #expect(throws: QueryError.noValue(column: "amount.sum")) {
        try context.sum(LedgerEntry.all, of: \.amount)
      }
      expectEqual(try context.average(LedgerEntry.all, of: \.amount), 0x1p63)
      let sums = try context.fetch(
        LedgerEntry.all.select { PropertyPath<LedgerEntry, Int?>($0.amount.sum()) })
      #expect(sums == [nil])
      context.entry("c", -Int.max)
      expectEqual(try context.sum(LedgerEntry.all, of: \.amount), .max)
    }
  }

  @Test func `leaves out NaN`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      for weight in [Double.nan, 2, 1] { context.entry("a", nil).weight = weight }
      expectEqual(try context.minimum(LedgerEntry.all, of: \.weight), 1)
      expectEqual(try context.maximum(LedgerEntry.all, of: \.weight), 2)
      #expect(try context.sum(LedgerEntry.all, of: \.weight).isNaN)
      for (index, entry) in try context.fetch(LedgerEntry.all).enumerated() {
        entry.price = [7, .nan, 5][index]
      }
      expectEqual(try context.minimum(LedgerEntry.all, of: \.price), 5)
      expectEqual(try context.maximum(LedgerEntry.all, of: \.price), 7)
    }
  }

  @Test func `leaves out unsaved changes here, if the request says so`() throws {
    let container = try ledger()
    let worker = container.newBackgroundContext()
    try container.root.performAndWait { context in
      context.entry("saved", 1)
      try context.save()
      context.entry("pending", 2)
    }
    try worker.performAndWait { context in
      context.entry("here", 4)
      var request = LedgerEntry.all
      expectEqual(try context.sum(request, of: \.amount), 7)
      request.includesPendingChanges = false
      expectEqual(try context.sum(request, of: \.amount), 3)
      expectEqual(try context.count(request), 2)
      expectEqual(
        try context.fetch(request.sorted(by: \.amount)).map(\.label), ["saved", "pending"])
    }
  }
}

@Suite struct `An aggregate of to-many members` {
  @Test func `has the type and the value of the same aggregate of rows`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let account = context.account("Ada")
      for index in 1...2 {
        let entry = context.entry("e\(index)", index, of: account)
        entry.price = Decimal(index)
        entry.small = 30_000
      }
      let members = try context.fetch(
        LedgerAccount.all.select {
          ($0.entries.sum(\.small), $0.entries.average(\.price), $0.entries.average(\.small))
        })
      let rows = try context.fetch(
        LedgerEntry.all.select { ($0.small.sum(), $0.price.average(), $0.small.average()) })
      try #require(members.count == 1 && rows.count == 1)
      #expect(members[0] == (60_000, Decimal(string: "1.5"), 30_000))
      #expect(members[0] == rows[0])
    }
  }

  @Test func `is compared with a sum beyond its attribute's type`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let account = context.account("Ada")
      for label in ["a", "b"] { context.entry(label, nil, of: account).small = 30_000 }
      let found = try context.count(LedgerAccount.where { $0.entries.sum(\.small) == 60_000 })
      #expect(found == 1)
    }
  }
}
