// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
package import StrataRecord

/// A set of stretches of an index: where a condition's objects lie in it.
///
/// It is an algebra, so that "and" and "or" of conditions on one property come down to fewer or more
/// stretches of the same index.
///
/// ## Invariants
/// - I1 The stretches ascend, do not overlap, and none is empty.
package struct KeyRanges: Sendable, Hashable {
  package private(set) var ranges: [KeyRange]

  private init(ascending ranges: [KeyRange]) { self.ranges = ranges }

  package init(_ range: KeyRange) { ranges = Self.isEmpty(range) ? [] : [range] }

  /// The entries that begin with `prefix`.
  init(prefix: [UInt8]) { ranges = [KeyRange(prefix: prefix)] }

  /// The stretches of `ranges`, in any order.
  package init(_ ranges: [KeyRange]) {
    let sorted = ranges.filter { !Self.isEmpty($0) }
      .sorted { $0.lower.isBelow($1.lower) }
    self.init(ascending: [])
    for range in sorted { append(range) }
  }

  package static let none = KeyRanges(ascending: [])
  package static let all = KeyRanges(KeyRange())

  /// The entries of objects whose slot is absent.
  package static func absent(_ kind: SlotKind) -> KeyRanges {
    KeyRanges(KeyRange(prefix: absentKey(kind)))
  }

  /// The entries of objects whose slot is present.
  package static func present(_ kind: SlotKind) -> KeyRanges {
    guard let lower = KeyRange.successor(ofPrefix: absentKey(kind)) else { return .none }
    return KeyRanges(KeyRange(lower: lower))
  }

  static func absentKey(_ kind: SlotKind) -> [UInt8] {
    KeyEncoder.absentKey(kind)
  }

  package var isEmpty: Bool { ranges.isEmpty }

  // MARK: - Algebra

  /// What is in either. O(stretches).
  package func union(_ other: KeyRanges) -> KeyRanges {
    var both = KeyRanges(ascending: [])
    both.ranges.reserveCapacity(ranges.count + other.ranges.count)
    var (left, right) = (ranges[...], other.ranges[...])
    while let one = left.first, let two = right.first {
      both.append(two.lower.isBelow(one.lower) ? right.removeFirst() : left.removeFirst())
    }
    for range in left { both.append(range) }
    for range in right { both.append(range) }
    return both
  }

  /// What is in both. O(stretches).
  package func intersection(_ other: KeyRanges) -> KeyRanges {
    var common: [KeyRange] = []
    var (left, right) = (0, 0)
    while left < ranges.count, right < other.ranges.count {
      let (one, two) = (ranges[left], other.ranges[right])
      let lower = one.lower.isBelow(two.lower) ? two.lower : one.lower
      let endsFirst = Self.ends(one, before: two)
      let range = KeyRange(lower: lower, upper: endsFirst ? one.upper : two.upper)
      if !Self.isEmpty(range) { common.append(range) }
      if endsFirst { left += 1 } else { right += 1 }
    }
    return KeyRanges(ascending: common)
  }

  /// What is not in it. O(stretches).
  package var complement: KeyRanges {
    var gaps: [KeyRange] = []
    var lower: [UInt8]? = []
    for range in ranges {
      if let lower { gaps.append(KeyRange(lower: lower, upper: range.lower)) }
      lower = range.upper
    }
    if let lower { gaps.append(KeyRange(lower: lower)) }
    return KeyRanges(ascending: gaps.filter { !Self.isEmpty($0) })
  }

  /// Whether these bytes are in one of the stretches. O(stretches).
  package func contains(_ bytes: [UInt8]) -> Bool {
    ranges.contains { range in
      !bytes.isBelow(range.lower)
        && (range.upper.map { bytes.isBelow($0) } ?? true)
    }
  }

  /// Adds a stretch whose beginning is not before that of the last.
  private mutating func append(_ range: KeyRange) {
    guard let last = ranges.last, Self.touches(last, range) else { return ranges.append(range) }
    if Self.ends(last, before: range) { ranges[ranges.count - 1].upper = range.upper }
  }

  private static func touches(_ first: KeyRange, _ second: KeyRange) -> Bool {
    guard let end = first.upper else { return true }
    return !end.isBelow(second.lower)
  }

  private static func ends(_ one: KeyRange, before two: KeyRange) -> Bool {
    guard let end = one.upper else { return false }
    guard let other = two.upper else { return true }
    return end.isBelow(other)
  }

  private static func isEmpty(_ range: KeyRange) -> Bool {
    guard let upper = range.upper else { return false }
    return !range.lower.isBelow(upper)
  }
}

extension [UInt8] {
  /// Whether these bytes come before `other` in the order of keys.
  fileprivate func isBelow(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { IndexRun.precedes(bytes, $0) }
    }
  }
}
