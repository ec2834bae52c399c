// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Random requests for rows, answered twice: by the engine, and by plain Swift over the objects of
/// the same context, which has two others and the store below it.
private struct Rows: Model {
  var random: ModelRandom
  private let worker: ContextQueue

  init(_ random: ModelRandom) throws {
    self.random = random
    let root = try ledger().root
    let middle = ContextQueue(parent: root)
    worker = ContextQueue(parent: middle)
    try change(root)
    try root.performAndWait { try $0.save() }
    for queue in [root, middle, worker] { try change(queue) }
  }

  static var operations: [ModelOperation<Rows>] {
    [
      ModelOperation("change") { try $0.change($0.worker) },
      ModelOperation("columns", weight: 4) { try $0.compare { try $0.columns() } },
      ModelOperation("aggregates", weight: 4) { try $0.compare { try $0.aggregates() } },
      ModelOperation("distinct", weight: 4) { try $0.compare { try $0.distinct() } },
      ModelOperation("groups", weight: 4) { try $0.compare { try $0.groups() } },
      ModelOperation("accounts", weight: 4) { try $0.compare { try $0.accounts() } },
    ]
  }

  private mutating func change(_ queue: ContextQueue) throws {
    let seed = random.next()
    try queue.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      try Self.change(context, &random)
    }
  }

  /// Inserts, changes and deletes at random.
  private static func change(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    for _ in 0..<3 { context.account(random.pick(["Ada", "Bob", "Cyd"]) ?? "") }
    let accounts = try context.fetch(LedgerAccount.all)
    for entry in try context.fetch(LedgerEntry.all) {
      switch random.below(6) {
      case 0: context.delete(entry)
      case 1: fill(entry, accounts, &random)
      default: break
      }
    }
    for _ in 0..<20 {
      let isCorrection = random.chance(4)
      fill(
        isCorrection ? LedgerCorrection(context: context) : LedgerEntry(context: context), accounts,
        &random)
    }
    if let account = random.pick(accounts), accounts.count > 4 {
      context.delete(account)
    }
  }

  private static func fill(
    _ entry: LedgerEntry, _ accounts: [LedgerAccount], _ random: inout SeededGenerator
  ) {
    entry.label = random.pick(["a", "b", "é", "e\u{301}", ""]) ?? ""
    entry.amount =
      random.chance(4) ? nil : .random(in: -3...9, using: &random)
    entry.weight = random.pick([0, -0.0, 0.5, 2, -1.5]) ?? 0
    entry.price = Decimal(Int.random(in: -2...5, using: &random)) / 2
    entry.small = .random(in: -2...2, using: &random)
    entry.kind = ([nil] + LedgerKind.allCases).randomElement(using: &random) ?? nil
    entry.account = random.chance(2) ? random.pick(accounts) : nil
  }

  private mutating func compare(_ body: @Sendable (Question) throws -> Void) throws {
    let seed = random.next()
    try worker.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      try body(try Question(in: context, &random))
    }
  }
}

/// A request, and the objects that it is about.
private struct Question {
  let context: ManagedObjectContext
  let all: [LedgerEntry]
  let window: FetchRequest<LedgerEntry>
  let byLabel: FetchRequest<LedgerEntry>
  let byAmount: FetchRequest<LedgerEntry>
  let isDescending: Bool
  let isByAmount: Bool
  let least: Int

  init(in context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
    self.context = context
    var window = FetchRequest<LedgerEntry>()
    least = random.below(13)
    if random.chance(2) {
      let least = random.below(9) - 3
      window = LedgerEntry.where { $0.amount >= least || $0.kind == .fee }
    }
    if random.chance(5) { window = window.excludingSubentities() }
    all = try context.fetch(window)
    if random.chance(2) { window = window.offset(random.below(6)) }
    if random.chance(2) { window = window.limit(random.below(10)) }
    isDescending = random.chance(2)
    let order: SortOrder = isDescending ? .reverse : .forward
    self.window = window
    byLabel = window.sorted(by: \.label, order: order)
    byAmount = window.sorted(by: \.amount, order: order)
    isByAmount = random.chance(2)
  }

  /// The rows in the window.
  func cut<T>(_ rows: [T]) -> [T] {
    Array(rows.dropFirst(window.offset).prefix(window.limit ?? .max))
  }

