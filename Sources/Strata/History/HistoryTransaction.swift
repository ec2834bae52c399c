// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataModel
import StrataRecord
public import StrataStore

/// One commit of a store: a save or a batch. Core Data: `NSPersistentHistoryTransaction`.
public struct HistoryTransaction: Sendable {
  /// The point just after this transaction.
  public let token: HistoryToken
  /// The time of the commit, by the clock of the process that made it. The order of transactions
  /// does not depend on it.
  public let date: Date
  /// `transactionAuthor` of the context that saved, or of the batch; nil if it had none.
  public let author: String?
  /// The name of the context that saved or executed the batch; nil if it had none, and for a batch
  /// of the coordinator.
  public let contextName: String?
  /// The changes: inserts, updates, deletes, each kind by entity and in the order in which the
  /// objects were made.
  public let changes: Changes

  /// The changes of objects of an entity and of those that inherit from it; none if the store does
  /// not have the entity.
  ///
  ///     for change in transaction.changes(of: City.self) where change.updates(\City.name) { … }
  public func changes(of type: any Entity.Type) -> Changes {
    let family = Set(changes.schema.entity(for: type)?.family ?? [])
    return Changes(
      stored: changes.stored, schema: changes.schema,
      families: changes.families.map(family.intersection) ?? family)
  }

  /// The changes of a transaction, which are decoded while they are iterated: a transaction of a
  /// million changes takes the memory of a few bytes for each.
  public struct Changes: Sequence, Sendable {
    fileprivate let stored: StoredHistoryChanges
    fileprivate let schema: Schema
    /// Nil for all entities.
    fileprivate let families: Set<EntityNumber>?

    public func makeIterator() -> Iterator { Iterator(stored.makeIterator(), schema, families) }

    public struct Iterator: IteratorProtocol {
      private var stored: StoredHistoryChanges.Iterator
      private let schema: Schema
      private let families: Set<EntityNumber>?

      fileprivate init(
        _ stored: StoredHistoryChanges.Iterator, _ schema: Schema, _ families: Set<EntityNumber>?
      ) {
        self.stored = stored
        self.schema = schema
        self.families = families
      }

      public mutating func next() -> HistoryChange? {
        while let change = stored.next() {
          if let families, !families.contains(change.key.entity) { continue }
          if let change = HistoryChange(change, schema) { return change }
        }
        return nil
      }
    }
  }

  init(_ stored: StoredHistoryTransaction, _ schema: Schema, _ families: Set<EntityNumber>?) {
    token = stored.token
    date = stored.date
    author = stored.author
    contextName = stored.contextName
    changes = Changes(stored: stored.changes, schema: schema, families: families)
  }
}
