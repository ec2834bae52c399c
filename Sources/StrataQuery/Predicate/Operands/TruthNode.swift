// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The truth of a condition as a value: the left side of `($0.age > 18) == $0.isAdult`.
struct TruthNode: OperandNode {
  private let predicate: any PredicateNode
  let extent: TreeExtent

  init(_ predicate: any PredicateNode) {
    self.predicate = predicate
    extent = predicate.extent.enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let condition = try predicate.resolved(by: resolver)
    return Calculation(.truth, "(\(condition))") { row, reader in
      .bool(try condition.isTrue(of: row, reader))
    }
  }
}
