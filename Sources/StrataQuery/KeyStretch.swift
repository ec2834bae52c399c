// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Which entries of an index can satisfy a condition, and how much that says.
package struct KeyStretch: Sendable {
  /// What is known of the values, from which the planner guesses how few they are.
  package struct Bounds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    static let below = Bounds(rawValue: 1)
    static let above = Bounds(rawValue: 2)
    static let prefix: Bounds = [Bounds(rawValue: 4), .below, .above]
    static let point: Bounds = [Bounds(rawValue: 8), .prefix]
  }

  package var ranges: KeyRanges
  package var bounds: Bounds
  /// Whether every entry in `ranges` satisfies the condition, so that no record has to be read.
  package var isExact: Bool

  /// The whole index.
  static let all = KeyStretch(ranges: .all, bounds: [], isExact: true)
  /// Nothing satisfies the condition.
  static let none = KeyStretch(ranges: .none, bounds: .point, isExact: true)

  /// How much of the index is left to walk, as a guess without statistics; the less the better.
  package enum Width: String, Sendable, Comparable, CaseIterable {
    case point = "values"
    case prefix = "prefix"
    case between = "range"
    case open = "open range"

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package static func < (left: Width, right: Width) -> Bool { left.rank < right.rank }
  }

  package var width: Width {
    if bounds.contains(.point) { return .point }
    if bounds.contains(.prefix) { return .prefix }
    return bounds.isSuperset(of: [.below, .above]) ? .between : .open
  }

  package func intersection(_ other: KeyStretch) -> KeyStretch {
    KeyStretch(
      ranges: ranges.intersection(other.ranges), bounds: bounds.union(other.bounds),
      isExact: isExact && other.isExact)
  }

  package func union(_ other: KeyStretch) -> KeyStretch {
    KeyStretch(
      ranges: ranges.union(other.ranges), bounds: bounds.intersection(other.bounds),
      isExact: isExact && other.isExact)
  }
}

/// A `KeyStretch` of the index over one slot.
package struct IndexStretch: Sendable {
  package let slot: Int
  package var keys: KeyStretch
}
