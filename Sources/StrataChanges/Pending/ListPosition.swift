// SPDX-License-Identifier: Apache-2.0

/// The numbers that order the members of an ordered relationship: 64 bits, ascending.
package enum ListPosition {
  /// The number of the first member of a list.
  package static let middle: UInt64 = 1 << 63

  /// The distance between neighbours where there is room.
  package static let spacing: UInt64 = 1 << 40

  /// Numbers are below this; a member without a number has it, and comes last.
  package static let unnumbered = UInt64.max
}
