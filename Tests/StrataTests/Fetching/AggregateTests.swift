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
      expectEqual(try context.sum(of: \.amount, for: all), 25, "\(place)")
      expectEqual(try context.sum(of: \.weight, for: all), 14, "\(place)")
      expectEqual(try context.sum(of: \.price, for: all), 28, "\(place)")
      expectEqual(try context.sum(of: \.small, for: all), 240_000, "\(place)")
      expectEqual(try context.average(of: \.amount, for: all), 25.0 / 7, "\(place)")
      expectEqual(try context.average(of: \.price, for: all), Decimal(string: "3.5"), "\(place)")
      expectEqual(try context.minimum(of: \.amount, for: all), 0, "\(place)")
      expectEqual(try context.maximum(of: \.amount, for: all), 7, "\(place)")
      expectEqual(try context.minimum(of: \.label, for: all), "e0", "\(place)")
      expectEqual(try context.maximum(of: \.weight, for: all), 3.5, "\(place)")
      expectEqual(try context.count(distinct: \.kind, for: all), 2, "\(place)")
      expectEqual(try context.count(distinct: \.amount, for: all), 7, "\(place)")
      let window = LedgerEntry.where { $0.amount > 0 }.sorted(by: \.amount, .descending)
        .offset(1).limit(2)
      expectEqual(try context.sum(of: \.amount, for: window), 11, "\(place)")
      expectEqual(try context.minimum(of: \.amount, for: window), 5, "\(place)")
    }
  }

  @Test func `of nothing is 0 or nil`() throws {
    let container = try estate()
    try container.root.performAndWait { context in
      context.entry("a", nil)
      expectEqual(try context.sum(of: \.amount, for: LedgerEntry.all), 0)
      expectEqual(try context.minimum(of: \.amount, for: LedgerEntry.all), nil)
      expectEqual(try context.average(of: \.amount, for: LedgerEntry.all), nil)
      let none = LedgerEntry.all.limit(0)
      expectEqual(try context.sum(of: \.weight, for: none), 0)
      expectEqual(try context.maximum(of: \.label, for: none), nil)
      expectEqual(try context.count(distinct: \.label, for: none), 0)
    }
  }

  @Test func `that no integer can be is an error and no trap`() throws {
    let container = try estate()
    try container.root.performAndWait { context in
      for label in ["a", "b"] { context.entry(label, .max) }
      #expect(throws: QueryError.noValue(column: "amount.sum")) {
        try context.sum(of: \.amount, for: LedgerEntry.all)
      }
      expectEqual(try context.average(of: \.amount, for: LedgerEntry.all), 0x1p63)
      let orNil = try context.fetch(LedgerEntry.all.select { $0.amount.sum().orNil })
      #expect(orNil == [nil])
      context.entry("c", -Int.max)
      expectEqual(try context.sum(of: \.amount, for: LedgerEntry.all), .max)
    }
  }

  @Test func `leaves out NaN`() throws {
    let container = try estate()
    try container.root.performAndWait { context in
      for weight in [Double.nan, 2, 1] { context.entry("a", nil).weight = weight }
      expectEqual(try context.minimum(of: \.weight, for: LedgerEntry.all), 1)
      expectEqual(try context.maximum(of: \.weight, for: LedgerEntry.all), 2)
      #expect(try context.sum(of: \.weight, for: LedgerEntry.all).isNaN)
      for (index, entry) in try context.fetch(LedgerEntry.all).enumerated() {
        entry.price = [7, .nan, 5][index]
      }
      expectEqual(try context.minimum(of: \.price, for: LedgerEntry.all), 5)
      expectEqual(try context.maximum(of: \.price, for: LedgerEntry.all), 7)
    }
  }

  @Test func `leaves out unsaved changes here, if the request says so`() throws {
    let container = try estate()
    let worker = container.newBackgroundContext()
    try container.root.performAndWait { context in
      context.entry("saved", 1)
      try context.save()
      context.entry("pending", 2)
    }
    try worker.performAndWait { context in
      context.entry("here", 4)
      var request = LedgerEntry.all
      expectEqual(try context.sum(of: \.amount, for: request), 7)
      request.includesPendingChanges = false
      expectEqual(try context.sum(of: \.amount, for: request), 3)
      expectEqual(try context.count(for: request), 2)
      expectEqual(
        try context.fetch(request.sorted(by: \.amount)).map(\.label), ["saved", "pending"])
    }
  }
}
