// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Several operands in braces, `{1, 2, 3}`, or an array among the arguments: what `IN` and `BETWEEN`
/// have on their right.
struct ListNode: OperandNode {
  let elements: [any OperandNode]

  /// A list is no value.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    throw .mismatchedOperands(left: "one value", right: "a list")
  }

  /// The elements, if all of them are constants.
  func constants(_ resolver: PathResolver) -> [Value]? {
    let constants = elements.compactMap { resolver.bound($0).constant?.value }
    return constants.count == elements.count ? constants : nil
  }
}
