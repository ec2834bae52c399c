// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A resolved predicate: a test of each object, and the index ranges that can answer the test.
///
/// ## Isolation
/// Sendable and without state, so that a plan can be kept and used in any isolation.
package protocol Condition: Sendable, CustomStringConvertible {
  /// Whether the object satisfies the condition. Only the slots that the condition uses are
  /// decoded.
  ///
  /// - Throws: errors of the store, if the condition reads other objects.
  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool

  /// Returns the condition as a test of the bytes of records; nil if it needs more than the own
  /// slots of an object.
  ///
  /// - Parameter layout: the layout of the records that are tested.
  func recordTest(in layout: RecordLayout) -> RecordTest?

  /// The entries of an index over one of the object's slots that can belong to objects that satisfy
  /// the condition, whether or not the index exists; nil if no such index can answer the condition.
  var range: SlotRange? { get }

  /// Another source of objects that satisfy the condition; nil if no other source exists. The
  /// planner prefers `range` if the index exists.
  var lead: Lead? { get }

  /// The terms of an `AllOf`; for any other condition, the condition itself.
  var terms: [any Condition] { get }

  /// The value of a condition that is true for all objects, or for none; nil for other conditions.
  var verdict: Bool? { get }

  /// The condition as an equality of a property with constants; nil for other conditions.
  var equality: Equality? { get }

  /// The equality of which this condition is the negation; nil for other conditions.
  var deniedEquality: Equality? { get }
}

extension Condition {
  package func recordTest(in layout: RecordLayout) -> RecordTest? { nil }
  package var range: SlotRange? { nil }
  package var lead: Lead? { nil }
  package var terms: [any Condition] { [self] }
  package var verdict: Bool? { nil }
  package var equality: Equality? { nil }
  package var deniedEquality: Equality? { nil }
}

/// An index range of the values of one slot, whether or not the index exists.
package typealias SlotRange = (slot: Int, range: IndexRange)

/// A source of the objects that satisfy a condition, without an index over their own slots.
package enum Lead: Sendable {
  /// The objects are among these keys, in ascending order.
  case objects([ObjectKey])
  /// The objects satisfy at least one of these conditions.
  case anyOf([any Condition])
  /// The objects have a word in each of these ranges of the index of words over a slot's text, if
  /// there is one.
  case words(slot: Int, WordSource)
  /// The objects at the end of these to-one slots satisfy the condition.
  case over(hops: [Int], any Condition)
  /// The objects have members in this relationship that satisfy the condition.
  case members(ResolvedCollection.Place, any Condition)
}
