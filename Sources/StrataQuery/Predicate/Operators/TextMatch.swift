// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// `path.hasPrefix(text)`, `hasSuffix` and `contains`. Core Data: BEGINSWITH, ENDSWITH, CONTAINS.
package struct TextMatch: OperatorNode {
  package enum Part: String, Sendable {
    case prefix
    case suffix
    case infix
  }

  package let left: any OperandNode
  let part: Part
  let right: any OperandNode
  let options: TextOptions

  package init(
    _ left: any OperandNode, _ part: Part, _ right: any OperandNode, _ options: TextOptions = []
  ) {
    self.left = left
    self.part = part
    self.right = right
    self.options = options
  }

  /// Of key paths and a text.
  package init(_ path: [any AnyKeyPath & Sendable], _ part: Part, _ text: String) {
    self.init(PathNode(PathReference(path)), part, Constant(.string(text)))
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode {
    TextMatch(left, part, right, options)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    TextMatch(left.substituting(values), part, right.substituting(values), options)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    // `cities CONTAINS %@`: an object among the members.
    if part == .infix, options.isEmpty, let path = left as? PathNode,
      case .collection = try resolver.end(of: path.path)
    {
      return try QuantifiedOperator(.any, Comparison(path, .equal, right)).resolved(by: resolver)
    }
    let left = try resolver.text(left)
    let right = try right.resolved(by: resolver)
    guard let constant = right as? Constant else {
      try right.requireKind(.text)
      return TextMatchCondition(left: left, part: part, right: right, options: options)
    }
    guard case .string(let text) = constant.value else {
      guard constant.value == .null else { throw left.mismatch(with: constant) }
      return Verdict(isTrue: false)
    }
    if options.isEmpty {
      return left.condition(TextMatchTest(part: part, text: TextBytes(text)))
    }
    return left.condition(FoldedTextMatchTest(part: part, text: text, options: options))
  }
}

extension PathResolver {
  /// An operand that is a text.
  ///
  /// - Throws: `unfitProperty` for a property of another type, else `mismatchedOperands`.
  func text(_ node: any OperandNode) throws(QueryError) -> any Operand {
    let operand = try node.resolved(by: self)
    try operand.requireKind(.text)
    return operand
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

  func isTrue(of value: Value) -> Bool {
    guard case .string(let other) = value else { return false }
    return part.isFound(text.string, in: other)
  }

  func stretch(in kind: SlotKind) -> KeyStretch? {
    guard part == .prefix else { return nil }
    var stretch = KeyStretch.beginning(with: text.string, in: kind)
    let prefix = text.string.utf8
    if !prefix.isEmpty, prefix.count < KeyEncoder.valueByteCountMax,
      prefix.allSatisfy(\.isPrintable)
    {
      stretch.certainty = .ending(afterByteCount: prefix.count)
    }
    return stretch
  }

  var name: String { part.rawValue }
}

extension TextMatch.Part {
  /// Whether `text` is this part of `other`.
  func isFound(_ text: String, in other: String) -> Bool {
    switch self {
    case .prefix: other.hasPrefix(text)
    case .suffix: other.hasSuffix(text)
    case .infix: text.isEmpty || other.contains(text)
    }
  }
}

/// As `TextMatchTest`, of folded texts. No index answers it.
struct FoldedTextMatchTest: SlotTest {
  private let part: TextMatch.Part
  private let text: String
  private let options: TextOptions

  init(part: TextMatch.Part, text: String, options: TextOptions) {
    self.part = part
    self.text = options.folded(text)
    self.options = options
  }

  func isTrue(of slot: RecordSlot) -> Bool {
    String(slot).map { part.isFound(text, in: options.folded($0)) } ?? false
  }

  func isTrue(of value: Value) -> Bool {
    guard case .string(let other) = value else { return false }
    return part.isFound(text, in: options.folded(other))
  }

  func stretch(in kind: SlotKind) -> KeyStretch? { nil }

  var name: String { "\(part.rawValue)\(options)" }
}

/// As these tests, where the text that is looked for is the object's own.
struct TextMatchCondition: Condition {
  let left: any Operand
  let part: TextMatch.Part
  let right: any Operand
  let options: TextOptions

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    guard case .string(let text) = try left.value(of: row, reader),
      case .string(let other) = try right.value(of: row, reader)
    else { return false }
    return part.isFound(options.folded(other), in: options.folded(text))
  }

  var description: String { "\(left) \(part.rawValue)\(options) \(right)" }
}
