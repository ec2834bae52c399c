// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import Testing

// The third of the three worlds of these tests: a ledger, for the tests of values that are worked
// out of many objects.

/// Its order is not that of its raw values.
enum LedgerKind: String, AttributeValue, CaseIterable, Comparable {
  case fee, refund, transfer

  private var importance: Int {
    switch self {
    case .refund: 1
    case .transfer: 2
    case .fee: 3
    }
  }

  static func < (left: LedgerKind, right: LedgerKind) -> Bool {
    left.importance < right.importance
  }
}

@Entity final class LedgerAccount: ManagedObject {
  @Attribute(.indexed) var owner: String
  @Relationship(inverse: \LedgerEntry.account) var entries: ToMany<LedgerEntry>
  @Relationship(inverse: \LedgerTag.accounts) var tags: ToMany<LedgerTag>
}

@Entity final class LedgerTag: ManagedObject {
  var name: String
  var accounts: ToMany<LedgerAccount>
}

@Entity class LedgerEntry: ManagedObject {
  @Attribute(.indexed) var label: String
  @Attribute(.indexed) var amount: Int?
  var weight: Double = 0
  var price: Decimal = 0
  var small: Int16 = 0
  var kind: LedgerKind?
  @Attribute(.transient) var note: String?
  var account: LedgerAccount?
}

/// Inherits, so that fetches of entries go through two entities.
@Entity final class LedgerCorrection: LedgerEntry {
  var reason: String?
}

// MARK: - Containers

/// A container in memory with this world's model.
func ledger() throws -> PersistentContainer {
  try PersistentContainer(
    inMemory: ManagedObjectModel(
      LedgerAccount.self, LedgerTag.self, LedgerEntry.self, LedgerCorrection.self))
}

/// A container with `count` saved entries: e0 of amount 0, e1 of amount 1, …
func ledger(entries count: Int) throws -> PersistentContainer {
  let container = try ledger()
  try container.root.performAndWait { context in
    for index in 0..<count { context.entry("e\(index)", index) }
    try context.save()
  }
  return container
}

extension ManagedObjectContext {
  @discardableResult
  func account(_ owner: String) -> LedgerAccount {
    let account = LedgerAccount(context: self)
    account.owner = owner
    return account
  }

  @discardableResult
  func entry(
    _ label: String, _ amount: Int?, kind: LedgerKind? = nil, of account: LedgerAccount? = nil
  ) -> LedgerEntry {
    let entry = LedgerEntry(context: self)
    entry.label = label
    entry.amount = amount
    entry.kind = kind
    entry.account = account
    return entry
  }
}

/// Calls `body` with contexts that see the same ledger, in which accounts and entries are: unsaved
/// in the context itself, one and two levels up, saved, and divided among all of these. `fill` is
/// called with a context and with which share it is to insert, of how many.
func withLedgers(
  _ fill: @Sendable (ManagedObjectContext, _ share: Int, _ count: Int) throws -> Void,
  _ body: @Sendable (ManagedObjectContext, _ place: String) throws -> Void
) throws {
  for (place, levels) in [
    ("saved", [0]), ("two levels up", [1]), ("one level up", [2]), ("here", [3]),
    ("everywhere", [0, 1, 2, 3]),
  ] {
    let container = try ledger()
    let middle = ContextQueue(parent: container.root)
    let worker = ContextQueue(parent: middle)
    for (share, level) in levels.enumerated() {
      let queue = level == 3 ? worker : level == 2 ? middle : container.root
      try queue.performAndWait { context in
        try fill(context, share, levels.count)
        if level == 0 { try context.save() }
      }
    }
    try worker.performAndWait { try body($0, place) }
  }
}

/// Expects a value that is worked out in a closure, where `#expect` cannot see that `try` is
/// handled.
func expectEqual<V: Equatable>(
  _ value: V, _ expected: V, _ text: String = "", at location: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, "\(text)", sourceLocation: location)
}
