// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Accounts with equal, long and missing owners; entries of each, and some without an account.
@Sendable private func fill(_ context: ManagedObjectContext, share: Int, count: Int) throws {
  let long = String(repeating: "z", count: 300)
  let owners = ["Ada", "ada", "Émile", "E\u{301}mile", long + "b", long + "a", long, "", "Ada"]
  for (index, owner) in owners.enumerated() where index % count == share {
    let account = context.account(owner)
    for number in 0..<(index % 4) { context.entry("\(owner.count)", number * 7 % 5, of: account) }
  }
  // Entries of another level's account: the path crosses levels.
  let accounts = try context.fetch(LedgerAccount.all)
  for (index, account) in accounts.enumerated() {
    let entry = context.entry("crossing", nil, of: index.isMultiple(of: 3) ? nil : account)
    entry.kind = LedgerKind.allCases[index % LedgerKind.allCases.count]
  }
}

@Suite struct `Objects in an order` {
  /// The objects in the order of a key, worked out without the store: nil first, then values by
  /// `precedes`, then by ID.
  private func expected<T: Entity, V>(
    _ type: T.Type, _ context: ManagedObjectContext, isReversed: Bool = false,
    by key: (T) -> V?, _ precedes: (V, V) -> Bool
  ) throws -> [ObjectID] {
    let all = try context.fetch(FetchRequest<T>())
    let order = all.enumerated().sorted { left, right in
      let (one, two) = (key(left.element), key(right.element))
      let isBefore: Bool
      let isAfter: Bool
      switch (one, two) {
      case (nil, nil): (isBefore, isAfter) = (false, false)
      case (nil, _): (isBefore, isAfter) = (true, false)
      case (_, nil): (isBefore, isAfter) = (false, true)
      case (let one?, let two?): (isBefore, isAfter) = (precedes(one, two), precedes(two, one))
      }
      if isBefore != isAfter { return isBefore != isReversed }
      return left.offset < right.offset
    }
    return order.map(\.element.objectID)
  }

  @Test func `of a related object's property are the same at every depth`() throws {
    try withLedgers(fill) { context, place in
      for order in [SortOrder.forward, .reverse] {
        let owners = try expected(
          LedgerEntry.self, context, isReversed: order == .reverse, by: { $0.account?.owner }, <)
        let byKeyPath = LedgerEntry.all.sorted(by: \.account?.owner, order: order)
        expectEqual(try context.fetch(byKeyPath).map(\.objectID), owners, "\(place)")
        expectEqual(try context.fetchIDs(byKeyPath), owners, "\(place)")
        expectEqual(
          try context.fetchIDs(LedgerEntry.all.sorted(by: { $0.account.owner }, order: order)),
          owners, "\(place)")
        expectEqual(
          try context.fetchIDs(byKeyPath.offset(2).limit(3)), Array(owners.dropFirst(2).prefix(3)),
          "\(place)")
      }
    }
  }

  @Test func `of a count are the same at every depth`() throws {
    try withLedgers(fill) { context, place in
      let counts = try expected(
        LedgerAccount.self, context, isReversed: true, by: { $0.entries.count }, <)
      let request = LedgerAccount.all.sorted(by: { $0.entries.count }, order: .reverse)
      expectEqual(try context.fetch(request).map(\.objectID), counts, "\(place)")
      let sums = try expected(
        LedgerAccount.self, context, by: { $0.entries.reduce(0) { $0 + ($1.amount ?? 0) } }, <)
      expectEqual(
        try context.fetchIDs(LedgerAccount.all.sorted(by: { $0.entries.sum(\.amount) })), sums,
        "\(place)")
    }
  }

  @Test func `of an enum have the order of its cases, not of its raw values`() throws {
    try withLedgers(fill) { context, place in
      let kinds = try expected(LedgerEntry.self, context, by: \.kind, <)
      expectEqual(
        try context.fetchIDs(LedgerEntry.all.sorted(by: \.kind)), kinds, "\(place)")
      for kind in LedgerKind.allCases {
        let above = try context.fetch(LedgerEntry.all).filter { $0.kind.map { $0 > kind } ?? false }
        expectEqual(
          try context.fetch(LedgerEntry.where { $0.kind > kind }), above, "\(place)")
        let upTo = try context.fetch(LedgerEntry.all).filter { $0.kind.map { $0 <= kind } ?? false }
        expectEqual(
          try context.fetch(LedgerEntry.where { $0.kind <= kind }), upTo, "\(place)")
      }
    }
  }

  @Test func `begin and end with the least and the greatest case of an enum`() throws {
    try withLedgers(fill) { context, place in
      let kinds = try context.fetch(LedgerEntry.all).compactMap(\.kind)
      expectEqual(try context.minimum(LedgerEntry.all, of: \.kind), kinds.min(), "\(place)")
      expectEqual(try context.maximum(LedgerEntry.all, of: \.kind), kinds.max(), "\(place)")
      let greatest = try context.fetch(LedgerAccount.all.select { $0.entries.max(\.kind) })
      let accounts = try context.fetch(LedgerAccount.all)
      expectEqual(greatest, accounts.map { $0.entries.compactMap(\.kind).max() }, "\(place)")
    }
  }

  @Test func `of a computed property that is no path are refused`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      #expect {
        try context.fetch(LedgerEntry.all.sorted(by: \.ownerOrNobody))
      } throws: {
        if case QueryError.unknownProperty("LedgerEntry", _) = $0 { true } else { false }
      }
      #expect {
        try context.fetch(LedgerEntry.all.sorted(by: \.ownerIfAny))
      } throws: {
        if case QueryError.unknownProperty("LedgerEntry", _) = $0 { true } else { false }
      }
      _ = try context.fetch(LedgerEntry.all.sorted(by: \.ownerOfAccount))
    }
  }

  @Test func `of groups are those of their aggregates`() throws {
    try withLedgers(fill) { context, place in
      let groups = LedgerEntry.all.select { ($0.account.owner, $0.amount.sum()) }
        .grouped { $0.account.owner }
        .sorted(by: { $0.amount.sum() }, order: .reverse).sorted(by: { $0.account.owner })
      let rows = try context.fetch(groups)
      let all = Dictionary(grouping: try context.fetch(LedgerEntry.all)) { $0.account?.owner }
      expectEqual(rows.count, all.count, "\(place)")
      for (one, two) in zip(rows, rows.dropFirst()) {
        #expect(one.1 > two.1 || one.1 == two.1 && (one.0 ?? "") <= (two.0 ?? ""), "\(place)")
      }
      for (owner, sum) in rows {
        expectEqual(sum, all[owner]?.reduce(0) { $0 + ($1.amount ?? 0) }, "\(place)")
      }
      let first = try context.fetch(groups.limit(1))
      expectEqual(first.map(\.0), rows.prefix(1).map(\.0), "\(place)")
    }
  }
}

extension LedgerEntry {
  fileprivate var ownerOrNobody: String { account?.owner ?? "nobody" }
  fileprivate var ownerIfAny: String? { account?.owner ?? "nobody" }
  fileprivate var ownerOfAccount: String? { account?.owner }
}
