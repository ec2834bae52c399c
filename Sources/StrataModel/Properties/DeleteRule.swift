// SPDX-License-Identifier: Apache-2.0

/// The effect of deleting an object on the other ends of a relationship. Core Data: `NSDeleteRule`,
/// with the same meaning case by case. No store contains it: a program may change its rules.
public enum DeleteRule: UInt8, Sendable, Hashable, Codable {
  /// The others stay and lose their link to the deleted object. The default.
  case nullify = 1
  /// The others are deleted too, by their own delete rules.
  case cascade = 2
  /// The deletion is refused at save while others are linked.
  case deny = 3
  /// The others stay as they are: their to-one links end at a deleted object, and the caller must
  /// see to them. While the deletion is pending such a link reads nil. Links of relationships that
  /// are to-many on both sides go with the object.
  case noAction = 4
}
