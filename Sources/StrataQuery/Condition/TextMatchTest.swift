// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Whether a text begins with, ends with or contains another, as the methods of `String`. Whole
/// characters are compared, so "e" is not a prefix of "é".
struct TextMatchTest: SlotTest {
  let part: TextPart
  let text: TextBytes

  func isTrue(of slot: _RecordSlot) -> Bool {
    guard let other = slot.bytes(.string) else { return false }
    guard text.isBytewise, TextBytes.isSimple(other) else {
      return part.isFound(text.string, in: String(decoding: other, as: UTF8.self))
    }
    switch part {
    case .prefix: return text.isFound(in: other, at: 0)
    case .suffix: return text.isFound(in: other, at: other.count - text.bytes.count)
    case .infix:
      guard let first = text.bytes.first else { return true }
      let last = other.count - text.bytes.count
      guard last >= 0 else { return false }
      return (0...last).contains { other[$0] == first && text.isFound(in: other, at: $0) }
    }
  }

  func isTrue(of value: PropertyValue) -> Bool {
    guard case .string(let other) = value else { return false }
    return part.isFound(text.string, in: other)
  }

  func range(in kind: SlotKind) -> IndexRange? {
    guard part == .prefix else { return nil }
    var range = IndexRange.beginning(with: text.string, in: kind)
    let prefix = text.string.utf8
    if !prefix.isEmpty, prefix.count < KeyEncoder.valueByteCountMax,
      prefix.allSatisfy(\.isPrintable)
    {
      range.certainty = .ending(afterByteCount: prefix.count)
    }
    return range
  }

  var name: String { part.rawValue }
}
