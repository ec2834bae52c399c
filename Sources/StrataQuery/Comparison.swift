// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
package import StrataModel
import StrataRecord

/// `left == right` and its kin.
package struct Comparison: OperatorNode {
  package enum Operator: String, Sendable {
    case equal = "=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  package let left: any OperandNode
  let comparison: Operator
  let right: any OperandNode
  let options: TextOptions

  package init(
    _ left: any OperandNode, _ comparison: Operator, _ right: any OperandNode,
    _ options: TextOptions = []
  ) {
    self.left = left
    self.comparison = comparison
    self.right = right
    self.options = options
  }

  /// Of key paths and a constant.
  package init(
    _ path: [any AnyKeyPath & Sendable], _ comparison: Operator, _ constant: Value
  ) {
    self.init(PathNode(PathReference(path)), comparison, ConstantNode(constant))
  }

  static func predicate<Root, Leaf>(
    _ path: PropertyPath<Root, Leaf>, _ comparison: Operator, _ constant: Value
  ) -> FetchPredicate {
    FetchPredicate(Comparison(path.operand, comparison, ConstantNode(constant)))
  }

  package func replacingLeft(_ left: any OperandNode) -> any OperatorNode {
    Comparison(left, comparison, right, options)
  }

  package func substituting(_ values: Substitution) -> any PredicateNode {
    Comparison(left.substituting(values), comparison, right.substituting(values), options)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let resolver = isPresenceTest ? resolver.forPresence : resolver
    let left = try left.resolved(by: resolver)
    let right = try right.resolved(by: resolver)
    if let constant = right.constant {
      return try condition(left, comparison, constant, in: resolver)
    }
    if let constant = left.constant {
      return try condition(right, comparison.flipped, constant, in: resolver)
    }
    return try condition(left, comparison, right)
  }

  /// Whether it asks of a property alone whether there is a value.
  private var isPresenceTest: Bool {
    guard comparison == .equal else { return false }
    return left.isPath && right.constant?.isNil == true
      || right.isPath && left.constant?.isNil == true
  }

  /// Two operands of which neither is known beforehand.
  private func condition(
    _ left: any Operand, _ comparison: Operator, _ right: any Operand
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
    return ValueComparison(left: left, comparison: comparison, right: right, options: options)
  }

  private func condition(
    _ operand: any Operand, _ comparison: Operator, _ constant: ConstantNode,
    in resolver: PathResolver
  ) throws(QueryError) -> any Condition {
    if constant.isNil {
      // Nothing comes before or after nil.
      return comparison == .equal ? operand.condition(NilTest()) : Verdict(isTrue: false)
    }
    if !options.isEmpty {
      try operand.requireKind(.text)
      guard case .string(let text) = constant.value else { throw operand.mismatch(with: constant) }
      return operand.condition(FoldedTextComparison(comparison, text, options))
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
        // A number that the type does not have, as 2.5 among integers.
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
    on path: ResolvedPath, of type: AttributeType, _ comparison: Operator, _ constant: Value
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
    case .string: SlotCondition(path, TextComparison(comparison, try path.fit(constant)))
    case .bool: try equal(path, comparison, constant, Bool.self)
    case .uuid: try equal(path, comparison, constant, UUID.self)
    case .url: try equal(path, comparison, constant, URL.self)
    case .data: try equal(path, comparison, constant, Data.self)
    case .codable: throw path.isUnfit
    }
  }

  @inline(__always)
  private func ordered<V: AttributeValue & Comparable>(
    _ path: ResolvedPath, _ comparison: Operator, _ constant: Value, _: V.Type
  ) throws(QueryError) -> any Condition {
    SlotCondition(path, OrderTest<V>(comparison: comparison, constant: try path.fit(constant)))
  }

  @inline(__always)
  private func equal<V: AttributeValue>(
    _ path: ResolvedPath, _ comparison: Operator, _ constant: Value, _: V.Type
  ) throws(QueryError) -> any Condition {
    guard comparison == .equal else { throw path.isUnfit }
    return SlotCondition(path, EqualityTest<V>(constant: try path.fit(constant)))
  }
}

extension ResolvedPath {
  /// The operator does not apply to the property.
  var isUnfit: QueryError { .unfitProperty(entity: entityName, property: name) }

  /// `constant` as a value of the property's type.
  func fit<V: AttributeValue>(_ constant: Value) throws(QueryError) -> V {
    guard kind.holds(constant), let value = V(value: constant) else {
      throw .mismatchedType(entity: entityName, property: name, type: V.attributeType)
    }
    return value
  }
}

// MARK: - The index's side

extension Comparison.Operator {
  /// The entries of an index over a slot of `kind` whose values compare so with `constant`.
  func stretch(_ constant: Value, in kind: SlotKind) -> KeyStretch {
    var key: [UInt8] = []
    let isCut = KeyEncoder.append(value: constant, kind: kind, to: &key)
    let certainty = isCut ? KeyStretch.Certainty.none : .all
    if self == .equal {
      return KeyStretch(
        ranges: KeyRanges(prefix: key), bounds: .point, certainty: certainty,
        points: isCut ? nil : [key])
    }
    let range: KeyRange
    switch self {
    // A value that is cut shares its key with others, on either side of the constant.
    case .less where !isCut: range = KeyRange(lower: kind.beginning, upper: key)
    case .less, .lessOrEqual:
      range = KeyRange(lower: kind.beginning, upper: KeyRange.successor(ofPrefix: key))
    case .greater where !isCut:
      guard let after = KeyRange.successor(ofPrefix: key) else { return .none }
      range = KeyRange(lower: after, upper: kind.end)
    case .greater, .greaterOrEqual, .equal: range = KeyRange(lower: key, upper: kind.end)
    }
    let isUpper = self == .less || self == .lessOrEqual
    return KeyStretch(
      ranges: KeyRanges(range), bounds: isUpper ? .above : .below, certainty: certainty)
  }
}

extension SlotKind {
  /// The key that no value is below, but that of an absent slot.
  fileprivate var beginning: [UInt8] {
    KeyRange.successor(ofPrefix: KeyRanges.absentKey(self)) ?? []
  }

  /// The key that all values of the kind which have an order lie below: that of "not a number", which
  /// is greater than nothing. nil if there is no such value.
  fileprivate var end: [UInt8]? {
    let notANumber: Value
    switch self {
    case .attribute(.float), .attribute(.double): notANumber = .double(.nan)
    case .attribute(.date): notANumber = .date(Date(timeIntervalSinceReferenceDate: .nan))
    case .attribute(.decimal): notANumber = .decimal(.nan)
    default: return nil
    }
    var key: [UInt8] = []
    KeyEncoder.append(value: notANumber, kind: self, to: &key)
    return key
  }
}
