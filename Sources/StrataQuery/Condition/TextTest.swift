// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A test of whole texts that cannot be evaluated on the bytes of a record.
struct TextTest: SlotTest {
  let name: String
  /// A common prefix of all texts that satisfy the test.
  var prefix = ""
  let holds: @Sendable (String) -> Bool

  func isTrue(of slot: _RecordSlot) -> Bool { String(slot).map(holds) ?? false }

  func isTrue(of value: PropertyValue) -> Bool {
    guard case .string(let text) = value else { return false }
    return holds(text)
  }

  /// The entries that begin with the prefix.
  func range(in kind: SlotKind) -> IndexRange? {
    prefix.isEmpty ? nil : .beginning(with: prefix, in: kind)
  }
}
