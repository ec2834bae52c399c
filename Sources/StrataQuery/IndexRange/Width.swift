// SPDX-License-Identifier: Apache-2.0

/// How many keys there are, as a guess from the request alone; the fewest first.
enum Width: UInt8, Sendable, Comparable {
  /// As many keys as the predicate names.
  case named
  /// One key at most.
  case one
  case point
  case prefix
  case between
  case open
  /// All but some values.
  case most
  /// All of what is left of an index.
  case whole
  /// Those at the other end of a relationship.
  case hop
  /// Those of several sources.
  case union

  static func < (left: Width, right: Width) -> Bool { left.rawValue < right.rawValue }

  /// How plans name what bounds a part of an index.
  var name: String {
    switch self {
    case .point: "values"
    case .prefix: "prefix"
    case .between: "range"
    case .open: "open range"
    default: "most"
    }
  }
}
