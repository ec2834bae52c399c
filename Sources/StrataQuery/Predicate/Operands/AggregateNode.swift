// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The aggregate of an operand over the members of a collection. Core Data: `@sum`, `@min`, `@max`,
/// `@avg`.
///
/// ## Rules
/// - Members with a nil value are left out.
/// - Without values, the sum is 0; the least value, the greatest value and the average are nil.
/// - Sums follow the rules of `Number`, in the order of the members, so that a floating-point sum
///   is always the same.
/// - The average of integers is a floating-point number.
/// - The least and the greatest value are defined for numbers, texts and dates. NaN is left out.
struct AggregateNode: OperandNode {
  enum Function: String, Sendable {
    case sum, min, max
    case average = "avg"

    /// Returns the kind of the function's result for many values of `element`.
    ///
    /// - Throws: `mismatchedOperands` if the function is not defined for the kind of `element`.
    func kind(of element: any Operand) throws(QueryError) -> OperandKind {
      let kind = element.kind ?? .number
      switch self {
      case .sum, .average:
        guard kind == .number else {
          throw .mismatchedOperands(left: "a number", right: element.description)
        }
      case .min, .max:
        guard kind.isOrdered else {
          throw .mismatchedOperands(left: "an ordered value", right: element.description)
        }
      }
      return kind
    }
  }

  private let function: Function
  private let collection: CollectionNode
  /// The scope in which paths begin at a member.
  private let scope: Scope
  private let element: any OperandNode
  let extent: TreeExtent

  init(
    function: Function, collection: CollectionNode, scope: Scope, element: any OperandNode
  ) {
    self.function = function
    self.collection = collection
    self.scope = scope
    self.element = element
    extent = collection.extent.beside(element.extent.enclosedInCollection)
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let collection = try collection.resolved(by: resolver)
    let element = try element.resolved(by: resolver.entering(scope, collection.destination))
    return Calculation(
      try function.kind(of: element), "\(collection).\(function.rawValue)(\(element))"
    ) { [function] row, reader in
      var total = Total()
      try collection.visit(from: row, reader) { member in
        total.add(try element.value(of: member, reader), function)
        return true
      }
      return total.result(of: function)
    }
  }
}

/// The state of an aggregate that is being computed.
struct Total {
  private var count = 0
  /// nil after an addition without a result, such as an overflow.
  private var sum: Number? = .integer(0)
  private var extreme = PropertyValue.null

  /// - Parameter times: how many objects have the value; 1 for a number that is not an integer.
  mutating func add(
    _ value: PropertyValue, times: Int = 1, _ function: AggregateNode.Function
  ) {
    switch function {
    case .sum, .average:
      guard let number = Number(value) else { return }
      if case .integer(let one) = number, case .integer? = sum { return add(one, times: times) }
      count += times
      sum = sum.flatMap { Number.calculate($0, .add, number) }
    case .min, .max:
      // NaN has no place in the order.
      guard ValueOrder.order(value, value) == 0, Number(value)?.isNaN != true else { return }
      guard let order = ValueOrder.order(value, extreme) else {
        extreme = value
        return
      }
      if function == .min ? order < 0 : order > 0 { extreme = value }
    }
  }

  /// Adds an integer to a sum of integers.
  mutating func add(_ number: Int128, times: Int) {
    count += times
    // No sum of 64-bit integers is too large for 128 bits.
    if case .integer(let all)? = sum { sum = .integer(all + number * Int128(times)) }
  }

  func result(of function: AggregateNode.Function) -> PropertyValue {
    switch function {
    case .min, .max: return extreme
    case .sum: return sum?.value ?? .null
    case .average:
      guard count > 0, let sum else { return .null }
      if case .decimal = sum {
        return Number.calculate(sum, .divide, .integer(Int128(count)))?.value ?? .null
      }
      return .double(sum.double / Double(count))
    }
  }
}
