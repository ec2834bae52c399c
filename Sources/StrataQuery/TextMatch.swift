// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// `path.hasPrefix(text)`, `hasSuffix` and `contains`.
package struct TextMatch: PredicateNode {
  package enum Part: String, Sendable {
    case prefix
    case suffix
    case infix
  }

  let path: [any AnyKeyPath & Sendable]
  let part: Part
  let text: String

  package init(_ path: [any AnyKeyPath & Sendable], _ part: Part, _ text: String) {
    self.path = path
    self.part = part
    self.text = text
  }

  static func predicate<Root, Leaf>(
    _ path: PropertyPath<Root, Leaf>, _ part: Part, _ text: String
  ) -> FetchPredicate {
    FetchPredicate(TextMatch(path.keyPathSteps, part, text))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let path = try resolver.path(path)
    guard path.kind == .attribute(.string) else { throw path.isUnfit }
    return SlotCondition(path, TextMatchTest(part: part, text: TextBytes(text)))
  }
}

/// Whether text begins with, ends with or contains another, as `String`'s methods of these names
/// have it: by whole characters, so "e" is no prefix of "é".
struct TextMatchTest: SlotTest {
  let part: TextMatch.Part
  let text: TextBytes

  func isTrue(of slot: RecordSlot) -> Bool {
    guard let other = slot.bytes(.string) else { return false }
    guard text.isBytewise, TextBytes.isSimple(other) else {
      return isTrue(of: String(decoding: other, as: UTF8.self))
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

  func isTrue(of value: Value) -> Bool {
    guard case .string(let other) = value else { return false }
    return isTrue(of: other)
  }

  private func isTrue(of other: String) -> Bool {
    switch part {
    case .prefix: other.hasPrefix(text.string)
    case .suffix: other.hasSuffix(text.string)
    case .infix: text.string.isEmpty || other.contains(text.string)
    }
  }

  func stretch(in kind: SlotKind) -> KeyStretch? {
    guard part == .prefix else { return nil }
    if text.bytes.isEmpty {
      return KeyStretch(ranges: .present(kind), bounds: [], isExact: true)
    }
    var key: [UInt8] = []
    KeyEncoder.appendPrefix(text.string, to: &key)
    // Not exact: the prefix's bytes may end within a character of the text.
    return KeyStretch(ranges: KeyRanges(KeyRange(prefix: key)), bounds: .prefix, isExact: false)
  }

  var name: String { part.rawValue }
}