  func columns() throws {
    let request = isByAmount ? byAmount : byLabel
    let rows = try context.fetch(
      request.select { ($0.label, $0.amount, $0.kind, $0.account.owner, $0.small * 2) })
    let expected = try context.fetch(request).map {
      ($0.label, $0.amount, $0.kind, $0.account?.owner, $0.small * 2)
    }
    try expectSame(rows.map { "\($0)" }, expected.map { "\($0)" }, "columns")
  }

  func aggregates() throws {
    let request = isByAmount ? byAmount : window
    let entries = try context.fetch(request)
    let amounts = entries.compactMap(\.amount)
    let average = amounts.isEmpty ? nil : Double(amounts.reduce(0, +)) / Double(amounts.count)
    try expectSame(try context.sum(request, of: \.amount), amounts.reduce(0, +), "sum")
    try expectSame(
      try context.sum(request, of: \.weight), entries.reduce(0) { $0 + $1.weight }, "weight")
    try expectSame(
      try context.sum(request, of: \.price), entries.reduce(0) { $0 + $1.price }, "price")
    try expectSame(try context.minimum(request, of: \.amount), amounts.min(), "minimum")
    try expectSame(try context.maximum(request, of: \.amount), amounts.max(), "maximum")
    try expectSame(
      try context.minimum(request, of: \.weight), entries.map(\.weight).min(), "lightest")
    try expectSame(try context.average(request, of: \.amount), average, "average")
    try expectSame(
      try context.count(request, distinct: \.amount), Set(amounts).count, "amounts")
    try expectSame(
      try context.count(request, distinct: \.label), Set(entries.map(\.label)).count, "labels")
  }

  func distinct() throws {
    struct Key: Hashable {
      let label: String
      let small: Int16
    }
    var whole = byLabel
    (whole.limit, whole.offset) = (nil, 0)
    var seen: Set<Key> = []
    let expected = try context.fetch(whole).map { Key(label: $0.label, small: $0.small) }
      .filter { seen.insert($0).inserted }
    let rows = try context.fetch(byLabel.select(\.label, \.small).distinct())
      .map { Key(label: $0, small: $1) }
    try expectSame(rows, cut(expected), "distinct rows")
  }

  func groups() throws {
    let least = self.least
    let rows = try context.fetch(
      byLabel.select {
        ($0.label, $0.rowCount(), $0.amount.sum(), $0.weight.max(), $0.price.sum())
      }.grouped(by: \.label).having { $0.amount.sum() >= least })
    let expected = cut(
      Dictionary(grouping: all, by: \.label)
        .filter { $1.reduce(0) { $0 + ($1.amount ?? 0) } >= least }
        .sorted { isDescending ? $0.key > $1.key : $0.key < $1.key })
    try expectSame(rows.map(\.0), expected.map(\.key), "groups")
    for (row, group) in zip(rows, expected.map(\.value)) {
      try expectSame(row.1, group.count, "rows of \(row.0)")
      try expectSame(row.2, group.reduce(0) { $0 + ($1.amount ?? 0) }, "amount of \(row.0)")
      try expectSame(row.3, group.map(\.weight).max(), "weight of \(row.0)")
      try expectSame(row.4, group.reduce(0) { $0 + $1.price }, "price of \(row.0)")
    }
  }

  /// Groups without an order come in the order of their first objects.
  func accounts() throws {
    let rows = try context.fetch(
      window.select {
        ($0.account.owner, $0.kind, $0.amount.rowCount(), $0.small.average(), $0.label.min())
      }.grouped { $0.account.owner }.grouped(by: \.kind))
    struct Key: Hashable {
      let owner: String?
      let kind: LedgerKind?
    }
    var order: [Key] = []
    var groups: [Key: [LedgerEntry]] = [:]
    for entry in all {
      let key = Key(owner: entry.account?.owner, kind: entry.kind)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(entry)
    }
    let expected = cut(order)
    try expectSame(rows.map { Key(owner: $0.0, kind: $0.1) }, expected, "accounts and kinds")
    for (row, key) in zip(rows, expected) {
      let group = groups[key] ?? []
      let sum = group.reduce(0) { $0 + Int($1.small) }
      try expectSame(row.2, group.count { $0.amount != nil }, "rows of \(key)")
      try expectSame(row.3, Double(sum) / Double(group.count), "average of \(key)")
      try expectSame(row.4, group.map(\.label).min(), "first label of \(key)")
    }
  }
}

@Suite struct `Rows compared with plain Swift over objects` {
  @Test func `are the same in a stack of contexts`() async {
    let failure = await ModelTest("rows", sequences: 12, steps: 63, make: Rows.init).firstFailure()
    #expect(failure == nil)
  }
}
