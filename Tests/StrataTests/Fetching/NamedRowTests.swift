// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Sendable private func fill(_ context: ManagedObjectContext, share: Int, count: Int) {
  if share == 0 { context.account("Ada") }
  let ada = (try? context.fetch(LedgerAccount.all))?.first
  for index in 0..<4 where index % count == share {
    context.entry(index < 3 ? "x" : "y", index, of: index == 0 ? nil : ada)
  }
}

@Suite struct `Rows of named columns` {
  @Test func `have the columns that are named, calculated or worked out of groups`() throws {
    try withLedgers(fill) { context, place in
      let entries = LedgerEntry.all.sorted(by: \.amount).select(
        "label", "account.owner", try FetchColumn("twice", format: "amount * %d", 2))
      let rows = try context.fetch(entries)
      #expect(rows.count == 4, "\(place)")
      #expect(
        rows[0] == ["label": .string("x"), "account.owner": .null, "twice": .int(0)], "\(place)")
      #expect(
        rows[3] == ["label": .string("y"), "account.owner": .string("Ada"), "twice": .int(6)],
        "\(place)")

      let request = LedgerEntry.all.sorted(by: \.label)
        .select(
          "label", .count(), .sum("amount", as: "total"), .max("amount"),
          .average("amount").named("mean")
        )
        .grouped(by: "label")
      let x: [String: PropertyValue] = [
        "label": .string("x"), "count": .int(3), "total": .int(3), "max.amount": .int(2),
        "mean": .double(1),
      ]
      #expect(try context.fetch(request).first == x, "\(place)")
      let having = request.having(try FetchPredicate(format: "$total == 3 AND $count > 2"))
      #expect(try context.fetch(having) == [x], "\(place)")
    }
  }

  @Test func `have all stored properties if none is named`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let entry = context.entry("a", 7, of: context.account("Ada"))
      let row = try #require(try context.fetch(LedgerEntry.all.selectAll()).first)
      #expect(Set(row.keys) == ["label", "amount", "weight", "price", "small", "kind", "account"])
      #expect(row["account"] == (entry.account?.objectID).map(PropertyValue.object))
      #expect(
        try context.fetch(LedgerEntry.all.select("SELF")) == [["SELF": .object(entry.objectID)]])
    }
  }

  @Test func `have no external attribute if none is named`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.painting("a", scan: scan(1))
      let row = try #require(try context.fetch(Painting.all.selectAll()).first)
      #expect(Set(row.keys) == ["title", "code", "mirror", "gallery"])
    }
  }

  @Test func `are distinct if that is wanted`() throws {
    try withLedgers(fill) { context, place in
      let request = LedgerEntry.all.sorted(by: \.label).select("label").distinct()
      expectEqual(
        try context.fetch(request), [["label": .string("x")], ["label": .string("y")]],
        "\(place)")
    }
  }

  @Test func `are sorted by a column, and by a property that is no column`() throws {
    try withLedgers(fill) { context, place in
      let byTotal = LedgerEntry.all.select("label", .sum("amount", as: "total"))
        .grouped(by: "label").sorted(by: "total", order: .reverse)
      expectEqual(
        try context.fetch(byTotal).map { $0["total"] }, [.int(3), .int(3)], "\(place)")
      let byAmount = LedgerEntry.all.select("label").sorted(by: "amount", order: .reverse).limit(2)
      expectEqual(
        try context.fetch(byAmount), [["label": .string("y")], ["label": .string("x")]],
        "\(place)")
    }
  }

  @Test func `refuse names that there are not, or twice`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let all = LedgerEntry.all
      #expect(throws: QueryError.unknownProperty(entity: "LedgerEntry", keyPath: "nothing")) {
        try context.fetch(all.select("nothing"))
      }
      #expect(throws: QueryError.duplicateColumn("label")) {
        try context.fetch(all.select("label", FetchColumn("amount").named("label")))
      }
      #expect(throws: QueryError.ungroupedProperty(entity: "LedgerEntry", property: "label")) {
        try context.fetch(all.select("label").grouped(by: "amount"))
      }
      #expect(throws: QueryError.unboundVariable("$other")) {
        try context.fetch(all.select(.count()).having(FetchPredicate(format: "$other > 1")))
      }
      #expect(throws: PredicateFormatError.self) { try FetchColumn("x", format: "amount *") }
    }
  }
}
