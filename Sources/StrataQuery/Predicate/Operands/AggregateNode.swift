// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// One value of many: of a collection's members, each of which has an operand.
/// Core Data: `@sum`, `@min`, `@max`, `@avg`.
///
/// ## Rules
/// Members without a value are left out. The sum of nothing is 0; the least, the greatest and the
/// average of nothing have no value. Sums are by the rules of `Number`, in the order of the members,
/// so that a floating-point sum is always the same; averages of integers are floating-point numbers.
/// The least and the greatest are of numbers, texts and dates; what is not a number (NaN) is left out.
struct AggregateNode: OperandNode {
  enum Function: String, Sendable {
    case sum, min, max
    case average = "avg"

    /// The kind of what it makes of many values of `element`.
    ///
    /// - Throws: `mismatchedOperands` if it makes nothing of such.
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

  let function: Function
  let collection: CollectionNode
  /// Where paths begin at a member.
  let scope: Scope
  let element: any OperandNode

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

/// What an aggregate has gathered so far.
struct Total {
  private var count = 0
  /// nil once there is none.
  private var sum: Number? = .integer(0)
  private var extreme = Value.null

  mutating func add(_ value: Value, _ function: AggregateNode.Function) {
    switch function {
    case .sum, .average:
      guard let number = Number(value) else { return }
      count += 1
      sum = sum.flatMap { Number.calculate($0, .add, number) }
    case .min, .max:
      // What is not a number has no place in the order.
      guard ValueOrder.order(value, value) == 0, Number(value)?.isNaN != true else { return }
      guard let order = ValueOrder.order(value, extreme) else {
        extreme = value
        return
      }
      if function == .min ? order < 0 : order > 0 { extreme = value }
    }
  }

  func result(of function: AggregateNode.Function) -> Value {
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
