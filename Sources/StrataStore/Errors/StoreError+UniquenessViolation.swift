// SPDX-License-Identifier: Apache-2.0
public import StrataModel
package import StrataRecord

extension StoreError {
  /// An object that has the same value of a unique attribute, or of properties that are unique
  /// together, as another object. Core Data: `NSConstraintConflict`.
  public struct UniquenessViolation: Sendable, Hashable {
    /// An object that is unsaved, or that the save inserts or updates.
    public let objectID: ObjectID
    /// The name of its entity.
    public let entity: String
    /// The names of the properties: one for an attribute that is unique by itself; several, to-one
    /// relationships among them, for a constraint over them together.
    public let properties: [String]
    /// The object that has the value, in the store or in the same save.
    public let existing: ObjectID

    /// How many violations an error has at most.
    static let countMax = 100

    package init(objectID: ObjectID, entity: String, properties: [String], existing: ObjectID) {
      self.objectID = objectID
      self.entity = entity
      self.properties = properties
      self.existing = existing
    }

    /// The violation of one object whose value in a unique index another object has.
    package init(
      _ key: ObjectKey, _ index: IndexSchema, heldBy holder: ObjectKey, _ entity: EntitySchema
    ) {
      self.init(
        objectID: ObjectID(store: entity.store, key: key), entity: entity.description.name,
        properties: index.names(in: entity.description),
        existing: ObjectID(store: entity.store, key: holder))
    }
  }
}

extension StoreError.UniquenessViolation: CustomStringConvertible {
  /// A sentence without the values.
  public var description: String {
    let names = properties.joined(separator: " and ")
    return properties.count == 1
      ? "The attribute \(entity).\(names) of \(objectID) has the same value as in \(existing)."
      : "The properties \(names) of \(entity) \(objectID) have together the same values as in "
        + "\(existing)."
  }
}
