// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
package import StrataModel
import StrataRecord

/// `path == constant` and its kin.
package struct Comparison: PredicateNode {
  package enum Operator: String, Sendable {
    case equal = "=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  let path: [any AnyKeyPath & Sendable]
  let comparison: Operator
  let constant: Value

  package init(_ path: [any AnyKeyPath & Sendable], _ comparison: Operator, _ constant: Value) {
    self.path = path
    self.comparison = comparison
    self.constant = constant
  }

  static func predicate<Root, Leaf>(
    _ path: PropertyPath<Root, Leaf>, _ comparison: Operator, _ constant: Value
  ) -> FetchPredicate {
    FetchPredicate(Comparison(path.keyPathSteps, comparison, constant))
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let path = try resolver.path(path)
    if constant == .null, comparison == .equal { return SlotCondition(path, NilTest()) }
    switch path.kind {
    case .attribute(let type): return try condition(on: path, of: type)
    case .toOne:
      guard comparison == .equal else { throw path.isUnfit }
      return try SlotCondition(path, TargetTest(path, [constant], in: resolver.schema))
    case .toMany: throw path.isUnfit
    }
  }

  private func condition(
    on path: ResolvedPath, of type: AttributeType
  ) throws(QueryError) -> any Condition {
    switch type {
    case .int8: try ordered(path, Int8.self)
    case .int16: try ordered(path, Int16.self)
    case .int32: try ordered(path, Int32.self)
    case .int64: try ordered(path, Int64.self)
    case .uint8: try ordered(path, UInt8.self)
    case .uint16: try ordered(path, UInt16.self)
    case .uint32: try ordered(path, UInt32.self)
    case .uint64: try ordered(path, UInt64.self)
    case .float: try ordered(path, Float.self)
    case .double: try ordered(path, Double.self)
    case .decimal: try ordered(path, Decimal.self)
    case .date: try ordered(path, Date.self)
    case .string: SlotCondition(path, TextComparison(comparison, try path.fit(constant)))
    case .bool: try equal(path, Bool.self)
    case .uuid: try equal(path, UUID.self)
    case .url: try equal(path, URL.self)
    case .data: try equal(path, Data.self)
    case .codable: throw path.isUnfit
    }
  }

  private func ordered<V: AttributeValue & Comparable>(
    _ path: ResolvedPath, _: V.Type
  ) throws(QueryError) -> any Condition {
    SlotCondition(path, OrderTest<V>(comparison: comparison, constant: try path.fit(constant)))
  }

  private func equal<V: AttributeValue>(
    _ path: ResolvedPath, _: V.Type
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
    let after = KeyRange.successor(ofPrefix: key)
    let first = KeyRange.successor(ofPrefix: KeyRanges.absentKey(kind)) ?? []
    let range: KeyRange
    let bounds: KeyStretch.Bounds
    switch self {
    case .equal: (range, bounds) = (KeyRange(prefix: key), .point)
    // A value that is cut shares its key with others, on either side of the constant.
    case .less: (range, bounds) = (KeyRange(lower: first, upper: isCut ? after : key), .above)
    case .lessOrEqual: (range, bounds) = (KeyRange(lower: first, upper: after), .above)
    case .greater:
      guard isCut || after != nil else { return .none }
      (range, bounds) = (KeyRange(lower: isCut ? key : after ?? [], upper: kind.end), .below)
    case .greaterOrEqual: (range, bounds) = (KeyRange(lower: key, upper: kind.end), .below)
    }
    return KeyStretch(ranges: KeyRanges(range), bounds: bounds, isExact: !isCut)
  }
}

extension SlotKind {
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
