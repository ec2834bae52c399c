// SPDX-License-Identifier: Apache-2.0

/// An operator whose left side may be the elements of a collection: `ANY cities.name LIKE "B*"`.
package protocol OperatorNode: PredicateNode {
  var left: any OperandNode { get }

  /// The same operator with another left side.
  func replacingLeft(_ left: any OperandNode) -> any OperatorNode
}
