// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Several operands in braces, `{1, 2, 3}`, or an array among the arguments: what `IN` and `BETWEEN`
/// have on their right.
package struct ListNode: OperandNode {
  let elements: [any OperandNode]

  package init(_ elements: [any OperandNode]) { self.elements = elements }

  /// A list is no value.
  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    throw .mismatchedOperands(left: "one value", right: "a list")
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    ListNode(elements.map { $0.substituting(values) })
  }

  /// The elements, if all of them are constants.
  var constants: [Value]? {
    var constants: [Value] = []
    for element in elements {
      guard let constant = element as? Constant else { return nil }
      constants.append(constant.value)
    }
    return constants
  }
}
