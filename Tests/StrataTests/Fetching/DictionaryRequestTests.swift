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

@Suite struct `Dictionaries` {
  @Test func `have the columns that are named, calculated or worked out of groups`() throws {
    try withLedgers(fill) { context, place in
      var request = DictionaryRequest(LedgerEntry.all.sorted(by: \.amount))
      request.propertiesToFetch = [
        "label", "account.owner", try FetchColumn("twice", format: "amount * %d", 2),
      ]
      let rows = try context.fetch(request)
      #expect(rows.count == 4, "\(place)")
      #expect(
        rows[0] == ["label": .string("x"), "account.owner": .null, "twice": .int(0)], "\(place)")
      #expect(
        rows[3] == ["label": .string("y"), "account.owner": .string("Ada"), "twice": .int(6)],
        "\(place)")

      request = DictionaryRequest(LedgerEntry.all.sorted(by: \.label))
      request.propertiesToFetch = [
        "label", .count(), .sum("amount", as: "total"), .max("amount"),
        .average("amount").named("mean"),
      ]
      request.propertiesToGroupBy = ["label"]
      let x: [String: PropertyValue] = [
        "label": .string("x"), "count": .int(3), "total": .int(3), "max.amount": .int(2),
        "mean": .double(1),
      ]
      #expect(try context.fetch(request).first == x, "\(place)")
      request.havingPredicate = try FetchPredicate(format: "$total == 3 AND $count > 2")
      #expect(try context.fetch(request) == [x], "\(place)")
    }
  }

  @Test func `have all stored properties if none is named`() throws {
    let container = try estate()
    try container.root.performAndWait { context in
      let entry = context.entry("a", 7, of: context.account("Ada"))
      let row = try #require(try context.fetch(DictionaryRequest(LedgerEntry.all)).first)
      #expect(Set(row.keys) == ["label", "amount", "weight", "price", "small", "kind", "account"])
      #expect(row["account"] == (entry.account?.objectID).map(PropertyValue.object))
      var ids = DictionaryRequest(LedgerEntry.all)
      ids.propertiesToFetch = ["SELF"]
      #expect(try context.fetch(ids) == [["SELF": .object(entry.objectID)]])
    }
  }

  @Test func `have no external attribute if none is named`() throws {
    let container = try republic()
    try container.root.performAndWait { context in
      context.painting("a", scan: scan(1))
      let row = try #require(try context.fetch(DictionaryRequest(Painting.all)).first)
      #expect(Set(row.keys) == ["title", "code", "mirror", "gallery"])
    }
  }

  @Test func `are distinct if that is wanted`() throws {
    try withLedgers(fill) { context, place in
      var request = DictionaryRequest(LedgerEntry.all.sorted(by: \.label))
      request.propertiesToFetch = ["label"]
      request.returnsDistinctResults = true
      expectEqual(
        try context.fetch(request), [["label": .string("x")], ["label": .string("y")]],
        "\(place)")
    }
  }

  @Test func `refuse names that there are not, or twice`() throws {
    let container = try estate()
    try container.root.performAndWait { context in
      var request = DictionaryRequest(LedgerEntry.all)
      request.propertiesToFetch = ["nothing"]
      #expect(throws: QueryError.unknownProperty(entity: "LedgerEntry", keyPath: "nothing")) {
        try context.fetch(request)
      }
      request.propertiesToFetch = ["label", FetchColumn("amount").named("label")]
      #expect(throws: QueryError.duplicateColumn("label")) { try context.fetch(request) }
      request.propertiesToFetch = ["label"]
      request.propertiesToGroupBy = ["amount"]
      #expect(throws: QueryError.ungroupedProperty(entity: "LedgerEntry", property: "label")) {
        try context.fetch(request)
      }
      request.propertiesToFetch = [.count()]
      request.havingPredicate = try FetchPredicate(format: "$other > 1")
      #expect(throws: QueryError.unboundVariable("$other")) { try context.fetch(request) }
      #expect(throws: PredicateFormatError.self) { try FetchColumn("x", format: "amount *") }
    }
  }
}
