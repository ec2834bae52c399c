// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `left ?? right`: the left value, or the right one if the left one is nil.
struct CoalescingNode: OperandNode {
  private let left: any OperandNode
  private let right: any OperandNode
  let extent: TreeExtent

  init(left: any OperandNode, right: any OperandNode) {
    self.left = left
    self.right = right
    extent = left.extent.beside(right.extent).enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let (left, right) = (try left.resolved(by: resolver), try right.resolved(by: resolver))
    if let kind = right.kind { try left.requireKind(kind) }
    return Calculation(left.kind ?? right.kind, "(\(left) ?? \(right))") { row, reader in
      let value = try left.value(of: row, reader)
      return value == .null ? try right.value(of: row, reader) : value
    }
  }
}
