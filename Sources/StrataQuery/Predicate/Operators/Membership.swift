// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// `left.isIn(constants)`. Core Data: IN.
struct Membership: OperatorNode {
  var left: any OperandNode
  /// A list, a path to a collection, or a text.
  let right: any OperandNode
  var options: TextOptions = []

  var extent: TreeExtent { left.extent.beside(right.extent).enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let right = resolver.bound(right)
    guard let list = right as? ListNode else { return try isIn(right, resolver) }
    // The left side is resolved even for an empty list, so that its errors are reported.
    let operand = try left.resolved(by: resolver)
    if options.isEmpty, let constants = list.constants(resolver) {
      if let path = operand.property, let fitting = path.fitting(constants) {
        return try condition(on: path, fitting, in: resolver.schema)
      }
      if operand.isIdentity, let test = TargetTest(constants, in: resolver.schema) {
        return operand.condition(test)
      }
    }
    return try operand.evaluatedOnce(by: "in") { operand throws(QueryError) in
      var branches: [any Condition] = []
      branches.reserveCapacity(list.elements.count)
      for element in list.elements {
        let comparison = Comparison(left, .equal, element, options)
        branches.append(try comparison.resolved(with: operand, by: resolver))
      }
      return AnyOf(branches)
    }
  }

  /// `object IN cities`, or `"a" IN name`.
  private func isIn(
    _ right: any OperandNode, _ resolver: PathResolver
  ) throws(QueryError) -> any Condition {
    if let path = right as? PathNode, case .collection = try resolver.resolve(path.path) {
      return try QuantifiedOperator(.any, Comparison(path, .equal, left, options))
        .resolved(by: resolver)
    }
    return try TextMatch(right, .infix, left, options).resolved(by: resolver)
  }

  /// Tests for membership in a list of constants. A nil among the constants becomes a separate
  /// test.
  private func condition(
    on path: ResolvedPath, _ constants: [PropertyValue], in schema: Schema
  ) throws(QueryError) -> any Condition {
    let values = constants.filter { $0 != .null }
    let condition = try members(on: path, values, in: schema)
    guard values.count < constants.count else { return condition }
    return AnyOf([SlotCondition(path, NilTest()), condition])
  }

  private func members(
    on path: ResolvedPath, _ values: [PropertyValue], in schema: Schema
  ) throws(QueryError) -> any Condition {
    guard case .attribute(let type) = path.kind else {
      return try SlotCondition(path, TargetTest(path, values, in: schema))
    }
    return try SlotCondition.isAmong(values, path, of: type)
  }
}

extension ResolvedPath {
  /// Returns the constants as values of the property's type. The result is nil if a constant is a
  /// number that the type cannot represent, or is of another kind; comparisons then report the
  /// mismatch.
  fileprivate func fitting(_ constants: [PropertyValue]) -> [PropertyValue]? {
    guard case .attribute(let type) = kind else { return constants }
    if type == .codable { return nil }
    let fitting = constants.compactMap { $0.fitting(type) }
    return fitting.count == constants.count ? fitting : nil
  }
}
