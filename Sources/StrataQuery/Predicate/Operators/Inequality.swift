// SPDX-License-Identifier: Apache-2.0

/// `left != right`: always what `left == right` is not. A node of its own, so that
/// `ANY cities.name != "Bam"` is about a city with another name.
package struct Inequality: OperatorNode {
  package let left: any OperandNode
  let right: any OperandNode
  let options: TextOptions

  package init(_ left: any OperandNode, _ right: any OperandNode, _ options: TextOptions = []) {
    self.left = left
    self.right = right
    self.options = options
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode {
    Inequality(left, right, options)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Inequality(left.substituting(values), right.substituting(values), options)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try Comparison(left, .equal, right, options).resolved(by: resolver))
  }
}
