// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
package import StrataModel
import StrataRecord

/// `path.isIn(constants)`.
package struct Membership: PredicateNode {
  let path: [any AnyKeyPath & Sendable]
  let constants: [Value]

  package init(_ path: [any AnyKeyPath & Sendable], _ constants: [Value]) {
    self.path = path
    self.constants = constants
  }

  static func predicate<Root, Leaf>(
    _ path: PropertyPath<Root, Leaf>, _ constants: [Value]
  ) -> FetchPredicate {
    FetchPredicate(Membership(path.keyPathSteps, constants))
  }

  /// A nil among the constants becomes a test of its own.
  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let path = try resolver.path(path)
    let values = constants.filter { $0 != .null }
    let condition = try condition(on: path, values, in: resolver.schema)
    guard values.count < constants.count else { return condition }
    return AnyOf([SlotCondition(path, NilTest()), condition])
  }

  private func condition(
    on path: ResolvedPath, _ values: [Value], in schema: Schema
  ) throws(QueryError) -> any Condition {
    guard case .attribute(let type) = path.kind else {
      return try SlotCondition(path, TargetTest(path, values, in: schema))
    }
    switch type {
    case .bool: return try members(path, values, Bool.self)
    case .int8: return try members(path, values, Int8.self)
    case .int16: return try members(path, values, Int16.self)
    case .int32: return try members(path, values, Int32.self)
    case .int64: return try members(path, values, Int64.self)
    case .uint8: return try members(path, values, UInt8.self)
    case .uint16: return try members(path, values, UInt16.self)
    case .uint32: return try members(path, values, UInt32.self)
    case .uint64: return try members(path, values, UInt64.self)
    case .float: return try members(path, values, Float.self)
    case .double: return try members(path, values, Double.self)
    case .decimal: return try members(path, values, Decimal.self)
    case .string: return try members(path, values, String.self)
    case .data: return try members(path, values, Data.self)
    case .date: return try members(path, values, Date.self)
    case .uuid: return try members(path, values, UUID.self)
    case .url: return try members(path, values, URL.self)
    case .codable: throw path.isUnfit
    }
  }

  private func members<V: AttributeValue & Hashable>(
    _ path: ResolvedPath, _ values: [Value], _: V.Type
  ) throws(QueryError) -> any Condition {
    var members: Set<V> = []
    for value in values { members.insert(try path.fit(value)) }
    return SlotCondition(path, MembershipTest(members: members))
  }
}

/// Whether a value is one of some constants.
struct MembershipTest<V: AttributeValue & Hashable>: SlotTest {
  let members: Set<V>

  func isTrue(of slot: RecordSlot) -> Bool { V(slot).map(members.contains) ?? false }

  func isTrue(of value: Value) -> Bool { V(value: value).map(members.contains) ?? false }

  func stretch(in kind: SlotKind) -> KeyStretch? {
    var ranges: [KeyRange] = []
    var isExact = true
    for member in members where member == member {
      let one = Comparison.Operator.equal.stretch(member.value, in: kind)
      ranges += one.ranges.ranges
      isExact = isExact && one.isExact
    }
    return KeyStretch(ranges: KeyRanges(ranges), bounds: .point, isExact: isExact)
  }

  var name: String { "in" }
}
