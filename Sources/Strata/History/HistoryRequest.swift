// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataStore

/// The transactions of a store's history to fetch. Core Data:
/// `NSPersistentHistoryChangeRequest`.
///
/// All conditions that are set must hold. A request without conditions is for all transactions that
/// are kept.
public struct HistoryRequest: Sendable {
  /// The transactions after this one; nil for those from the oldest on.
  public var token: HistoryToken?
  /// The transactions of this date or later, by the clock of the process that committed each; nil
  /// for any date. The order of transactions does not depend on their dates.
  public var earliestDate: Date?
  /// The transactions with one of these authors; nil for any, and for those without an author.
  public var authors: Set<String>?
  /// Changes of objects of these entities and of those that inherit from them, and transactions
  /// that have such changes; nil for all.
  public var entities: [any Entity.Type]?
  /// The number of transactions, at most; nil for all.
  public var limit: Int?

  /// - Parameters:
  ///   - token: the transactions after this one; nil for those from the oldest on.
  ///   - earliestDate: the transactions of this date or later; nil for any.
  ///   - authors: the transactions with one of these authors; nil for any.
  ///   - entities: the changes of objects of these entities; nil for all.
  ///   - limit: the number of transactions, at most; nil for all.
  public init(
    after token: HistoryToken? = nil, since earliestDate: Date? = nil,
    authors: Set<String>? = nil, entities: [any Entity.Type]? = nil, limit: Int? = nil
  ) {
    self.token = token
    self.earliestDate = earliestDate
    self.authors = authors
    self.entities = entities
    self.limit = limit
  }
}
