// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataModel

/// A point in a store's history: just after one transaction. Core Data:
/// `NSPersistentHistoryToken`.
///
/// A program keeps the token of the last transaction that it has dealt with, and later fetches the
/// transactions after it. Tokens are made of the order of transactions alone, never of a clock. A
/// token can be encoded and kept anywhere.
///
/// - Important: A backup has the ID of its store. After you restore one, fetch from the oldest
///   token: saves to the restored store get the generations of those that are gone, and an earlier
///   token then passes for one of them.
public struct HistoryToken: Sendable, Hashable, Codable {
  /// The store that the token is of.
  public let storeID: UUID
  /// The generation of the transaction; 0 for the beginning of the store.
  package let generation: UInt64

  package init(storeID: UUID, generation: UInt64) {
    self.storeID = storeID
    self.generation = generation
  }
}
