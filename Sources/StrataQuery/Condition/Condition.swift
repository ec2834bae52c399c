// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// A resolved predicate: what is asked of each object, and what an index can tell about it.
///
/// ## Isolation
/// Sendable and without state, so that a plan can be kept and used from anywhere.
package protocol Condition: Sendable, CustomStringConvertible {
  /// Whether the object satisfies the condition. Only the slots that it is about are decoded.
  ///
  /// - Throws: what the store throws, if the condition goes on to other objects.
  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool

  /// Which entries of an index over one of the object's own slots, if there is one, can be of objects
  /// that satisfy the condition; nil if no such index can tell.
  var range: SlotRange? { get }

  /// Where else objects that satisfy the condition can be found; nil if nowhere. `range` goes before it
  /// where there is an index.
  var lead: Lead? { get }

  /// The conditions that all have to hold for this one to hold; itself alone unless it is an "and".
  var terms: [any Condition] { get }
}

extension Condition {
  package var range: SlotRange? { nil }
  package var lead: Lead? { nil }
  package var terms: [any Condition] { [self] }
}

/// An index range of the values of one slot, whether or not there is an index.
package typealias SlotRange = (slot: Int, range: IndexRange)

/// Where objects that satisfy a condition are found without an index over their own slots.
package enum Lead: Sendable {
  /// They are among these. Ascending.
  case objects([ObjectKey])
  /// They satisfy one of these conditions.
  case anyOf([any Condition])
  /// To-one slots lead from them to objects that satisfy the condition.
  case over(hops: [Int], any Condition)
  /// They have such members.
  case members(ResolvedCollection.Place, any Condition)
}
