// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// A range of an index, as bytes of entries (value bytes, then object key).
package struct KeyRange: Sendable, Hashable {
  /// The first entry is at or above this.
  package var lower: [UInt8]
  /// Every entry is below this; nil for no bound.
  package var upper: [UInt8]?

  package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// The entries that begin with `prefix`.
  package init(prefix: [UInt8]) {
    lower = prefix
    upper = KeyRange.successor(ofPrefix: prefix)
  }

  /// The entries of an index over a to-one slot that lead to an object.
  package init(leadingTo target: ObjectKey) {
    var prefix: [UInt8] = []
    KeyEncoder.append(objectKey: target, to: &prefix)
    self.init(prefix: prefix)
  }

  /// Whether no entry can be in the range.
  package var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

  /// The entries that are in both ranges.
  package func intersection(_ other: KeyRange) -> KeyRange {
    let lower = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
    guard let upper, let otherUpper = other.upper else {
      return KeyRange(lower: lower, upper: upper ?? other.upper)
    }
    return KeyRange(
      lower: lower, upper: upper.lexicographicallyPrecedes(otherUpper) ? upper : otherUpper)
  }

  /// The least bytes above everything that begins with `prefix`; nil if there are none.
  package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 < .max }) else { return nil }
    var bound = Array(prefix[...last])
    bound[last] += 1
    return bound
  }
}
