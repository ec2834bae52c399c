// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

/// Lays out a model in a store, given the store's numbers.
///
/// Names are looked up once, when it is made. From then on an entity is found by its identity and a
/// property by its slot: opening a store takes less than half a millisecond, and repeated look-ups
/// of names took a fifth of that.
struct SchemaBuilder {
  /// The numbers of the names of one entity's properties.
  private struct Known {
    let number: EntityNumber
    /// The property numbers, indexed by slot.
    let numbers: [PropertyNumber]
    /// By slot; nil for attributes, and for relationships without inverse.
    let inverses: [RelationshipSchema.Inverse?]
  }

  /// A relationship without an inverse, seen from its destination.
  private struct OneWay {
    let owner: EntityDescription
    let slot: Int
    let destination: EntityDescription
  }

  private let model: ManagedObjectModel
  private let numbers: SchemaNumbers
  private let layouts: LayoutVersions
  private let store: StoreIdentity
  /// The places of the entities in the model.
  private let places: OrderedTable<ObjectIdentifier, Int>
  /// By place.
  private let known: [Known]
  private let oneWays: [OneWay]

  /// - Precondition: `numbers` has a number for every entity and property of `model`.
  init(
    model: ManagedObjectModel, numbers: SchemaNumbers, layouts: LayoutVersions,
    store: StoreIdentity
  ) {
    self.model = model
    self.numbers = numbers
    self.layouts = layouts
    self.store = store
    var places = OrderedTable<ObjectIdentifier, Int>()
    for (place, entity) in model.entities.enumerated() {
      places.set(place, for: ObjectIdentifier(entity))
    }
    let propertyNumbers = Self.propertyNumbers(of: model, numbers, places)
    var known: [Known] = []
    var oneWays: [OneWay] = []
    known.reserveCapacity(model.entities.count)
    // Superentities come first.
    for (place, entity) in model.entities.enumerated() {
      guard let number = numbers.number(ofEntity: entity.name) else {
        stopProgram("a schema is made with a number for each of its entities")
      }
      let inherited = entity.superentity.flatMap { places[ObjectIdentifier($0)] }
      var inverses = inherited.map { known[$0].inverses } ?? []
      inverses.reserveCapacity(entity.properties.count)
      for slot in entity.firstOwnSlot..<entity.properties.count {
        guard let relationship = entity.properties[slot].relationship else {
          inverses.append(nil)
          continue
        }
        let inverse = Self.inverse(
          of: relationship, declaredBy: entity, model, propertyNumbers, places)
        inverses.append(inverse)
        if inverse == nil {
          oneWays.append(
            OneWay(owner: entity, slot: slot, destination: relationship.destination()))
        }
      }
      known.append(
        Known(number: number, numbers: propertyNumbers[place], inverses: inverses))
    }
    self.places = places
    self.known = known
    self.oneWays = oneWays
  }

  /// By the entity's place, then by slot.
  private static func propertyNumbers(
    of model: ManagedObjectModel, _ numbers: SchemaNumbers,
    _ places: OrderedTable<ObjectIdentifier, Int>
  ) -> [[PropertyNumber]] {
    var all: [[PropertyNumber]] = []
    all.reserveCapacity(model.entities.count)
    for entity in model.entities {
      let byName = numbers.properties[entity.name] ?? [:]
      let inherited = entity.superentity.flatMap { places[ObjectIdentifier($0)] }
      var own = inherited.map { all[$0] } ?? []
      own.reserveCapacity(entity.properties.count)
      for property in entity.ownProperties {
        guard let number = byName[property.name] else {
          stopProgram("a schema is made with a number for each of its properties")
        }
        own.append(PropertyNumber(rawValue: number))
      }
      all.append(own)
    }
    return all
  }

  private static func inverse(
    of relationship: RelationshipDescription, declaredBy entity: EntityDescription,
    _ model: ManagedObjectModel, _ numbers: [[PropertyNumber]],
    _ places: OrderedTable<ObjectIdentifier, Int>
  ) -> RelationshipSchema.Inverse? {
    let side = ManagedObjectModel.PropertyReference(
      entity: entity.name, property: relationship.name)
    guard let other = model.inverse(of: side), let otherEntity = model.entity(named: other.entity),
      let slot = otherEntity.slot(named: other.property),
      let otherRelationship = otherEntity.properties[slot].relationship,
      let place = places[ObjectIdentifier(otherEntity)]
    else { return nil }
    return RelationshipSchema.Inverse(
      number: numbers[place][slot], slot: slot, kind: otherRelationship.kind)
  }

