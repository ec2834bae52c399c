// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Whether the whole text matches a pattern with wildcards. Core Data: LIKE.
package struct WildcardMatch: OperatorNode {
  package let left: any OperandNode
  let pattern: any OperandNode
  let options: TextOptions

  package init(_ left: any OperandNode, _ pattern: any OperandNode, _ options: TextOptions) {
    self.left = left
    self.pattern = pattern
    self.options = options
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode {
    WildcardMatch(left, pattern, options)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    WildcardMatch(left.substituting(values), pattern.substituting(values), options)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let left = try resolver.text(left)
    guard let text = try resolver.pattern(pattern) else { return Verdict(isTrue: false) }
    return left.condition(WildcardTest(pattern: TextPattern(text, options), options: options))
  }
}

struct WildcardTest: SlotTest {
  let pattern: TextPattern
  let options: TextOptions

  func isTrue(of slot: RecordSlot) -> Bool { String(slot).map(pattern.matches) ?? false }

  func isTrue(of value: Value) -> Bool {
    guard case .string(let text) = value else { return false }
    return pattern.matches(text)
  }

  /// The entries that begin as the pattern does.
  func stretch(in kind: SlotKind) -> KeyStretch? {
    guard options.isEmpty, !pattern.prefix.isEmpty else { return nil }
    return .beginning(with: pattern.prefix, in: kind)
  }

  var name: String { "like\(options)" }
}

extension PathResolver {
  /// A pattern, which has to be a constant, so that it is made and checked once; nil for nil, which
  /// nothing matches.
  func pattern(_ node: any OperandNode) throws(QueryError) -> String? {
    let operand = try node.resolved(by: self)
    guard let constant = operand as? Constant else {
      throw .mismatchedOperands(left: "a constant pattern", right: operand.description)
    }
    if constant.value == .null { return nil }
    guard case .string(let text) = constant.value else {
      throw .mismatchedOperands(left: "a text", right: constant.description)
    }
    return text
  }
}
