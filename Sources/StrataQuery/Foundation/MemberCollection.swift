// SPDX-License-Identifier: Apache-2.0

/// The Swift type of a to-many relationship. `#Predicate` has key paths to `count` and `isEmpty` of
/// it, which the type itself can tell from others.
package protocol MemberCollection {
  /// What `keyPath` reads of the relationship; nil if it is nothing that a fetch can answer.
  static func property(at keyPath: AnyKeyPath) -> MemberProperty?
}

/// What can be asked of a to-many relationship as a whole.
package enum MemberProperty: Sendable {
  case count
  case isEmpty
}