  func schema(of entity: EntityDescription) -> EntitySchema {
    let known = known(entity)
    return EntitySchema(
      store: store, number: known.number, description: entity,
      layout: RecordLayout(
        version: layouts.version(of: known.number), slots: slots(of: entity, known.numbers),
        of: entity.name),
      numbers: known.numbers, indexes: indexes(of: entity, known.numbers),
      relationships: entity.properties.indices.map { relationship(atSlot: $0, in: entity, known) },
      incoming: incoming(to: entity),
      family: model.entities.filter { $0.isKind(of: entity) && !$0.isAbstract }
        .map { self.known($0).number }.sorted())
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
      + entity.lineage.reversed().flatMap(wordIndexes)
  }

  /// The indexes of the words of texts that `entity` itself declares.
  private func wordIndexes(declaredBy entity: EntityDescription) -> [IndexSchema] {
    (entity.firstOwnSlot..<entity.properties.count).compactMap { slot in
      let property = entity.properties[slot]
      guard property.attribute?.isFullText == true else { return nil }
      let name = SchemaNumbers.name(ofWordsOf: property.name)
      guard let number = numbers.number(ofProperty: name, declaredBy: entity.name) else {
        stopProgram("a schema is made with a number for each of its indexes")
      }
      return IndexSchema(
        number: number, IndexSchema.Part(slot: slot, kind: Self.kind(of: property)),
        isUnique: false, isOfWords: true)
    }
  }

  /// The indexes that `entity` itself declares over several properties: they hold its subentities'
  /// objects too, whose slots begin with its own.
  private func compoundIndexes(declaredBy entity: EntityDescription) -> [IndexSchema] {
    let unique = entity.uniqueTogether.map { ($0, true) }
    return (unique + entity.indexes.map { ($0, false) }).map { names, isUnique in
      let parts = names.map { name in
        guard let slot = entity.slot(named: name) else {
          stopProgram("a model's constraints and indexes are about its own properties")
        }
        return IndexSchema.Part(slot: slot, kind: Self.kind(of: entity.properties[slot]))
      }
      let name = SchemaNumbers.name(ofIndexOver: names)
      guard let number = numbers.number(ofProperty: name, declaredBy: entity.name) else {
        stopProgram("a schema is made with a number for each of its indexes")
      }
      return IndexSchema(number: number, parts[0], Array(parts.dropFirst()), isUnique: isUnique)
    }
  }

  private func relationship(
    atSlot slot: Int, in entity: EntityDescription, _ known: Known
  ) -> RelationshipSchema? {
    guard let relationship = entity.properties[slot].relationship else { return nil }
    let inverse = known.inverses[slot]
    return RelationshipSchema(
      number: known.numbers[slot], name: relationship.name, slot: slot,
      kind: relationship.kind, isSymmetric: relationship.isSymmetric,
      deleteRule: relationship.deleteRule,
      destination: self.known(relationship.destination()).number, inverse: inverse,
      storage: Self.storage(of: relationship, known.numbers[slot], inverse))
  }

  private static func storage(
    of relationship: RelationshipDescription, _ number: PropertyNumber,
    _ inverse: RelationshipSchema.Inverse?
  ) -> RelationshipSchema.Storage {
    if !relationship.isToMany { return .slot }
    guard let inverse else { return .links(number, mirror: number.reversed) }
    return inverse.kind == .toOne
      ? .inverseSlot(index: inverse.number, slot: inverse.slot)
      : .links(number, mirror: inverse.number)
  }

  private func incoming(to entity: EntityDescription) -> [IncomingRelationship] {
    oneWays.compactMap { oneWay in
      guard entity.isKind(of: oneWay.destination),
        let relationship = oneWay.owner.properties[oneWay.slot].relationship
      else { return nil }
      let owner = known(oneWay.owner)
      let number = owner.numbers[oneWay.slot]
      return IncomingRelationship(
        owner: owner.number, number: number, slot: oneWay.slot,
        storage: Self.storage(of: relationship, number, nil))
    }
  }

  private func known(_ entity: EntityDescription) -> Known {
    guard let place = places[ObjectIdentifier(entity)] else {
      stopProgram("a schema is made with a number for each of its entities")
    }
    return known[place]
  }

  static func kind(of property: PropertyDescription) -> SlotKind {
    switch property {
    case .attribute(let attribute): .attribute(attribute.type)
    case .relationship(let relationship): relationship.isToMany ? .toMany : .toOne
    }
  }
}
