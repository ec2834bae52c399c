// SPDX-License-Identifier: Apache-2.0

/// `left != right`, always the opposite of `left == right`. It has its own node, so that
/// `ANY cities.name != "Bam"` means a city with another name.
struct Inequality: OperatorNode {
  var left: any OperandNode
  let right: any OperandNode
  var options: TextOptions = []

  var extent: TreeExtent { left.extent.beside(right.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    Not(try Comparison(left, .equal, right, options).resolved(by: resolver))
  }
}
