// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Random requests for rows, answered twice: by the engine, and by plain Swift over the objects of the
/// same context.
@Suite struct `Rows compared with plain Swift over objects` {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `are the same in a stack of contexts`(seed: UInt64) throws {
    let container = try ledger()
    let middle = ContextQueue(parent: container.root)
    let worker = ContextQueue(parent: middle)
    for (level, queue) in [container.root, container.root, middle, worker].enumerated() {
      try queue.performAndWait { context in
        var random = SeededGenerator(seed: seed &* 10 &+ UInt64(level))
        try change(context, &random)
        if level == 0 { try context.save() }
      }
    }
    try worker.performAndWait { context in
      var random = SeededGenerator(seed: seed &* 1_000)
      for number in 0..<60 {
        if number.isMultiple(of: 20) { try change(context, &random) }
        try compare(in: context, &random, "seed \(seed), request \(number)")
      }
    }
  }

  /// Inserts, changes and deletes at random.
  private func change(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<3 { context.account(["Ada", "Bob", "Cyd"].randomElement(using: &random) ?? "") }
    let accounts = try context.fetch(LedgerAccount.all)
    for entry in try context.fetch(LedgerEntry.all) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: context.delete(entry)
      case 1: fill(entry, accounts, &random)
      default: break
      }
    }
    for _ in 0..<20 {
      let isCorrection = Int.random(in: 0..<4, using: &random) == 0
      fill(
        isCorrection ? LedgerCorrection(in: context) : LedgerEntry(in: context), accounts, &random)
    }
    if let account = accounts.randomElement(using: &random), accounts.count > 4 {
      context.delete(account)
    }
  }

  private func fill(
    _ entry: LedgerEntry, _ accounts: [LedgerAccount], _ random: inout SeededGenerator
  ) {
    entry.label = ["a", "b", "é", "e\u{301}", ""].randomElement(using: &random) ?? ""
    entry.amount =
      Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: -3...9, using: &random)
    entry.weight = [0, -0.0, 0.5, 2, -1.5].randomElement(using: &random) ?? 0
    entry.price = Decimal(Int.random(in: -2...5, using: &random)) / 2
    entry.small = .random(in: -2...2, using: &random)
    entry.kind = ([nil] + LedgerKind.allCases).randomElement(using: &random) ?? nil
    entry.account = Bool.random(using: &random) ? accounts.randomElement(using: &random) : nil
  }

  // MARK: - One request

  private func compare(
    in context: ManagedObjectContext, _ random: inout SeededGenerator, _ text: String
  ) throws {
    var objects = FetchRequest<LedgerEntry>()
    if Bool.random(using: &random) {
      let least = Int.random(in: -3...5, using: &random)
      objects = LedgerEntry.where { $0.amount >= least || $0.kind == .fee }
    }
    if Int.random(in: 0..<5, using: &random) == 0 { objects = objects.excludingSubentities() }
    var window = objects
    if Bool.random(using: &random) { window = window.offset(.random(in: 0...5, using: &random)) }
    if Bool.random(using: &random) { window = window.limit(.random(in: 0...9, using: &random)) }
    let isDescending = Bool.random(using: &random)
    let byAmount = window.sorted(by: \.amount, isDescending ? .descending : .ascending)
    let byLabel = window.sorted(by: \.label, isDescending ? .descending : .ascending)
    let all = try context.fetch(objects)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try compareColumns(Bool.random(using: &random) ? byAmount : byLabel, context, text)
    case 1: try compareAggregates(Bool.random(using: &random) ? byAmount : window, context, text)
    case 2: try compareDistinct(byLabel, try context.fetch(sameOrder(byLabel)), context, text)
    case 3:
      let least = Int.random(in: 0...12, using: &random)
      try compareGroups(byLabel, all, isDescending: isDescending, least, context, text)
    default: try compareAccounts(window, all, context, text)
    }
  }

  /// The request without its window.
  private func sameOrder(_ request: FetchRequest<LedgerEntry>) -> FetchRequest<LedgerEntry> {
    var whole = request
    (whole.fetchLimit, whole.fetchOffset) = (nil, 0)
    return whole
  }

  private func cut<T>(_ rows: [T], _ request: FetchRequest<LedgerEntry>) -> [T] {
    Array(rows.dropFirst(request.fetchOffset).prefix(request.fetchLimit ?? .max))
  }

  private func compareColumns(
    _ request: FetchRequest<LedgerEntry>, _ context: ManagedObjectContext, _ text: String
  ) throws {
    let rows = try context.fetch(
      request.select { ($0.label, $0.amount, $0.kind, $0.account.owner.orNil, $0.small * 2) })
    let expected = try context.fetch(request).map {
      ($0.label, $0.amount, $0.kind, $0.account?.owner, $0.small * 2)
    }
    #expect(rows.map { "\($0)" } == expected.map { "\($0)" }, "\(text)")
  }

  private func compareAggregates(
    _ request: FetchRequest<LedgerEntry>, _ context: ManagedObjectContext, _ text: String
  ) throws {
    let entries = try context.fetch(request)
    let amounts = entries.compactMap(\.amount)
    #expect(try context.sum(of: \.amount, for: request) == amounts.reduce(0, +), "\(text)")
    #expect(
      try context.sum(of: \.weight, for: request) == entries.reduce(0) { $0 + $1.weight }, "\(text)"
    )
    #expect(
      try context.sum(of: \.price, for: request) == entries.reduce(0) { $0 + $1.price }, "\(text)")
    #expect(try context.minimum(of: \.amount, for: request) == amounts.min(), "\(text)")
    #expect(try context.maximum(of: \.amount, for: request) == amounts.max(), "\(text)")
    #expect(
      try context.minimum(of: \.weight, for: request) == entries.map(\.weight).min(), "\(text)")
    let average = amounts.isEmpty ? nil : Double(amounts.reduce(0, +)) / Double(amounts.count)
    #expect(try context.average(of: \.amount, for: request) == average, "\(text)")
    #expect(try context.count(distinct: \.amount, for: request) == Set(amounts).count, "\(text)")
    #expect(
      try context.count(distinct: \.label, for: request) == Set(entries.map(\.label)).count,
      "\(text)")
  }

  private func compareDistinct(
    _ request: FetchRequest<LedgerEntry>, _ entries: [LedgerEntry],
    _ context: ManagedObjectContext, _ text: String
  ) throws {
    struct Key: Hashable {
      let label: String
      let small: Int16
    }
    var seen: Set<Key> = []
    let expected = entries.map { Key(label: $0.label, small: $0.small) }
      .filter { seen.insert($0).inserted }
    let rows = try context.fetch(request.select(\.label, \.small).distinct())
      .map { Key(label: $0, small: $1) }
    #expect(rows == cut(expected, request), "\(text)")
  }

  private func compareGroups(
    _ request: FetchRequest<LedgerEntry>, _ entries: [LedgerEntry], isDescending: Bool,
    _ least: Int, _ context: ManagedObjectContext, _ text: String
  ) throws {
    let rows = try context.fetch(
      request.select { ($0.label, $0.rowCount(), $0.amount.sum(), $0.weight.max(), $0.price.sum()) }
        .grouped(by: \.label).having { $0.amount.sum() >= least })
    let expected = Dictionary(grouping: entries, by: \.label)
      .filter { $1.reduce(0) { $0 + ($1.amount ?? 0) } >= least }
      .sorted { isDescending ? $0.key > $1.key : $0.key < $1.key }
    #expect(rows.map(\.0) == cut(expected, request).map(\.key), "\(text)")
    for (row, group) in zip(rows, cut(expected, request).map(\.value)) {
      #expect(row.1 == group.count, "\(text)")
      #expect(row.2 == group.reduce(0) { $0 + ($1.amount ?? 0) }, "\(text)")
      #expect(row.3 == group.map(\.weight).max(), "\(text)")
      #expect(row.4 == group.reduce(0) { $0 + $1.price }, "\(text)")
    }
  }

  /// Groups without an order come in that of their first objects.
  private func compareAccounts(
    _ request: FetchRequest<LedgerEntry>, _ entries: [LedgerEntry],
    _ context: ManagedObjectContext, _ text: String
  ) throws {
    let rows = try context.fetch(
      request.select {
        ($0.account.owner.orNil, $0.kind, $0.amount.rowCount(), $0.small.average(), $0.label.min())
      }.grouped { $0.account.owner }.grouped(by: \.kind))
    struct Key: Hashable {
      let owner: String?
      let kind: LedgerKind?
    }
    var order: [Key] = []
    var groups: [Key: [LedgerEntry]] = [:]
    for entry in entries {
      let key = Key(owner: entry.account?.owner, kind: entry.kind)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(entry)
    }
    let expected = cut(order, request)
    #expect(rows.map { Key(owner: $0.0, kind: $0.1) } == expected, "\(text)")
    for (row, key) in zip(rows, expected) {
      let group = groups[key] ?? []
      #expect(row.2 == group.count { $0.amount != nil }, "\(text)")
      let sum = group.reduce(0) { $0 + Int($1.small) }
      #expect(row.3 == Double(sum) / Double(group.count), "\(text)")
      #expect(row.4 == group.map(\.label).min(), "\(text)")
    }
  }
}
