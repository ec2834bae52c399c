// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataRecord
import StrataStore

/// One object's part of a transaction. Core Data: `NSPersistentHistoryChange`.
public struct HistoryChange: Sendable, Hashable {
  /// The kinds of changes. Core Data: `NSPersistentHistoryChangeType`.
  public enum Kind: Sendable, Hashable {
    /// The transaction inserted the object.
    case insert
    /// The transaction changed properties of the object.
    case update
    /// The transaction deleted the object.
    case delete
  }

  /// The kind of the change.
  public let kind: Kind
  /// The object that was changed. The ID of a deleted object leads to no object.
  public let objectID: ObjectID
  /// The properties that an update has changed, in the order of the entity; empty for an insert and
  /// a delete. Properties that the model no longer has are left out.
  ///
  /// A to-many relationship with a to-one inverse is not named: the objects whose to-one
  /// relationship changed have changes of their own.
  public let updatedProperties: [String]

  /// Whether this is an update that has changed a property.
  ///
  /// - Parameter property: the key path of a stored property of the object's class, or of a class
  ///   that it inherits from.
  public func updates<T: Entity>(_ property: PartialKeyPath<T>) -> Bool {
    T.entity.slot(for: property).map {
      updatedProperties.contains(T.entity.properties[$0].name)
    } ?? false
  }

  /// The values that a deleted object leaves, by the names of its attributes with
  /// `.preserveValueOnDeletion`; empty for other objects and other kinds. An attribute that was nil
  /// has `.null`. Core Data: `tombstone`.
  public let tombstone: [String: PropertyValue]

  /// Nil if the model no longer has the object's entity.
  init?(_ change: StoredHistoryChange, _ schema: Schema) {
    guard let entity = schema.entity(change.key.entity) else { return nil }
    kind =
      switch change.kind {
      case .insert: .insert
      case .update: .update
      case .delete, .deleteWithValues: .delete
      }
    objectID = ObjectID(store: schema.store, key: change.key)
    updatedProperties =
      change.properties.isEmpty
      ? []
      : zip(entity.description.properties, entity.numbers).filter {
        change.properties.contains($1)
      }.map(\.0.name)
    tombstone = change.tombstone.map { Self.values($0, of: entity, schema) } ?? [:]
  }

  private static func values(
    _ bytes: [UInt8], of entity: EntitySchema, _ schema: Schema
  ) -> [String: PropertyValue] {
    var arena = RecordArena()
    // The store has checked that it can be read.
    let record = try? bytes.withUnsafeBytes {
      try schema.record(of: entity.number, from: $0, into: &arena)
    }
    guard let record else { return [:] }
    var values: [String: PropertyValue] = [:]
    for slot in entity.preservedSlots {
      values[entity.description.properties[slot].name] = record.value(
        at: slot, layout: entity.layout, store: schema.store)
    }
    return values
  }
}
