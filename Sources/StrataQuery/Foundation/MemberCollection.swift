// SPDX-License-Identifier: Apache-2.0

/// The Swift type of a to-many relationship. `#Predicate` uses key paths to its `count` and
/// `isEmpty`, and only the type itself can recognize them.
package protocol MemberCollection {
  /// Returns the property that `keyPath` reads of the relationship; nil if a fetch cannot evaluate
  /// it.
  static func property(at keyPath: AnyKeyPath) -> MemberProperty?
}

/// A property of a to-many relationship as a whole.
package enum MemberProperty: Sendable {
  case count
  case isEmpty
}
