// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// A comparison: `==`, `<`, `<=`, `>`, `>=`.
package struct Comparison: OperatorNode {
  var left: any OperandNode
  let comparison: ComparisonOperator
  let right: any OperandNode
  let options: TextOptions

  package init(
    _ left: any OperandNode, _ comparison: ComparisonOperator, _ right: any OperandNode,
    _ options: TextOptions = []
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
    self.options = options
  }

  package var extent: TreeExtent { left.extent.beside(right.extent).enclosed }

  package var constantTerm: ConstantTerm? {
    guard options.isEmpty, let keyPath = left.keyPath, let constant = right.constant else {
      return nil
    }
    return ConstantTerm(
      keyPath: keyPath, operation: .comparison(comparison), constant: constant.value)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let (left, right) = (resolver.bound(left), resolver.bound(right))
    let isPresenceTest =
      comparison == .equal
      && (left.isPath && right.constant?.isNil == true
        || right.isPath && left.constant?.isNil == true)
    let resolver = isPresenceTest ? resolver.forPresence : resolver
    return try condition(
      try left.resolved(by: resolver), try right.resolved(by: resolver), in: resolver)
  }

  /// Returns the condition for a left side that is resolved already: an operator of several
  /// comparisons with one left side resolves that side once.
  func resolved(with left: any Operand, by resolver: PathResolver) throws(QueryError)
    -> any Condition
  {
    try condition(left, try resolver.bound(right).resolved(by: resolver), in: resolver)
  }

  private func condition(
    _ one: any Operand, _ two: any Operand, in resolver: PathResolver
  ) throws(QueryError) -> any Condition {
    if let constant = two.constant {
      return try condition(one, comparison, constant, in: resolver)
    }
    if let constant = one.constant {
      return try condition(two, comparison.flipped, constant, in: resolver)
    }
    return try condition(one, comparison, two)
  }

  /// Compares two operands that are both evaluated per object.
  private func condition(
    _ left: any Operand, _ comparison: ComparisonOperator, _ right: any Operand
  ) throws(QueryError) -> any Condition {
    let kind = left.kind ?? right.kind
    if let one = left.kind, let two = right.kind, one != two {
      throw .mismatchedOperands(left: left.description, right: right.description)
    }
    if kind == .codable || comparison != .equal && kind?.isOrdered == false {
      if let property = left.property { throw property.isUnfit }
      throw .mismatchedOperands(left: left.description, right: right.description)
    }
    if !options.isEmpty {
      try left.requireKind(.text)
      try right.requireKind(.text)
    }
    return Question("\(left) \(comparison.rawValue)\(options) \(right)") {
      [options] row, reader in
      let one = options.folded(try left.value(of: row, reader))
      let two = options.folded(try right.value(of: row, reader))
      if comparison == .equal { return ValueOrder.areEqual(one, two) }
      return ValueOrder.order(one, two).map(comparison.holds) ?? false
    }
  }

  private func condition(
    _ operand: any Operand, _ comparison: ComparisonOperator, _ constant: Constant,
    in resolver: PathResolver
  ) throws(QueryError) -> any Condition {
    if constant.isNil {
      // No value comes before or after nil.
      return comparison == .equal ? operand.condition(NilTest()) : Verdict(isTrue: false)
    }
    if !options.isEmpty {
      try operand.requireKind(.text)
      guard case .string(let text) = constant.value else { throw operand.mismatch(with: constant) }
      return operand.condition(
        TextComparison(comparison: comparison, constant: TextBytes(text, options)))
    }
    if comparison == .equal, operand.isIdentity,
      let test = TargetTest([constant.value], in: resolver.schema)
    {
      return operand.condition(test)
    }
    guard let path = operand.property else {
      return try condition(operand, comparison, constant as any Operand)
    }
    switch path.kind {
    case .attribute(let type):
      guard let fitting = constant.value.fitting(type) else {
        guard operand.kind == constant.kind else { throw operand.mismatch(with: constant) }
        // A number that the type cannot represent, such as 2.5 for integers.
        return try condition(operand, comparison, constant as any Operand)
      }
      return try condition(on: path, of: type, comparison, fitting)
    case .toOne:
      guard comparison == .equal else { throw path.isUnfit }
      return SlotCondition(path, try TargetTest(path, [constant.value], in: resolver.schema))
    case .toMany: throw path.isUnfit
    }
  }

  private func condition(
    on path: ResolvedPath, of type: AttributeType, _ comparison: ComparisonOperator,
    _ constant: PropertyValue
  ) throws(QueryError) -> any Condition {
    switch type {
    case .int8: try ordered(path, comparison, constant, Int8.self)
    case .int16: try ordered(path, comparison, constant, Int16.self)
    case .int32: try ordered(path, comparison, constant, Int32.self)
    case .int64: try ordered(path, comparison, constant, Int64.self)
    case .uint8: try ordered(path, comparison, constant, UInt8.self)
    case .uint16: try ordered(path, comparison, constant, UInt16.self)
    case .uint32: try ordered(path, comparison, constant, UInt32.self)
    case .uint64: try ordered(path, comparison, constant, UInt64.self)
    case .float: try ordered(path, comparison, constant, Float.self)
    case .double: try ordered(path, comparison, constant, Double.self)
    case .decimal: try ordered(path, comparison, constant, Decimal.self)
    case .date: try ordered(path, comparison, constant, Date.self)
    case .string:
      SlotCondition(
        path, TextComparison(comparison: comparison, constant: TextBytes(try path.fit(constant))))
    case .bool: try equal(path, comparison, constant, Bool.self)
    case .uuid: try equal(path, comparison, constant, UUID.self)
    case .url: try equal(path, comparison, constant, URL.self)
    case .data: try equal(path, comparison, constant, Data.self)
    case .codable: throw path.isUnfit
    }
  }

  @inline(__always)
  private func ordered<V: AttributeValue & Comparable>(
    _ path: ResolvedPath, _ comparison: ComparisonOperator, _ constant: PropertyValue, _: V.Type
  ) throws(QueryError) -> any Condition {
    SlotCondition(path, OrderTest<V>(comparison: comparison, constant: try path.fit(constant)))
  }

  @inline(__always)
  private func equal<V: AttributeValue>(
    _ path: ResolvedPath, _ comparison: ComparisonOperator, _ constant: PropertyValue, _: V.Type
  ) throws(QueryError) -> any Condition {
    guard comparison == .equal else { throw path.isUnfit }
    return SlotCondition(path, EqualityTest<V>(constant: try path.fit(constant)))
  }
}
