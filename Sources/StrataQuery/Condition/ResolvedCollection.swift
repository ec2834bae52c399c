// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// The members of a to-many relationship, or those of them that satisfy conditions: what quantifiers,
/// counts and aggregates are about. Core Data: a to-many key path, or SUBQUERY.
///
/// What leads nowhere has no members.
package struct ResolvedCollection: Sendable {
  /// Which relationship of which object.
  package struct Place: Sendable {
    /// How many conditions on collections further out the path begins.
    let depth: Int
    /// The to-one slots to follow to the owner.
    let hops: [Int]
    let relationship: RelationshipSchema
  }

  let place: Place
  /// The entity that the members are of, or inherit from.
  package let destination: EntitySchema
  /// The names along the way: "country.cities".
  let name: String
  /// The entity that has the relationship, by name.
  let entityName: String
  /// What holds of each member that counts.
  var filters: [any Condition] = []

  /// The relationship stands where one value is wanted.
  var isUnfit: QueryError { .toManyProperty(entity: entityName, property: place.relationship.name) }

  /// Calls `body` with the members in ascending order of their keys, or in the order of an ordered
  /// relationship, until it returns false. O(members).
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

  /// How many members there are. Without filters no record is read.
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
