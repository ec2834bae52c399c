// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

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

  private let function: Function
  /// The operand that is evaluated for each object; the object itself to count objects.
  private let element: any OperandNode
  let extent: TreeExtent

  init(function: Function, element: any OperandNode) {
    self.function = function
    self.element = element
    extent = element.extent.enclosed
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
      RowAggregate(
        function: function.ofMembers, isDistinct: function == .distinctCount, element: element))
    return Calculation(kind ?? .number, "\(element).\(function.rawValue)") { _, reader in
      reader.totals[place]
    }
  }
}

/// An aggregate that is computed for each group of objects.
///
/// A class, because each object is added to each aggregate, and all of it is constant.
///
/// ## Isolation
/// Sendable: constant.
final class RowAggregate: Sendable {
  /// The function that combines the values; nil if the values are counted.
  let function: AggregateNode.Function?
  /// Whether equal values count once.
  let isDistinct: Bool
  let element: any Operand
  /// The slot of an integer that is summed; nil for other aggregates.
  private let integerSlot: Int?

  init(function: AggregateNode.Function?, isDistinct: Bool, element: any Operand) {
    self.function = function
    self.isDistinct = isDistinct
    self.element = element
    let isSum = function == .sum || function == .average
    integerSlot = isSum ? element.property.flatMap { $0.isInteger ? $0.slot : nil } : nil
  }

  /// The state of the aggregate for one group.
  struct State {
    fileprivate var total = Total()
    fileprivate var count = 0
    fileprivate var seen: Set<DistinctValue> = []
  }

  /// Adds the value of one object to `state`, or the common value of several.
  func add(_ row: Row, times: Int = 1, _ reader: RowReader, to state: inout State) throws {
    if let integerSlot, let number = row.layout.slot(integerSlot, at: row.start).wideInteger {
      return state.total.add(number, times: times)
    }
    let value = try element.value(of: row, reader)
    if let function { return state.total.add(value, times: times, function) }
    if value == .null { return }
    if !isDistinct {
      state.count += times
    } else if state.seen.insert(DistinctValue(value)).inserted {
      state.count += 1
    }
  }

  /// The slot of the object whose value is aggregated; nil for other elements.
  var slot: Int? { element.property.flatMap { $0.isDirect ? $0.slot : nil } }

  /// Whether the object itself is counted.
  var countsObjects: Bool { function == nil && !isDistinct && element.isIdentity }

  /// Whether the result is the same in any order of the objects. Sums of numbers other than
  /// integers are rounded at each step.
  var isOrderFree: Bool {
    switch function {
    case nil: return true
    case .min?, .max?: return slot != nil
    case .sum?, .average?: return integerSlot != nil
    }
  }

  /// Returns the value of the aggregate for a group.
  func result(_ state: State) -> PropertyValue {
    function.map(state.total.result(of:)) ?? .int(Int64(state.count))
  }
}

extension ResolvedPath {
  /// Whether the path is an integer of the object itself.
  fileprivate var isInteger: Bool {
    guard isDirect, case .attribute(let type) = kind else { return false }
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: return true
    default: return false
    }
  }
}
