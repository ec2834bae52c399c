// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A test of whole texts: what the bytes of a record cannot tell.
struct TextTest: SlotTest {
  let name: String
  /// Every text that the test holds of begins with it.
  private let prefix: String
  private let holds: @Sendable (String) -> Bool

  init(_ name: String, prefix: String = "", _ holds: @escaping @Sendable (String) -> Bool) {
    self.name = name
    self.prefix = prefix
    self.holds = holds
  }

  func isTrue(of slot: RecordSlot) -> Bool { String(slot).map(holds) ?? false }

  func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return holds(text)
  }

  /// The entries that begin with the prefix.
  func range(in kind: SlotKind) -> IndexRange? {
    prefix.isEmpty ? nil : .beginning(with: prefix, in: kind)
  }
}
