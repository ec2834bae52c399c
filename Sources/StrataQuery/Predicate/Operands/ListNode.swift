// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A list of operands, `{1, 2, 3}` or an array argument: the right side of `IN` and `BETWEEN`.
struct ListNode: OperandNode {
  let elements: [any OperandNode]
  let extent: TreeExtent

  init(_ elements: [any OperandNode]) {
    self.elements = elements
    extent = elements.reduce(TreeExtent.nothing) { $0.beside($1.extent) }.enclosed
  }

  /// Throws, because a list is not a single value.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    throw .mismatchedOperands(left: "one value", right: "a list")
  }

  /// Returns the elements if all of them are constants, else nil.
  func constants(_ resolver: PathResolver) -> [PropertyValue]? {
    let constants = elements.compactMap { resolver.bound($0).constant?.value }
    return constants.count == elements.count ? constants : nil
  }
}
