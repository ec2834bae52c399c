// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Whether there is no value.
package struct NilTest: SlotTest {
  package func isTrue(of slot: RecordSlot) -> Bool { false }

  package func isTrue(of value: Value) -> Bool { value == .null }

  /// Nothing but absent slots, which the caller adds if they read as nil.
  package func range(in kind: SlotKind) -> IndexRange? { IndexRange.none }

  package var name: String { "== nil" }
}
