// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The position of an enum's case in the order of the enum's `<`. Stored are raw values, and their
/// order may be another one.
struct RankNode: OperandNode {
  let operand: any OperandNode
  let ranks: _Ranks

  /// Returns an operand with the order of `V`'s `<`: `operand` itself, unless `V` is an enum with
  /// another order than that of its raw values.
  static func ranking<V: AttributeValue>(
    _ operand: any OperandNode, _: V.Type
  ) -> any OperandNode {
    V._ranks.map { RankNode(operand: operand, ranks: $0) } ?? operand
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let operand = try operand.resolved(by: resolver)
    let ranks = ranks
    return Calculation(.number, operand.description) { row, reader in
      ranks.rank(of: try operand.value(of: row, reader)).map { .int(Int64($0)) } ?? .null
    }
  }
}
