// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Whether a value is nil.
package struct NilTest: SlotTest {
  package func isTrue(of slot: _RecordSlot) -> Bool { false }

  package func isTrue(of value: PropertyValue) -> Bool { value == .null }

  /// No entries. The caller adds the entries of absent slots if they read as nil.
  package func range(in kind: SlotKind) -> IndexRange? { IndexRange.none }

  package var name: String { "== nil" }
}
