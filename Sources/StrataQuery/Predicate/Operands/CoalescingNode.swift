// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `left ?? right`: the left value, or the right one if the left one is nil.
struct CoalescingNode: OperandNode {
  let left: any OperandNode
  let right: any OperandNode

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let (left, right) = (try left.resolved(by: resolver), try right.resolved(by: resolver))
    if let kind = right.kind { try left.requireKind(kind) }
    return Calculation(left.kind ?? right.kind, "(\(left) ?? \(right))") { row, reader in
      let value = try left.value(of: row, reader)
      return value == .null ? try right.value(of: row, reader) : value
    }
  }
}
