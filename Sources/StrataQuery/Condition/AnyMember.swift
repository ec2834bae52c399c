// SPDX-License-Identifier: Apache-2.0

/// Whether a member satisfies a condition. O(members) for each object, whose members are found
/// through links or an index.
struct AnyMember: Condition {
  let collection: ResolvedCollection
  let condition: any Condition

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    var isFound = false
    try collection.visit(from: row, reader) { member in
      isFound = try condition.isTrue(of: member, reader)
      return !isFound
    }
    return isFound
  }

  /// From the members that satisfy the condition, back to those that have them.
  var lead: Lead? {
    guard collection.place.depth == 0 else { return nil }
    return .members(
      collection.place, AllOf(collection.filters.flatMap(\.terms) + condition.terms))
  }

  var description: String { "any \(collection)(\(condition))" }
}
