// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// Entries of two owners and of none: Ada has 1, 2 and nil, Bob 10 twice, no owner 5.
@Sendable private func fill(_ context: ManagedObjectContext, share: Int, count: Int) {
  let rows: [(String, Int?, String?)] = [
    ("x", 1, "Ada"), ("y", 2, "Ada"), ("x", nil, "Ada"), ("x", 10, "Bob"), ("y", 10, "Bob"),
    ("x", 5, nil),
  ]
  if share == 0 { for owner in ["Ada", "Bob"] { context.account(owner) } }
  let accounts = (try? context.fetch(LedgerAccount.all)) ?? []
  for (index, (label, amount, owner)) in rows.enumerated() where index % count == share {
    context.entry(label, amount, of: accounts.first { $0.owner == owner })
  }
}

@Suite struct `Rows of groups` {
  @Test func `have one row for each value, with aggregates of its objects`() throws {
    try withLedgers(fill) { context, place in
      let request = LedgerEntry.all.select {
        (
          $0.account.owner, $0.rowCount(), $0.amount.rowCount(), $0.amount.sum(),
          $0.amount.min(),
          $0.amount.max(), $0.amount.average(), $0.amount.distinctCount()
        )
      }.grouped { $0.account.owner }
      let rows = try context.fetch(request).map { "\($0)" }.sorted()
      let expected = [
        "\((String?.none, 1, 1, 5, Int?.some(5), Int?.some(5), Double?.some(5), 1))",
        "\((String?.some("Ada"), 3, 2, 3, Int?.some(1), Int?.some(2), Double?.some(1.5), 2))",
        "\((String?.some("Bob"), 2, 2, 20, Int?.some(10), Int?.some(10), Double?.some(10), 1))",
      ].sorted()
      #expect(rows == expected, "\(place)")
    }
  }

  @Test func `are filtered, put in order and cut as groups`() throws {
    try withLedgers(fill) { context, place in
      let byLabel = LedgerEntry.all.sorted(by: \.label, order: .reverse)
        .select { ($0.label, $0.amount.sum()) }.grouped(by: \.label)
      let all = try context.fetch(byLabel).map { "\($0)" }
      #expect(all == ["\(("y", 12))", "\(("x", 16))"], "\(place)")
      let large = try context.fetch(byLabel.having { $0.amount.sum() > 12 }).map { "\($0)" }
      #expect(large == ["\(("x", 16))"], "\(place)")
      let named = try context.fetch(byLabel.having { $0.label == "y" && $0.rowCount() == 2 })
      #expect(named.map(\.0) == ["y"], "\(place)")
      var cut = byLabel
      cut.objects = byLabel.objects.offset(1).limit(1)
      #expect(try context.fetch(cut).map(\.0) == ["x"], "\(place)")
      let filtered = LedgerEntry.where { $0.amount > 1 }.select { $0.rowCount() }.grouped(
        by: \.label)
      #expect(try context.fetch(filtered).sorted() == [2, 2], "\(place)")
    }
  }

  @Test func `are grouped by several properties, relationships and IDs among them`() throws {
    try withLedgers(fill) { context, place in
      let request = LedgerEntry.all.select { ($0.account.objectID, $0.label, $0.rowCount()) }
        .grouped(by: \.account, \.label)
      let rows = try context.fetch(request)
      #expect(rows.map(\.2).sorted() == [1, 1, 1, 1, 2], "\(place)")
      let owners = try context.fetch(LedgerAccount.all.sorted(by: \.owner)).map(\.objectID)
      #expect(rows.first { $0.2 == 2 }?.0 == owners[0], "\(place)")
      let each = try context.fetch(
        LedgerEntry.all.select { $0.rowCount() }.grouped { $0.objectID })
      #expect(each == Array(repeating: 1, count: 6), "\(place)")
    }
  }

