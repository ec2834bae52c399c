// SPDX-License-Identifier: Apache-2.0

/// How often and how long threads have waited for a lock, since it was made.
package struct LockWaits: Sendable, Hashable {
  /// How many times a thread found the lock taken.
  package var count: Int
  /// How long they waited, all together.
  package var total: Duration
  /// How long the longest of them waited.
  package var longest: Duration

  package init(count: Int = 0, total: Duration = .zero, longest: Duration = .zero) {
    self.count = count
    self.total = total
    self.longest = longest
  }

  /// The waits for two locks together.
  package static func + (left: LockWaits, right: LockWaits) -> LockWaits {
    LockWaits(
      count: left.count + right.count, total: left.total + right.total,
      longest: max(left.longest, right.longest))
  }
}
