// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataModel

/// A point in a store's history: just after one transaction. Core Data:
/// `NSPersistentHistoryToken`.
///
/// A program keeps the token of the last transaction that it has dealt with, and later fetches the
/// transactions after it. A token can be encoded and kept anywhere. Tokens follow the order of
/// commits, whatever the clocks say.
///
/// A token knows its transaction by more than a number. After a backup is restored, the token of a
/// lost commit is refused with `StoreError.foreignHistoryToken`, however many saves the restored
/// store has had since. A token of a commit that the backup has stays valid.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The store that the token is of.
  public let storeID: UUID
  /// The generation of the transaction; 0 for the beginning of the store.
  package let generation: UInt64
  /// The mark of the transaction (`HistoryMark`). Nil in tokens of former releases, and of a store
  /// that keeps no history.
  package let mark: UInt64?

  package init(storeID: UUID, generation: UInt64, mark: UInt64? = nil) {
    self.storeID = storeID
    self.generation = generation
    self.mark = mark
  }
}
