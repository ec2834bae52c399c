// SPDX-License-Identifier: Apache-2.0
import StrataModel

extension PathResolver {
  /// Resolves an operand that must be a text.
  ///
  /// - Throws: `unfitProperty` for a property of another type, else `mismatchedOperands`.
  func text(_ node: any OperandNode) throws(QueryError) -> any Operand {
    let operand = try node.resolved(by: self)
    try operand.requireKind(.text)
    return operand
  }

  /// Returns a pattern. It must be a constant, so that it is compiled and checked once. The result
  /// is nil for nil, which matches no text.
  func pattern(_ node: any OperandNode) throws(QueryError) -> String? {
    let operand = try node.resolved(by: self)
    guard let constant = operand.constant else {
      throw .mismatchedOperands(left: "a constant pattern", right: operand.description)
    }
    if constant.isNil { return nil }
    guard case .string(let text) = constant.value else {
      throw .mismatchedOperands(left: "a text", right: constant.description)
    }
    return text
  }
}
