// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// One value of many fetched objects: `$0.population.sum()`. Core Data: an expression description with
/// `sum:`, `min:`, `max:`, `average:` or `count:`.
///
/// By the rules of `AggregateNode`, which is the same of a collection's members.
package struct RowAggregateNode: OperandNode {
  package enum Function: String, Sendable {
    case sum, min, max, average, count, distinctCount

    /// What is made of the values; nil if they are counted.
    var ofMembers: AggregateNode.Function? {
      switch self {
      case .sum: .sum
      case .min: .min
      case .max: .max
      case .average: .average
      case .count, .distinctCount: nil
      }
    }
  }

  let function: Function
  /// What each object has; the object itself, to count objects.
  let element: any OperandNode

  package init(_ function: Function, of element: any OperandNode) {
    self.function = function
    self.element = element
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    guard let grouping = resolver.grouping, resolver.isAtObject else {
      throw .misplacedAggregate(function.rawValue)
    }
    var inner = resolver
    inner.grouping = nil
    let element = try element.resolved(by: inner)
    let kind = try function.ofMembers?.kind(of: element)
    return RowAggregateOperand(
      place: grouping.add(RowAggregate(function: function, element: element)),
      kind: kind ?? .number,
      description: "\(element).\(function.rawValue)")
  }

  package func substituting(_ values: Substitution) -> any OperandNode {
    RowAggregateNode(function, of: element.substituting(values))
  }
}

/// What an aggregate of the group in hand has come to.
struct RowAggregateOperand: Operand {
  /// Among those of the request.
  let place: Int
  let kind: OperandKind?
  let description: String

  func value(of row: Row, _ reader: RowReader) throws -> Value { reader.totals[place] }
}

/// An aggregate as it is worked out of each group.
struct RowAggregate: Sendable {
  let function: RowAggregateNode.Function
  let element: any Operand

  /// What it has gathered of one group.
  struct State {
    private var total = Total()
    private var count = 0
    private var seen: Set<DistinctValue> = []

    /// Takes one more object in.
    mutating func add(_ row: Row, _ reader: RowReader, _ aggregate: RowAggregate) throws {
      let value = try aggregate.element.value(of: row, reader)
      switch aggregate.function {
      case .sum: total.add(value, .sum)
      case .min: total.add(value, .min)
      case .max: total.add(value, .max)
      case .average: total.add(value, .average)
      case .count: if value != .null { count += 1 }
      case .distinctCount: if value != .null { seen.insert(DistinctValue(value)) }
      }
    }

    func result(of aggregate: RowAggregate) -> Value {
      switch aggregate.function {
      case .sum: total.result(of: .sum)
      case .min: total.result(of: .min)
      case .max: total.result(of: .max)
      case .average: total.result(of: .average)
      case .count: .int(Int64(count))
      case .distinctCount: .int(Int64(seen.count))
      }
    }
  }
}
