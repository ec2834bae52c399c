// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// The members of a to-many relationship, optionally filtered: the subject of quantifiers, counts
/// and aggregates. Core Data: a to-many key path, or SUBQUERY.
///
/// A collection has no members if a relationship on the path to its owner is nil.
package struct ResolvedCollection: Sendable {
  /// A relationship and the path to its owner.
  package struct Place: Sendable {
    /// The number of enclosing conditions on collections between this one and the origin of the
    /// path.
    let depth: Int
    /// The to-one slots from the origin to the owner.
    let hops: [Int]
    let relationship: RelationshipSchema
  }

  let place: Place
  /// The entity of the members, which may belong to its subentities.
  package let destination: EntitySchema
  /// The names on the path: "country.cities".
  let name: String
  /// The name of the entity that has the relationship.
  let entityName: String
  /// The conditions that a member satisfies to be in the collection.
  var filters: [any Condition] = []

  /// The error that the relationship is used as a single value.
  var isUnfit: QueryError { .toManyProperty(entity: entityName, property: place.relationship.name) }

  /// Calls `body` with the members until `body` returns false. The order is ascending by key, or
  /// the order of an ordered relationship. O(members).
  func visit(
    from row: Row, _ reader: RowReader, _ body: (Row) throws -> Bool
  ) throws {
    let members = try reader.members(of: place, from: row)
    try reader.entering(row) {
      for key in members {
        let goesOn = try reader.withRow(of: key) { member in
          for filter in filters where try !filter.isTrue(of: member, reader) { return true }
          return try body(member)
        }
        if goesOn == false { return }
      }
    }
  }

  /// Returns the number of members. Without filters, no record is read.
  func count(from row: Row, _ reader: RowReader) throws -> Int {
    if filters.isEmpty { return try reader.members(of: place, from: row).count }
    var count = 0
    try visit(from: row, reader) { _ in
      count += 1
      return true
    }
    return count
  }
}

extension ResolvedCollection: CustomStringConvertible {
  package var description: String {
    filters.isEmpty ? name : "\(name){\(filters.map(\.description).joined(separator: " && "))}"
  }
}
