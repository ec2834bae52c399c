// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The entries of an index over one slot that can belong to objects that satisfy a condition, and
/// the certainty that they do.
///
/// Ranges have union, intersection and complement, so that "and" and "or" of conditions on one
/// property become fewer or more key ranges of the same index.
///
/// ## Invariants
/// - I1 The ranges ascend, neither overlap nor touch, and none is empty.
package struct IndexRange: Sendable {
  /// The known limits of the values, from which the planner estimates the number of entries.
  struct Bounds: OptionSet, Sendable {
    let rawValue: UInt8

    static let below = Bounds(rawValue: 1)
    static let above = Bounds(rawValue: 2)
    static let prefix: Bounds = [Bounds(rawValue: 4), .below, .above]
    static let point: Bounds = [Bounds(rawValue: 8), .prefix]
  }

  package private(set) var keyRanges: [KeyRange]
  var bounds: Bounds
  var certainty: Certainty
  /// The keys of the values, if the range consists of single uncut values, in any order; nil for
  /// other ranges. A compound index needs them, because its next part begins where the value's key
  /// ends.
  var points: [[UInt8]]?

  /// - Parameter keyRanges: the key ranges, in any order.
  init(
    _ keyRanges: [KeyRange], _ bounds: Bounds, _ certainty: Certainty = .all,
    points: [[UInt8]]? = nil
  ) {
    self.keyRanges = Self.joined(keyRanges)
    self.bounds = bounds
    self.certainty = certainty
    self.points = points
  }

  package init(_ keyRanges: [KeyRange]) { self.init(keyRanges, []) }

  /// The range of a condition that no value satisfies.
  static let none = IndexRange([], .point, points: [])

  /// Returns the entries of objects with a present slot.
  static func present(_ kind: SlotKind) -> IndexRange {
    let lower = KeyRange.successor(ofPrefix: KeyEncoder.absentKey(kind))
    return IndexRange(lower.map { [KeyRange(lower: $0)] } ?? [])
  }

  /// Returns the entries of a text index that may begin with `prefix`.
  static func beginning(with prefix: String, in kind: SlotKind) -> IndexRange {
    if prefix.isEmpty { return present(kind) }
    var key: [UInt8] = []
    KeyEncoder.appendPrefix(prefix, to: &key)
    // The range is not exact: the prefix may end inside of a character of the text.
    return IndexRange([KeyRange(prefix: key)], .prefix, .none)
  }

  package var isEmpty: Bool { keyRanges.isEmpty }

  /// An estimate of the part of the index in the range.
  var width: Width {
    if bounds.contains(.point) { return .point }
    if bounds.contains(.prefix) { return .prefix }
    if bounds.isEmpty { return .most }
    return bounds.isSuperset(of: [.below, .above]) ? .between : .open
  }

  // MARK: - Algebra

  /// Returns the entries that are in at least one of the parts, of which there is at least one.
  /// O(ranges · log ranges), for any number of parts.
  package static func union(_ parts: [IndexRange]) -> IndexRange {
    if parts.count == 1 { return parts[0] }
    var keyRanges: [KeyRange] = []
    var bounds = Bounds.point
    var certainty = Certainty.all
    var points: Set<[UInt8]>? = []
    for part in parts {
      keyRanges += part.keyRanges
      bounds.formIntersection(part.bounds)
      certainty = certainty.and(part.certainty)
      if let keys = part.points { points?.formUnion(keys) } else { points = nil }
    }
    return IndexRange(
      keyRanges, bounds, certainty, points: points.map { $0.sorted { $0.isBelow($1) } })
  }

  /// Returns the entries that are in all parts, of which there is at least one.
  /// O(ranges · log parts): the parts are joined in pairs, because the intersection of some parts
  /// can have as many ranges as all of them together.
  package static func intersection(_ parts: [IndexRange]) -> IndexRange {
    parts.joinedInPairs { $0.intersection($1) }
  }

  /// Returns the entries that are in both ranges. O(ranges), and O(points · log ranges).
  package func intersection(_ other: IndexRange) -> IndexRange {
    var common: [KeyRange] = []
    var (left, right) = (0, 0)
    while left < keyRanges.count, right < other.keyRanges.count {
      let (one, two) = (keyRanges[left], other.keyRanges[right])
      let lower = one.lower.isBelow(two.lower) ? two.lower : one.lower
      let endsFirst = one.ends(before: two)
      common.append(KeyRange(lower: lower, upper: endsFirst ? one.upper : two.upper))
      if endsFirst { left += 1 } else { right += 1 }
    }
    return IndexRange(
      common, bounds.union(other.bounds), certainty.and(other.certainty),
      points: points?.filter(other.contains) ?? other.points?.filter(contains))
  }

  /// All other entries of the index. O(ranges).
  var complement: IndexRange {
    var gaps: [KeyRange] = []
    var lower: [UInt8]? = []
    for range in keyRanges {
      if let lower { gaps.append(KeyRange(lower: lower, upper: range.lower)) }
      lower = range.upper
    }
    if let lower { gaps.append(KeyRange(lower: lower)) }
    return IndexRange(gaps)
  }

  /// Returns the range with the entries of objects with an absent slot.
  func addingAbsent(_ kind: SlotKind) -> IndexRange {
    let key = KeyEncoder.absentKey(kind)
    var points = points
    if points?.contains(key) == false { points?.append(key) }
    return IndexRange(keyRanges + [KeyRange(prefix: key)], bounds, certainty, points: points)
  }

  private func contains(_ bytes: [UInt8]) -> Bool {
    // The last range that begins at the bytes or before is the only one that can contain them (I1).
    let next = keyRanges.partitioningIndex { bytes.isBelow($0.lower) }
    guard next > 0 else { return false }
    return keyRanges[next - 1].upper.map { bytes.isBelow($0) } ?? true
  }

  /// Returns the same entries in the form that I1 requires. O(ranges) if they are nearly in
  /// order.
  private static func joined(_ keyRanges: [KeyRange]) -> [KeyRange] {
    if keyRanges.count == 1, !keyRanges[0].isEmpty { return keyRanges }
    var joined: [KeyRange] = []
    for next in keyRanges.sorted(by: { $0.lower.isBelow($1.lower) }) where !next.isEmpty {
      guard let last = joined.last, last.upper.map({ !$0.isBelow(next.lower) }) ?? true else {
        joined.append(next)
        continue
      }
      if last.ends(before: next) { joined[joined.count - 1].upper = next.upper }
    }
    return joined
  }
}

extension KeyRange {
  fileprivate func ends(before other: KeyRange) -> Bool {
    guard let upper else { return false }
    return other.upper.map { upper.isBelow($0) } ?? true
  }
}

extension [UInt8] {
  /// Whether these bytes come before `other` in the order of keys.
  fileprivate func isBelow(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { bytes.isBelow($0) }
    }
  }
}
