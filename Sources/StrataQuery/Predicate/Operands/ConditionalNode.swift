// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `test ? yes : no`: one value where a condition holds, another elsewhere.
package struct ConditionalNode: OperandNode {
  let test: any PredicateNode
  let yes: any OperandNode
  let no: any OperandNode

  package init(_ test: any PredicateNode, then yes: any OperandNode, else no: any OperandNode) {
    self.test = test
    self.yes = yes
    self.no = no
  }

  /// The operand, which has no value where one of `guards` does not hold.
  static func guarded(
    _ operand: any OperandNode, by guards: [any PredicateNode]
  ) -> any OperandNode {
    if guards.isEmpty { return operand }
    return ConditionalNode(Conjunction(guards), then: operand, else: Constant(.null))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let operand = ConditionalOperand(
      test: try test.resolved(by: resolver), yes: try yes.resolved(by: resolver),
      no: try no.resolved(by: resolver))
    if let kind = operand.no.kind { try operand.yes.requireKind(kind) }
    return operand
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    ConditionalNode(
      test.substituting(values), then: yes.substituting(values), else: no.substituting(values))
  }
}

struct ConditionalOperand: Operand {
  let test: any Condition
  let yes: any Operand
  let no: any Operand

  var kind: OperandKind? { yes.kind ?? no.kind }

  func value(of row: Row, _ reader: RowReader) throws -> Value {
    try (test.isTrue(of: row, reader) ? yes : no).value(of: row, reader)
  }

  var description: String { "(\(test) ? \(yes) : \(no))" }
}
