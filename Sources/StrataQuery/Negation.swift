// SPDX-License-Identifier: Apache-2.0

/// `!predicate`.
package struct Negation: PredicateNode {
  let operand: any PredicateNode

  package init(_ operand: any PredicateNode) { self.operand = operand }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Negation(operand.substituting(values))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try operand.resolved(by: resolver))
  }
}

/// A condition that does not hold. No index answers it: what it leaves out is rarely most.
package struct Not: Condition {
  package let operand: any Condition

  package init(_ operand: any Condition) { self.operand = operand }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    try !operand.isTrue(of: row, reader)
  }

  package var description: String { "!(\(operand))" }
}
