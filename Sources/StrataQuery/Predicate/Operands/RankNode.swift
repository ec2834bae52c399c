// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The position of an enum's case in the order of the enum's `<`. Stored are raw values, and their
/// order may be another one.
struct RankNode: OperandNode {
  private let operand: any OperandNode
  private let ranks: _Ranks
  let extent: TreeExtent

  init(_ operand: any OperandNode, _ ranks: _Ranks) {
    self.operand = operand
    self.ranks = ranks
    extent = operand.extent.enclosed
  }

  /// Returns an operand with the order of `V`'s `<`: `operand` itself, unless `V` is an enum with
  /// another order than that of its raw values.
  static func ranking<V: AttributeValue>(
    _ operand: any OperandNode, _: V.Type
  ) -> any OperandNode {
    V._ranks.map { RankNode(operand, $0) } ?? operand
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let operand = try operand.resolved(by: resolver)
    let ranks = ranks
    return Calculation(.number, operand.description, ranking: operand.property) { row, reader in
      ranks.rank(of: try operand.value(of: row, reader)).map { .int(Int64($0)) } ?? .null
    }
  }
}

extension _Ranks {
  /// Returns the comparison of two operands in this order. Beside a constant it is a test for some
  /// of the cases, which an index can answer.
  func compared(
    _ left: any OperandNode, _ comparison: ComparisonOperator, _ right: any OperandNode
  ) -> any PredicateNode {
    guard let constant = right as? Constant else {
      if left is Constant { return compared(right, comparison.flipped, left) }
      return Comparison(RankNode(left, self), comparison, RankNode(right, self))
    }
    guard let rank = rank(of: constant.value) else { return Verdict(isTrue: false) }
    let cases = values(where: { comparison.holds($0 - rank) })
    return Membership(left: left, right: ListNode(cases.map { Constant($0) }))
  }
}

/// The raw value of an enum's case at a position in the order of the enum's `<`: the inverse of
/// `RankNode`, for aggregates of ranks.
struct RankedCaseNode: OperandNode {
  private let rank: any OperandNode
  private let ranks: _Ranks
  let extent: TreeExtent

  init(_ rank: any OperandNode, _ ranks: _Ranks) {
    self.rank = rank
    self.ranks = ranks
    extent = rank.extent.enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let rank = try rank.resolved(by: resolver)
    let values = ranks.values
    return Calculation(nil, rank.description) { row, reader in
      guard case .int(let place) = try rank.value(of: row, reader) else { return .null }
      return values[Int(place)]
    }
  }
}

extension OperandNode {
  /// Returns the least or greatest value that `aggregate` finds among the values of this operand,
  /// in the order of `V`'s `<`.
  func extreme<V: AttributeValue>(
    _: V.Type, _ aggregate: (any OperandNode) -> any OperandNode
  ) -> any OperandNode {
    guard let ranks = V._ranks else { return aggregate(self) }
    return RankedCaseNode(aggregate(RankNode(self, ranks)), ranks)
  }
}
