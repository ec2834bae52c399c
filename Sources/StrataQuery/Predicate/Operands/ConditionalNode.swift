// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `test ? yes : no`: one value if a condition is true, another value if it is false.
struct ConditionalNode: OperandNode {
  private let test: any PredicateNode
  private let yes: any OperandNode
  private let no: any OperandNode
  let extent: TreeExtent

  init(test: any PredicateNode, yes: any OperandNode, no: any OperandNode) {
    self.test = test
    self.yes = yes
    self.no = no
    extent = test.extent.beside(yes.extent).beside(no.extent).enclosed
  }

  /// Returns an operand that is nil if one of `guards` is false.
  static func guarded(
    _ operand: any OperandNode, by guards: [any PredicateNode]
  ) -> any OperandNode {
    if guards.isEmpty { return operand }
    return ConditionalNode(test: Conjunction(guards), yes: operand, no: Constant(.null))
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let test = try test.resolved(by: resolver)
    let (yes, no) = (try yes.resolved(by: resolver), try no.resolved(by: resolver))
    if let kind = no.kind { try yes.requireKind(kind) }
    return Calculation(yes.kind ?? no.kind, "(\(test) ? \(yes) : \(no))") { row, reader in
      try (test.isTrue(of: row, reader) ? yes : no).value(of: row, reader)
    }
  }
}
