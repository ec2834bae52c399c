// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// One value of many fetched objects: `$0.population.sum()`. Core Data: an expression description with
/// `sum:`, `min:`, `max:`, `average:` or `count:`.
///
/// By the rules of `AggregateNode`, which is the same of a collection's members.
struct RowAggregateNode: OperandNode {
  enum Function: String, Sendable {
    case sum, min, max, average, count, distinctCount

    /// What is made of the values; nil if they are counted.
    var ofMembers: AggregateNode.Function? {
      self == .average ? .average : AggregateNode.Function(rawValue: rawValue)
    }
  }

  let function: Function
  /// What each object has; the object itself, to count objects.
  let element: any OperandNode

  init(_ function: Function, of element: any OperandNode) {
    self.function = function
    self.element = element
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    guard let grouping = resolver.grouping, resolver.isAtObject else {
      throw .misplacedAggregate(function.rawValue)
    }
    var inner = resolver
    inner.grouping = nil
    let element = try element.resolved(by: inner)
    let kind = try function.ofMembers?.kind(of: element)
    let place = grouping.add(
      RowAggregate(function: function.ofMembers, isDistinct: function == .distinctCount, element))
    return Calculation(kind ?? .number, "\(element).\(function.rawValue)") { _, reader in
      reader.totals[place]
    }
  }
}

/// An aggregate as it is worked out of each group.
struct RowAggregate: Sendable {
  /// What is made of the values; nil if they are counted.
  private let function: AggregateNode.Function?
  /// Whether equal values count once.
  private let isDistinct: Bool
  private let element: any Operand

  init(function: AggregateNode.Function?, isDistinct: Bool, _ element: any Operand) {
    self.function = function
    self.isDistinct = isDistinct
    self.element = element
  }

  /// What it has gathered of one group.
  struct State {
    fileprivate var total = Total()
    fileprivate var count = 0
    fileprivate var seen: Set<DistinctValue> = []
  }

  /// Takes one more object into `state`.
  func add(_ row: Row, _ reader: RowReader, to state: inout State) throws {
    let value = try element.value(of: row, reader)
    if let function { return state.total.add(value, function) }
    if value == .null || isDistinct && !state.seen.insert(DistinctValue(value)).inserted { return }
    state.count += 1
  }

  /// What it has come to.
  func result(_ state: State) -> Value {
    function.map(state.total.result(of:)) ?? .int(Int64(state.count))
  }
}
