// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// An aggregate over the fetched objects of a group: `$0.population.sum()`. Core Data: an
/// expression description with `sum:`, `min:`, `max:`, `average:` or `count:`.
///
/// The rules of `AggregateNode` apply, which aggregates the members of a collection.
struct RowAggregateNode: OperandNode {
  enum Function: String, Sendable {
    case sum, min, max, average, count, distinctCount

    /// The function that combines the values; nil for the functions that count them.
    var ofMembers: AggregateNode.Function? {
      self == .average ? .average : AggregateNode.Function(rawValue: rawValue)
    }
  }

  let function: Function
  /// The operand that is evaluated for each object; the object itself to count objects.
  let element: any OperandNode

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    guard let grouping = resolver.grouping, resolver.isAtObject else {
      throw .misplacedAggregate(function.rawValue)
    }
    var inner = resolver
    inner.grouping = nil
    let element = try element.resolved(by: inner)
    let kind = try function.ofMembers?.kind(of: element)
    let place = grouping.add(
      RowAggregate(
        function: function.ofMembers, isDistinct: function == .distinctCount, element: element))
    return Calculation(kind ?? .number, "\(element).\(function.rawValue)") { _, reader in
      reader.totals[place]
    }
  }
}

/// An aggregate that is computed for each group of objects.
struct RowAggregate: Sendable {
  /// The function that combines the values; nil if the values are counted.
  let function: AggregateNode.Function?
  /// Whether equal values count once.
  let isDistinct: Bool
  let element: any Operand

  /// The state of the aggregate for one group.
  struct State {
    fileprivate var total = Total()
    fileprivate var count = 0
    fileprivate var seen: Set<DistinctValue> = []
  }

  /// Adds one object's value to `state`.
  func add(_ row: Row, _ reader: RowReader, to state: inout State) throws {
    let value = try element.value(of: row, reader)
    if let function { return state.total.add(value, function) }
    if value == .null || isDistinct && !state.seen.insert(DistinctValue(value)).inserted { return }
    state.count += 1
  }

  /// Returns the value of the aggregate for a group.
  func result(_ state: State) -> PropertyValue {
    function.map(state.total.result(of:)) ?? .int(Int64(state.count))
  }
}
