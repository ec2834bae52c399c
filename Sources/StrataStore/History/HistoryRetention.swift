// SPDX-License-Identifier: Apache-2.0

/// How long a store keeps the transactions of its history. A transaction goes as soon as one of the
/// limits lets it go; the oldest go first.
///
/// Each commit deletes a few transactions more than it adds, so a smaller limit takes effect over
/// the next commits. When there are too many bytes, a sixteenth of the limit is freed, at most
/// 64 KiB, so that not every commit has to delete. The transactions of the last commit always stay.
public struct HistoryRetention: Sendable, Hashable {
  /// The age after which a transaction goes, by the clock of the process that commits, in whole
  /// seconds; nil for any age. Values below 0 count as 0.
  public var maximumAge: Duration?
  /// The bytes above which the oldest transactions go, without the unused ends of pages; nil for
  /// any number. Values below 0 count as 0.
  public var maximumByteCount: Int?
  /// Whether a transaction goes with the next commits after all consumers of the history have
  /// passed it. It has no effect while there is no consumer.
  ///
  /// Slow consumers keep nothing beyond the two limits: a consumer that falls behind them gets
  /// `StoreError.historyTooOld`.
  public var endsWhenConsumed: Bool

  /// A week and 256 MiB at most, unless other limits are given.
  public init(
    maximumAge: Duration? = .seconds(7 * 24 * 3_600), maximumByteCount: Int? = 256 << 20,
    endsWhenConsumed: Bool = false
  ) {
    self.maximumAge = maximumAge
    self.maximumByteCount = maximumByteCount
    self.endsWhenConsumed = endsWhenConsumed
  }
}
