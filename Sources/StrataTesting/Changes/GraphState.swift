// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges
import StrataModel
import StrataRecord

/// All objects that a context would see at a place, with the values of their properties, at one
/// moment.
///
/// It is read from records, through the layers and the store. So no object is made, no method of an
/// object is called, and no context loads anything.
struct GraphState {
  struct Object {
    let entity: EntitySchema
    /// By slot; nil for a property that is not compared.
    let values: [_ExpectedValue?]
  }

  let schema: Schema
  private(set) var objects: [ObjectID: Object] = [:]

  /// - Throws: `StoreError`.
  /// - Complexity: O(objects).
  init(of place: _ContextPlace) throws {
    let coordinator = place.coordinator
    schema = coordinator.schema
    let layer = ContextLayer(
      parent: place.layer, lock: coordinator.layerLock, source: coordinator)
    let view = try ReadView.take(own: Overlay(), layer: layer, source: coordinator)
    var keys: Set<ObjectKey> = []
    for segment in view.layers.segments {
      for (key, _) in segment.changes { keys.insert(key) }
    }
    for entity in schema.entities where !entity.description.isAbstract {
      try view.snapshot.scanKeys(of: entity.number) { key in
        keys.insert(key)
        return .more
      }
    }
    for key in keys {
      guard let entity = schema.entity(key.entity), let record = try view.record(of: key)?.record
      else { continue }
      objects[ObjectID(store: schema.store, key: key)] = Object(
        entity: entity,
        values: try entity.description.properties.indices.map { slot in
          try Self.value(at: slot, of: key, entity, record, in: view)
        })
    }
  }

  private static func value(
    at slot: Int, of key: ObjectKey, _ entity: EntitySchema, _ record: Record, in view: ReadView
  ) throws -> _ExpectedValue? {
    if let relationship = entity.relationships[slot] {
      guard relationship.isCompared else { return nil }
      if relationship.isToMany {
        return .members(
          try view.members(of: relationship, owner: key).map {
            ObjectID(store: view.schema.store, key: $0.key)
          })
      }
    }
    let attribute = entity.description.properties[slot].attribute
    if attribute?.isTransient == true { return nil }
    if attribute?.isExternal == true {
      let data = try view.externalData(of: key, at: slot)?.data
      return .value(data.map(PropertyValue.data) ?? .null)
    }
    let value = record.value(at: slot, layout: entity.layout, store: view.schema.store)
    return .value(attribute?.shownValue(of: value) ?? value)
  }
}

extension AttributeDescription {
  /// The value as the property of a class reads it: without a value, the default or the zero of its
  /// type.
  func shownValue(of value: PropertyValue) -> PropertyValue {
    guard value == .null, !isOptional else { return value }
    return defaultValue == .null ? type.storedType.zero?.value ?? .null : defaultValue
  }
}

extension RelationshipSchema {
  /// Whether the relationship is the side at which links are compared. A relationship has one such
  /// side, or two if it is ordered or symmetric.
  var isCompared: Bool {
    guard let inverse, !isSymmetric, !isOrdered else { return true }
    return switch (kind, inverse.kind) {
    case (.toOne, .toOne), (.toMany, .toMany): number < inverse.number
    case (.toOne, _): true
    default: false
    }
  }
}
