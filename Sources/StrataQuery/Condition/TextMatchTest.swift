// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Whether a text begins with, ends with or contains another, as the methods of `String`.
struct TextMatchTest: SlotTest {
  let part: TextPart
  let text: TextBytes

  func isTrue(of slot: _RecordSlot) -> Bool {
    slot.bytes(.string).map { text.isFound(at: part, of: $0) } ?? false
  }

  func isTrue(of value: PropertyValue) -> Bool {
    guard case .string(let other) = value else { return false }
    return text.isFound(at: part, of: other)
  }

  func range(in kind: SlotKind) -> IndexRange? {
    guard part == .prefix, text.options.isEmpty else { return nil }
    var range = IndexRange.beginning(with: text.string, in: kind)
    let prefix = text.string.utf8
    if !prefix.isEmpty, prefix.count < KeyEncoder.valueByteCountMax,
      prefix.allSatisfy(\.isPrintable)
    {
      range.certainty = .ending(afterByteCount: prefix.count)
    }
    return range
  }

  func with(_ constant: PropertyValue) -> TextMatchTest? {
    guard case .string(let text) = constant else { return nil }
    return TextMatchTest(part: part, text: TextBytes(text, self.text.options))
  }

  var name: String { "\(part.rawValue)\(text.options)" }
}
