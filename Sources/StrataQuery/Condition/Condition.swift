// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

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
  var stretch: SlotStretch? { get }

  /// Where else objects that satisfy the condition can be found: by their keys, by several indexes, by
  /// those of other objects; nil if nowhere. `stretch` goes before it where it leads to an index.
  func source(in planner: AccessPlanner) -> RankedSource?

  /// The conditions that all have to hold for this one to hold; itself alone unless it is an "and".
  var terms: [any Condition] { get }
}

extension Condition {
  package var stretch: SlotStretch? { nil }
  package func source(in planner: AccessPlanner) -> RankedSource? { nil }
  package var terms: [any Condition] { [self] }
}

/// One object as a condition sees it: its key and its record's bytes, wherever they lie.
///
/// - Important: it points to bytes that belong to whoever calls the condition, and is valid during
///   that call.
package struct Row {
  package let key: ObjectKey
  package let start: UnsafeRawPointer
  package let layout: RecordLayout

  package init(key: ObjectKey, start: UnsafeRawPointer, layout: RecordLayout) {
    self.key = key
    self.start = start
    self.layout = layout
  }
}

@available(*, unavailable)
extension Row: Sendable {}