  @Test func `are one without anything to group by, even of nothing`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let request = LedgerEntry.all.select {
        ($0.rowCount(), $0.amount.sum(), $0.amount.min(), $0.price.average())
      }
      #expect(try context.fetch(request).map { "\($0)" } == ["(0, 0, nil, nil)"])
      #expect(try context.fetch(request.having { $0.rowCount() > 0 }).isEmpty)
      #expect(try context.fetch(request.grouped(by: \.label)).isEmpty)
      context.entry("a", 2).price = 3
      context.entry("b", 3).price = 4
      let row = try #require(try context.fetch(request).first)
      #expect(row.0 == 2 && row.1 == 5 && row.2 == 2 && row.3 == Decimal(string: "3.5"))
      var empty = request
      empty.objects = request.objects.limit(0)
      #expect(try context.fetch(empty).isEmpty)
    }
  }

  @Test func `refuse columns that have many values in a group`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let ungrouped = QueryError.ungroupedProperty(entity: "LedgerEntry", property: "label")
      #expect(throws: ungrouped) {
        try context.fetch(LedgerEntry.all.select { ($0.label, $0.rowCount()) })
      }
      #expect(throws: ungrouped) {
        try context.fetch(LedgerEntry.all.select(\.label).grouped(by: \.amount))
      }
      #expect(throws: ungrouped) {
        try context.fetch(
          LedgerEntry.all.select(\.amount).grouped(by: \.amount).having { $0.label == "a" })
      }
      #expect(throws: ungrouped) {
        try context.fetch(LedgerEntry.all.sorted(by: \.label).select { $0.rowCount() })
      }
      #expect(throws: QueryError.misplacedAggregate("sum")) {
        try context.fetch(LedgerEntry.where { $0.amount.sum() > 3 })
      }
      #expect(throws: QueryError.misplacedAggregate("sum")) {
        try context.fetch(LedgerEntry.all.select { $0.amount.sum().max() })
      }
      #expect(throws: QueryError.unfitGroupKey("(amount * a number)")) {
        try context.fetch(LedgerEntry.all.select { $0.rowCount() }.grouped { $0.amount * 2 })
      }
      #expect(throws: QueryError.toManyProperty(entity: "LedgerAccount", property: "entries")) {
        try context.fetch(LedgerAccount.all.select { ($0.entries.count, $0.rowCount()) })
      }
    }
  }

  @Test func `may calculate the values of an aggregate from each object`() throws {
    try withLedgers(fill) { context, place in
      let doubled = try context.fetch(LedgerEntry.all.select { ($0.amount * 2).sum() + 1 })
      #expect(doubled == [57], "\(place)")
      let most = try context.fetch(LedgerAccount.all.select { $0.entries.count.max() })
      #expect(most == [3], "\(place)")
    }
  }
}

@Suite struct `Distinct rows` {
  @Test func `are the first of those alike, and counted by the window`() throws {
    try withLedgers(fill) { context, place in
      let labels = LedgerEntry.all.sorted(by: \.label).select(\.label).distinct()
      expectEqual(try context.fetch(labels), ["x", "y"], "\(place)")
      var second = labels
      second.objects = labels.objects.offset(1).limit(5)
      expectEqual(try context.fetch(second), ["y"], "\(place)")
      let counts = LedgerEntry.all.select { $0.rowCount() }.grouped(by: \.account, \.label)
        .distinct()
      expectEqual(try context.fetch(counts).sorted(), [1, 2], "\(place)")
    }
  }

  @Test func `take numbers that are none for alike, and texts that are canonically equal`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      for (label, weight) in [("é", Double.nan), ("e\u{301}", -.nan), ("e", 0), ("e", -0.0)] {
        context.entry(label, nil).weight = weight
      }
      expectEqual(try context.fetch(LedgerEntry.all.select(\.label).distinct()).count, 2)
      expectEqual(try context.fetch(LedgerEntry.all.select(\.weight).distinct()).count, 2)
      expectEqual(try context.count(LedgerEntry.all, distinct: \.weight), 2)
    }
  }
}
