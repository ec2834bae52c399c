// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// The constants of an equality.
package enum Equalities: Sendable {
  /// Values of an attribute.
  case values([PropertyValue])
  /// Targets of a to-one relationship.
  case targets(Set<ObjectKey>)
}

/// The condition that a property is equal to one of several constants, to be joined with others of
/// the same property.
package struct Equality: Sendable {
  private let path: ResolvedPath
  private var values: [PropertyValue] = []
  private var targets: Set<ObjectKey> = []

  /// Nil if the path ends inside of a composite.
  init?(_ path: ResolvedPath, _ constants: Equalities) {
    if path.composite != nil { return nil }
    self.path = path
    switch constants {
    case .values(let values): self.values = values
    case .targets(let targets): self.targets = targets
    }
  }

  /// The parts in which two paths to one property agree.
  fileprivate struct Property: Hashable {
    let depth: Int
    let hops: [Int]
    let slot: Int
  }

  fileprivate var property: Property {
    Property(depth: path.depth, hops: path.hops, slot: path.slot)
  }

  fileprivate mutating func add(_ other: Equality) {
    values += other.values
    targets.formUnion(other.targets)
  }

  /// The test for all constants; nil if they are of no type that has one.
  var condition: SlotCondition? {
    guard case .attribute(let type) = path.kind else {
      return SlotCondition(path, TargetTest(targets))
    }
    return try? SlotCondition.isAmong(values, path, of: type)
  }
}

extension [any Condition] {
  /// The conditions with those on one property joined into one, in the place of the first. O(n).
  ///
  /// - Parameter areDenied: whether negations of equalities are joined, and not equalities.
  func joiningEqualities(denied areDenied: Bool = false) -> [any Condition] {
    if count < 2 { return self }
    func equality(_ condition: any Condition) -> Equality? {
      areDenied ? condition.deniedEquality : condition.equality
    }
    var conditions: [any Condition] = []
    var places: [Equality.Property: Int] = [:]
    var equalities: [Int: Equality] = [:]
    for condition in self {
      guard let next = equality(condition) else {
        conditions.append(condition)
        continue
      }
      if let place = places[next.property] {
        if equalities[place] == nil { equalities[place] = equality(conditions[place]) }
        equalities[place]?.add(next)
      } else {
        places[next.property] = conditions.count
        conditions.append(condition)
      }
    }
    for (place, equality) in equalities {
      guard let condition = equality.condition else { return self }
      conditions[place] = areDenied ? Not(condition) : condition
    }
    return conditions
  }
}

extension SlotCondition {
  /// Whether the value of an attribute is equal to one of `constants`.
  ///
  /// - Throws: `QueryError.mismatchedType` for a constant that does not fit, `.unfitProperty` for
  ///   an attribute of encoded values.
  static func isAmong(
    _ constants: [PropertyValue], _ path: ResolvedPath, of type: AttributeType
  ) throws(QueryError) -> SlotCondition {
    switch type {
    case .bool: return try isAmong(constants, path, Bool.self)
    case .int8: return try isAmong(constants, path, Int8.self)
    case .int16: return try isAmong(constants, path, Int16.self)
    case .int32: return try isAmong(constants, path, Int32.self)
    case .int64: return try isAmong(constants, path, Int64.self)
    case .uint8: return try isAmong(constants, path, UInt8.self)
    case .uint16: return try isAmong(constants, path, UInt16.self)
    case .uint32: return try isAmong(constants, path, UInt32.self)
    case .uint64: return try isAmong(constants, path, UInt64.self)
    case .float: return try isAmong(constants, path, Float.self)
    case .double: return try isAmong(constants, path, Double.self)
    case .decimal: return try isAmong(constants, path, Decimal.self)
    case .string: return try isAmong(constants, path, String.self)
    case .data: return try isAmong(constants, path, Data.self)
    case .date: return try isAmong(constants, path, Date.self)
    case .uuid: return try isAmong(constants, path, UUID.self)
    case .url: return try isAmong(constants, path, URL.self)
    case .codable: throw path.isUnfit
    }
  }

  @inline(__always)
  private static func isAmong<V: AttributeValue & Hashable>(
    _ constants: [PropertyValue], _ path: ResolvedPath, _: V.Type
  ) throws(QueryError) -> SlotCondition {
    var members: [V] = []
    for constant in constants { members.append(try path.fit(constant)) }
    return SlotCondition(path, MembershipTest(members: members))
  }
}
