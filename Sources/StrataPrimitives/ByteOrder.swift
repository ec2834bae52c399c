// SPDX-License-Identifier: Apache-2.0

// The order of keys, in LMDB's trees and everywhere else: bytewise, a key before those that it
// begins.

extension UnsafeRawBufferPointer {
  /// Negative if these bytes come before `other`, 0 if they are the same, positive if they come
  /// after.
  @inlinable @inline(__always)
  package func order(to other: UnsafeRawBufferPointer) -> Int {
    let shared = Swift.min(count, other.count)
    guard shared > 0, let left = baseAddress, let right = other.baseAddress else {
      return count - other.count
    }
    let order = Int(memcmp(left, right, shared))
    return order == 0 ? count - other.count : order
  }

  /// Whether these bytes come before `bound`.
  @inlinable @inline(__always)
  package func isBelow(_ bound: UnsafeRawBufferPointer) -> Bool { order(to: bound) < 0 }

  @inlinable @inline(__always)
  package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && order(to: other) == 0
  }
}
