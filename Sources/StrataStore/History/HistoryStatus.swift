// SPDX-License-Identifier: Apache-2.0

/// The history that a store keeps: its limits, its size and its consumers.
public struct HistoryStatus: Sendable, Hashable {
  /// How much of the history the store keeps.
  public let retention: HistoryRetention
  /// The oldest token whose later transactions are all there.
  public let oldestToken: HistoryToken
  /// The token of the last transaction.
  public let newestToken: HistoryToken
  /// The bytes of all transactions, without the unused ends of pages.
  public let byteCount: Int
  /// The tokens that consumers have reached, by the consumers' names.
  public let consumers: [String: HistoryToken]

  package init(
    retention: HistoryRetention, oldestToken: HistoryToken, newestToken: HistoryToken,
    byteCount: Int, consumers: [String: HistoryToken]
  ) {
    self.retention = retention
    self.oldestToken = oldestToken
    self.newestToken = newestToken
    self.byteCount = byteCount
    self.consumers = consumers
  }
}
