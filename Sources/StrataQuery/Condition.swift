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

  /// What of an index can hold objects that satisfy the condition; nil if no index can tell.
  var stretch: IndexStretch? { get }

  /// The conditions that all have to hold for this one to hold; itself alone unless it is an "and".
  var terms: [any Condition] { get }
}

extension Condition {
  package var stretch: IndexStretch? { nil }
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
