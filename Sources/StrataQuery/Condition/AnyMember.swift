// SPDX-License-Identifier: Apache-2.0

/// Whether a member satisfies a condition. O(members) for each object. Links or an index provide
/// the members.
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

  /// The members that satisfy the condition, from which the fetch returns to the members' owners.
  var lead: Lead? {
    guard collection.place.depth == 0 else { return nil }
    return .members(
      collection.place, AllOf(collection.filters.flatMap(\.terms) + condition.terms))
  }

  var description: String { "any \(collection)(\(condition))" }
}
