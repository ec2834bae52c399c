// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataQuery
public import StrataRecord

/// An object of a store, which the store's own model describes. It needs no class: its properties
/// are read by name. It shows one state of the store and does not change.
///
/// ## Isolation
/// The isolation of its source, a stage of a migration.
public struct StoredObject {
  private let entity: EntitySchema
  private let key: ObjectKey
  private let record: Record
  private let view: ReadView

  /// - Returns: nil if the view has no such object.
  init?(_ key: ObjectKey, in view: ReadView) throws {
    guard let entity = view.schema.entity(key.entity), let stored = try view.record(of: key) else {
      return nil
    }
    (self.entity, self.key, self.record, self.view) = (entity, key, stored.record, view)
  }

  /// The ID of the object. A migration keeps it.
  public var objectID: ObjectID { ObjectID(store: view.schema.store, key: key) }

  /// The name of the object's entity.
  public var entityName: String { entity.description.name }

  /// The value of an attribute, or the ID of a to-one relationship's target; `.null` for no value.
  ///
  /// - Throws: `QueryError.unknownProperty`; `.toManyProperty` for a to-many relationship;
  ///   `StoreError` if the bytes of an external attribute cannot be read.
  public func value(_ name: String) throws -> PropertyValue {
    let slot = try slot(name)
    if entity.layout.externalSlots.contains(slot) {
      let data = try view.snapshot.externalData(of: key, at: slot)?.data
      return data.map(PropertyValue.data) ?? .null
    }
    return record.value(at: slot, layout: entity.layout, store: view.schema.store)
  }

  /// The value of an attribute as a `V`; nil for no value, and for a value of another type.
  ///
  /// - Throws: as `value(_:)`.
  public func value<V: AttributeValue>(_ name: String, as _: V.Type = V.self) throws -> V? {
    V(value: try value(name))
  }

  /// The target of a to-one relationship; nil if there is none.
  ///
  /// - Throws: as `value(_:)`; `StoreError`.
  public func target(_ name: String) throws -> StoredObject? {
    guard let target = record.toOne(at: try slot(name), layout: entity.layout) else { return nil }
    return try StoredObject(target, in: view)
  }

  /// The members of a to-many relationship, in their order, or ascending by ID if the relationship
  /// is unordered.
  ///
  /// - Throws: `QueryError.unknownProperty`; `.unfitProperty` for a property that is not a to-many
  ///   relationship; `StoreError`.
  public func members(_ name: String) throws -> [StoredObject] {
    guard let slot = entity.description.slot(named: name) else { throw unknown(name) }
    guard let relationship = entity.relationships[slot], relationship.isToMany else {
      throw QueryError.unfitProperty(entity: entityName, property: name)
    }
    return try view.members(of: relationship, owner: key).compactMap {
      try StoredObject($0.key, in: view)
    }
  }

  private func slot(_ name: String) throws(QueryError) -> Int {
    guard let slot = entity.description.slot(named: name) else { throw unknown(name) }
    if entity.relationships[slot]?.isToMany == true {
      throw .toManyProperty(entity: entityName, property: name)
    }
    return slot
  }

  private func unknown(_ name: String) -> QueryError {
    .unknownProperty(entity: entityName, keyPath: name)
  }
}

@available(*, unavailable)
extension StoredObject: Sendable {}
