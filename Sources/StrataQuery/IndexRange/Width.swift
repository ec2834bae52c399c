// SPDX-License-Identifier: Apache-2.0

/// An estimate of the number of keys, made only from the request, in ascending order.
enum Width: UInt8, Sendable, Comparable {
  /// The number of keys that the predicate names.
  case named
  /// At most one key.
  case one
  case point
  case prefix
  case between
  case open
  /// All but some values.
  case most
  /// The whole rest of an index.
  case whole
  /// The objects at the other end of a relationship.
  case hop
  /// The objects of several sources.
  case union

  static func < (left: Width, right: Width) -> Bool { left.rawValue < right.rawValue }

  /// The name of the limit of an index part in plans.
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
