// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Works out how a model lies in a store, given the store's numbers.
struct SchemaBuilder {
  let model: ManagedObjectModel
  let numbers: SchemaNumbers
  let version: UInt16
  let store: StoreIdentity

  func schema(of entity: EntityDescription) -> EntitySchema {
    let propertyNumbers = entity.properties.indices.map { number(ofSlot: $0, in: entity) }
    return EntitySchema(
      store: store, number: number(of: entity), description: entity,
      layout: RecordLayout(version: version, slots: slots(of: entity, propertyNumbers)),
      numbers: propertyNumbers, indexes: indexes(of: entity, propertyNumbers),
      relationships: entity.properties.indices.map { relationship(atSlot: $0, in: entity) },
      incoming: incoming(to: entity),
      family: model.entities.filter { $0.isKind(of: entity) && !$0.isAbstract }
        .map(number(of:)).sorted())
  }

  private func slots(
    of entity: EntityDescription, _ numbers: [PropertyNumber]
  ) -> [SlotDescription] {
    zip(entity.properties, numbers).map { property, number in
      SlotDescription(
        number: number, kind: Self.kind(of: property),
        isTransient: property.attribute?.isTransient ?? false,
        isExternal: property.attribute?.isExternal ?? false)
    }
  }

  private func indexes(
    of entity: EntityDescription, _ numbers: [PropertyNumber]
  ) -> [IndexSchema] {
    let single: [IndexSchema] = entity.properties.enumerated().compactMap { slot, property in
      let kind = Self.kind(of: property)
      let isIndexed = property.attribute?.isIndexed ?? (kind == .toOne)
      guard isIndexed else { return nil }
      return IndexSchema(
        number: numbers[slot], IndexSchema.Part(slot: slot, kind: kind),
        isUnique: property.attribute?.isUnique ?? false)
    }
    return single + entity.lineage.reversed().flatMap(compoundIndexes)
  }

  /// The indexes that `entity` itself declares over several properties: they hold its subentities'
  /// objects too, whose slots begin with its own.
  private func compoundIndexes(declaredBy entity: EntityDescription) -> [IndexSchema] {
    let unique = entity.uniqueTogether.map { ($0, true) }
    return (unique + entity.indexes.map { ($0, false) }).map { names, isUnique in
      let parts = names.map { name in
        guard let slot = entity.slot(named: name) else {
          preconditionFailure("a model's constraints and indexes are about its own properties")
        }
        return IndexSchema.Part(slot: slot, kind: Self.kind(of: entity.properties[slot]))
      }
      let name = SchemaNumbers.name(ofIndexOver: names)
      guard let number = numbers.number(ofProperty: name, declaredBy: entity.name) else {
        preconditionFailure("a schema is made with a number for each of its indexes")
      }
      return IndexSchema(number: number, parts[0], Array(parts.dropFirst()), isUnique: isUnique)
    }
  }

  private func relationship(
    atSlot slot: Int, in entity: EntityDescription
  ) -> RelationshipSchema? {
    guard let relationship = entity.properties[slot].relationship else { return nil }
    let inverse = inverse(ofSlot: slot, in: entity)
    return RelationshipSchema(
      number: number(ofSlot: slot, in: entity), name: relationship.name, slot: slot,
      kind: relationship.kind, isSymmetric: relationship.isSymmetric,
      deleteRule: relationship.deleteRule, destination: number(of: relationship.destination()),
      inverse: inverse, storage: storage(ofSlot: slot, in: entity, inverse: inverse))
  }

  private func storage(
    ofSlot slot: Int, in entity: EntityDescription, inverse: RelationshipSchema.Inverse?
  ) -> RelationshipSchema.Storage {
    let number = number(ofSlot: slot, in: entity)
    if entity.properties[slot].relationship?.isToMany != true { return .slot }
    guard let inverse else { return .links(number, mirror: number.reversed) }
    return inverse.kind == .toOne
      ? .inverseSlot(index: inverse.number, slot: inverse.slot)
      : .links(number, mirror: inverse.number)
  }

  private func inverse(
    ofSlot slot: Int, in entity: EntityDescription
  ) -> RelationshipSchema.Inverse? {
    let declaring = model.declaringEntity(of: slot, in: entity)
    let side = ManagedObjectModel.PropertyReference(
      entity: declaring.name, property: entity.properties[slot].name)
    guard let other = model.inverse(of: side), let otherEntity = model.entity(named: other.entity),
      let otherSlot = otherEntity.slot(named: other.property),
      let relationship = otherEntity.properties[otherSlot].relationship
    else { return nil }
    return RelationshipSchema.Inverse(
      number: number(ofSlot: otherSlot, in: otherEntity), slot: otherSlot, kind: relationship.kind)
  }

  private func incoming(to entity: EntityDescription) -> [IncomingRelationship] {
    model.entities.flatMap { owner in
      owner.properties.indices.dropFirst(owner.firstOwnSlot).compactMap { slot in
        guard let relationship = owner.properties[slot].relationship,
          entity.isKind(of: relationship.destination()), inverse(ofSlot: slot, in: owner) == nil
        else { return nil }
        return IncomingRelationship(
          owner: number(of: owner), number: number(ofSlot: slot, in: owner), slot: slot,
          storage: storage(ofSlot: slot, in: owner, inverse: nil))
      }
    }
  }

  // MARK: - Numbers

  private func number(of entity: EntityDescription) -> EntityNumber {
    guard let number = numbers.number(ofEntity: entity.name) else {
      preconditionFailure("a schema is made with a number for each of its entities")
    }
    return number
  }

  private func number(ofSlot slot: Int, in entity: EntityDescription) -> PropertyNumber {
    let declaring = model.declaringEntity(of: slot, in: entity)
    let name = entity.properties[slot].name
    guard let number = numbers.number(ofProperty: name, declaredBy: declaring.name) else {
      preconditionFailure("a schema is made with a number for each of its properties")
    }
    return number
  }

  static func kind(of property: PropertyDescription) -> SlotKind {
    switch property {
    case .attribute(let attribute): .attribute(attribute.type)
    case .relationship(let relationship): relationship.isToMany ? .toMany : .toOne
    }
  }
}
