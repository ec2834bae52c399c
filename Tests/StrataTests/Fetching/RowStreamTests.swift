// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// Ten entries, e0 … e9; every other one is in a share of two.
@Sendable private func fill(_ context: ManagedObjectContext, share: Int, count: Int) {
  for index in 0..<10 where index % count == share { context.entry("e\(index)", index) }
}

@Suite struct `Rows that are shown one after the other` {
  @Test func `are those of the fetch, in its order and window, wherever the objects are`() throws {
    try withLedgers(fill) { context, place in
      var labels: [String] = []
      let request = LedgerEntry.where { $0.amount > 1 }.sorted(by: \.label, order: .reverse)
        .offset(1).limit(3)
      try context.forEachRow(request.select(\.label, \.amount)) { label, amount in
        labels.append("\(label) \(amount ?? -1)")
      }
      #expect(labels == ["e8 8", "e7 7", "e6 6"], "\(place)")
      var sum = 0
      try context.forEachRow(LedgerEntry.all.select(\.amount)) { sum += $0 ?? 0 }
      #expect(sum == 45, "\(place)")
      // By a property without an index.
      var smalls: [String] = []
      let byWeight = LedgerEntry.all.sorted(by: \.weight).sorted(by: \.label, order: .reverse)
        .limit(2)
      try context.forEachRow(byWeight.select(\.label)) { smalls.append($0) }
      #expect(smalls == ["e9", "e8"], "\(place)")
      #expect(context.registeredObjects.allSatisfy { $0.isInserted }, "\(place)")
    }
  }

  @Test func `end where the body says so, or throws`() throws {
    struct Enough: Error {}
    try withLedgers(fill) { context, place in
      for request in [
        LedgerEntry.all, LedgerEntry.all.sorted(by: \.label), LedgerEntry.all.sorted(by: \.weight),
        LedgerEntry.where { $0.amount >= 0 },
      ] {
        var count = 0
        try context.visitRows(request.select(\.label)) { _ in
          count += 1
          return count < 3
        }
        #expect(count == 3, "\(place)")
        #expect(throws: Enough.self) {
          try context.forEachRow(request.select(\.label)) { _ in throw Enough() }
        }
      }
    }
  }

  @Test func `stay those of the call, whatever the body changes, saves or fetches`() throws {
    try withLedgers(fill) { context, place in
      var seen: [Int] = []
      let request = LedgerEntry.where { $0.amount >= 0 }.sorted(by: \.amount)
      try context.forEachRow(request.select(\.amount)) { amount in
        seen.append(amount ?? -1)
        context.entry("new \(seen.count)", 5)
        for entry in try context.fetch(LedgerEntry.where { $0.label.hasPrefix("e") }) {
          entry.amount = (entry.amount ?? 0) + 100
        }
        if seen.count == 3 { context.delete(try context.fetch(LedgerEntry.all)[0]) }
        if seen.count.isMultiple(of: 4) { try context.save() }
      }
      #expect(seen == Array(0...9), "\(place)")
      #expect(try context.count(LedgerEntry.all) == 19, "\(place)")
    }
  }

  @Test func `have all kinds of values, and nil where there is none`() throws {
    try withLedgers { context, _, _ in
      let account = context.account("Ada")
      let entry = context.entry("a", nil, kind: .fee, of: account)
      entry.weight = 1.5
      entry.price = Decimal(string: "2.50")!
      entry.small = -3
      context.entry("b", 1)
    } _: { context, place in
      let request = LedgerEntry.all.sorted(by: \.label).limit(2).select {
        (
          $0.label, $0.amount, $0.weight, $0.price, $0.small, $0.kind, $0.account.owner,
          $0.amount * 2
        )
      }
      let rows = try context.fetch(request).map { "\($0)" }
      let first = (
        "a", Int?.none, 1.5, Decimal(string: "2.50")!, Int16(-3), LedgerKind?.some(.fee),
        String?.some("Ada"), Int?.none
      )
      #expect(rows.first == "\(first)", "\(place)")
    }
  }

  @Test func `name objects by their IDs`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      let account = context.account("Ada")
      let (one, two) = (context.entry("a", 1, of: account), context.entry("b", 2))
      for _ in 0..<2 {
        let rows = try context.fetch(
          LedgerEntry.all.sorted(by: \.label).select { ($0.objectID, $0.account.objectID) })
        #expect(rows.map(\.0) == [one.objectID, two.objectID])
        #expect(rows.map(\.1) == [account.objectID, nil])
        try context.save()
      }
    }
  }

  @Test func `refuse invalid columns before any row`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      context.entry("a", 1)
      #expect(throws: QueryError.transientProperty(entity: "LedgerEntry", property: "note")) {
        try context.fetch(LedgerEntry.all.select(\.note))
      }
      #expect(throws: QueryError.noValue(column: "(small / a number)")) {
        try context.fetch(LedgerEntry.all.select { $0.small / 0 })
      }
      let owners = try context.fetch(LedgerEntry.all.select { $0.account.owner })
      #expect(owners == [nil])
    }
  }
}
