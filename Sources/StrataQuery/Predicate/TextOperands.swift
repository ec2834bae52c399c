// SPDX-License-Identifier: Apache-2.0
import StrataModel

extension PathResolver {
  /// An operand that is a text.
  ///
  /// - Throws: `unfitProperty` for a property of another type, else `mismatchedOperands`.
  func text(_ node: any OperandNode) throws(QueryError) -> any Operand {
    let operand = try node.resolved(by: self)
    try operand.requireKind(.text)
    return operand
  }

  /// A pattern, which has to be a constant, so that it is made and checked once; nil for nil, which
  /// nothing matches.
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
