// SPDX-License-Identifier: Apache-2.0

/// `left != right`: always what `left == right` is not. A node of its own, so that
/// `ANY cities.name != "Bam"` is about a city with another name.
struct Inequality: OperatorNode {
  var left: any OperandNode
  let right: any OperandNode
  var options: TextOptions = []

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try Comparison(left, .equal, right, options).resolved(by: resolver))
  }
}
