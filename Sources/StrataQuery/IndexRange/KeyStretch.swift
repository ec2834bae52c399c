// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Which entries of an index can satisfy a condition on one slot, and how much that says.
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

  /// Which entries in the ranges satisfy the condition for certain, so that no record has to be read.
  package enum Certainty: Sendable, Hashable {
    case all
    /// Those whose text ends after so many bytes, or goes on with a printable ASCII character: that
    /// begins a character of its own, whatever was before. Of others a combining mark may follow.
    case ending(afterByteCount: Int)
    case none
  }

  package var ranges: KeyRanges
  package var bounds: Bounds
  package var certainty: Certainty
  /// The keys of the values, if they are single whole ones: what a compound index needs, whose next
  /// part begins where the value's key ends. In any order; nil for ranges.
  package var points: [[UInt8]]?

  package init(
    ranges: KeyRanges, bounds: Bounds, certainty: Certainty, points: [[UInt8]]? = nil
  ) {
    self.ranges = ranges
    self.bounds = bounds
    self.certainty = certainty
    self.points = points
  }

  /// The whole index.
  static let all = KeyStretch(ranges: .all, bounds: [], certainty: .all)
  /// Nothing satisfies the condition.
  static let none = KeyStretch(ranges: .none, bounds: .point, certainty: .all, points: [])

  /// How much of the index is left to walk, as a guess without statistics; the less the better.
  package enum Width: Sendable {
    case point
    case prefix
    case between
    case open
    /// All but some values.
    case most

    /// How plans name it.
    var name: String {
      switch self {
      case .point: "values"
      case .prefix: "prefix"
      case .between: "range"
      case .open: "open range"
      case .most: "most"
      }
    }
  }

  package var width: Width {
    if bounds.contains(.point) { return .point }
    if bounds.contains(.prefix) { return .prefix }
    if bounds.isEmpty { return .most }
    return bounds.isSuperset(of: [.below, .above]) ? .between : .open
  }

  // MARK: - Algebra

  package func intersection(_ other: KeyStretch) -> KeyStretch {
    KeyStretch(
      ranges: ranges.intersection(other.ranges), bounds: bounds.union(other.bounds),
      certainty: certainty.and(other.certainty),
      points: points?.filter(other.ranges.contains) ?? other.points?.filter(ranges.contains))
  }

  package func union(_ other: KeyStretch) -> KeyStretch {
    var both: [[UInt8]]?
    if let points, let others = other.points {
      both = points + others.filter { !points.contains($0) }
    }
    return KeyStretch(
      ranges: ranges.union(other.ranges), bounds: bounds.intersection(other.bounds),
      certainty: certainty.and(other.certainty), points: both)
  }

  /// The stretch and the entries of objects whose slot is absent.
  func addingAbsent(_ kind: SlotKind) -> KeyStretch {
    var all = self
    all.ranges = ranges.union(.absent(kind))
    let key = KeyRanges.absentKey(kind)
    if points?.contains(key) == false { all.points?.append(key) }
    return all
  }

  /// All other entries; nil if it is not certain which those are.
  var complement: KeyStretch? {
    guard certainty == .all else { return nil }
    return KeyStretch(ranges: ranges.complement, bounds: [], certainty: .all)
  }
}

extension KeyStretch.Certainty {
  /// Of entries that are in two stretches, or in one of two: the bytes are looked at in the same way.
  func and(_ other: KeyStretch.Certainty) -> KeyStretch.Certainty {
    switch (self, other) {
    case (.all, _): other
    case (_, .all): self
    default: self == other ? self : .none
    }
  }

  /// Whether the entry satisfies the condition for certain.
  ///
  /// - Parameter value: the entry without its object.
  func holds(of value: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .all: true
    case .none: false
    case .ending(let count): count < value.count && (value[count] == 1 || value[count].isPrintable)
    }
  }
}

extension UInt8 {
  /// Whether it is a printable character of ASCII, which stands for itself.
  var isPrintable: Bool { (0x20...0x7E).contains(self) }
}

/// A `KeyStretch` of the values of one slot, whether or not an index is over it.
package struct SlotStretch: Sendable {
  package let slot: Int
  package var keys: KeyStretch
}

extension KeyStretch {
  /// The entries of an index over texts that may begin with `prefix`.
  static func beginning(with prefix: String, in kind: SlotKind) -> KeyStretch {
    if prefix.isEmpty {
      return KeyStretch(ranges: .present(kind), bounds: [], certainty: .all)
    }
    var key: [UInt8] = []
    KeyEncoder.appendPrefix(prefix, to: &key)
    // Not exact: the prefix's bytes may end within a character of the text.
    return KeyStretch(ranges: KeyRanges(KeyRange(prefix: key)), bounds: .prefix, certainty: .none)
  }
}
