// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// Where a property path leads in one store's schema: from the object over to-one slots to the slot
/// that is asked for.
package struct ResolvedPath: Sendable {
  /// The to-one slots to follow, each in the entity that the one before leads to.
  package let hops: [Int]
  /// The slot in the entity at the end.
  package let slot: Int
  package let kind: SlotKind
  /// If the slot has a composite: where in it the path goes on, and `kind` is that of the member
  /// there.
  package let composite: CompositePath?
  /// The names along the way: "country.name".
  package let name: String
  /// The entity at the end, by name.
  package let entityName: String
  /// What the slot reads as where it was never set: `.null`, unless the attribute is not optional.
  package let absentValue: Value
  /// Whether the entity that the fetch is about has an index over the slot.
  package let isIndexed: Bool
}

/// Turns key paths into slots of one entity of one store.
package struct PathResolver: Sendable {
  package let schema: Schema
  package let entity: EntitySchema

  package init(schema: Schema, entity: EntitySchema) {
    self.schema = schema
    self.entity = entity
  }

  /// - Throws: `unknownProperty`, `transientProperty`; `toManyProperty` or `unfitProperty` if the
  ///   path goes on from a property that is no to-one relationship.
  package func path(_ steps: [any AnyKeyPath & Sendable]) throws(QueryError) -> ResolvedPath {
    var owner = entity
    var hops: [Int] = []
    var names: [String] = []
    for (index, step) in steps.enumerated() {
      guard let slot = owner.description.slot(for: step) else {
        throw .unknownProperty(entity: owner.description.name, keyPath: "\(step)")
      }
      let property = owner.description.properties[slot]
      names.append(property.name)
      if property.attribute?.type == .codable, let member = CompositePath(steps[(index + 1)...]) {
        return try end(property, at: slot, of: owner, hops: hops, names: names, member)
      }
      if index == steps.count - 1 {
        return try end(property, at: slot, of: owner, hops: hops, names: names)
      }
      owner = try destination(of: property, at: slot, of: owner)
      hops.append(slot)
    }
    throw .unknownProperty(entity: entity.description.name, keyPath: "\\.self")
  }

  private func destination(
    of property: PropertyDescription, at slot: Int, of owner: EntitySchema
  ) throws(QueryError) -> EntitySchema {
    let name = owner.description.name
    guard let relationship = owner.relationships[slot] else {
      throw .unfitProperty(entity: name, property: property.name)
    }
    guard !relationship.isToMany, let destination = schema.entity(relationship.destination) else {
      throw .toManyProperty(entity: name, property: property.name)
    }
    return destination
  }

  private func end(
    _ property: PropertyDescription, at slot: Int, of owner: EntitySchema, hops: [Int],
    names: [String], _ composite: CompositePath? = nil
  ) throws(QueryError) -> ResolvedPath {
    let entityName = owner.description.name
    if property.relationship?.isToMany == true {
      throw .toManyProperty(entity: entityName, property: property.name)
    }
    if property.attribute?.isTransient == true {
      throw .transientProperty(entity: entityName, property: property.name)
    }
    let kind = property.attribute.map { SlotKind.attribute(composite?.type ?? $0.type) } ?? .toOne
    return ResolvedPath(
      hops: hops, slot: slot, kind: kind, composite: composite,
      name: (names + (composite?.names ?? [])).joined(separator: "."), entityName: entityName,
      absentValue: property.attribute?.absentValue ?? .null,
      isIndexed: composite == nil && hops.isEmpty && owner.index(at: slot) != nil)
  }
}
