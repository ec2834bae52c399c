// SPDX-License-Identifier: Apache-2.0

/// The way from the model that a store was made with to the model of a program: the former names of
/// entities and properties, the new ones, and the removed ones.
///
/// An entity or a property continues the one of its name in the store, or else the one of its
/// `originalName`. Core Data: an inferred mapping model.
package struct ModelEvolution: Sendable {
  /// An entity of the new model.
  package struct Entity: Sendable {
    package let description: EntityDescription
    /// Nil if it is new.
    package let former: ModelOutline.Entity?
    /// The former names of the properties that it declares, by name. New ones are missing.
    package let formerNames: [String: String]
    /// The same, of inherited properties too.
    let allFormerNames: [String: String]

    /// The former names of a list of properties; nil if one of them is new.
    package func formerList(_ names: [String]) -> [String]? {
      let former = names.compactMap { allFormerNames[$0] }
      return former.count == names.count ? former : nil
    }
  }

  /// In the order of the model.
  package let entities: [Entity]
  /// The names of the store's entities that are gone.
  package let removedEntities: [String]
  /// The properties that are gone, of entities that are not: names of the store's model.
  package let removedProperties: [ManagedObjectModel.PropertyReference]
  /// The differences that cannot be inferred; empty if all can.
  package let mismatches: [ModelMismatch]

  /// The attributes that must have a value, which no default gives to existing objects: the code of
  /// a stage does. Names of the new model.
  package let awaited: [ManagedObjectModel.PropertyReference]

  /// - Parameters:
  ///   - removing: the names of entities, and of properties as `Entity.property`, whose data may be
  ///     deleted: names of the store's model.
  ///   - converting: properties as `Entity.property`, in the new model, whose values the code of a
  ///     stage sets. A former property of the name with another form is removed.
  package init(
    from stored: ModelOutline, to model: ManagedObjectModel, removing: Set<String> = [],
    converting: Set<String> = []
  ) {
    var builder = ModelEvolutionBuilder(stored, model, converting)
    builder.compare()
    awaited = builder.awaited
    entities = builder.entities
    removedEntities = builder.removedEntities
    removedProperties = builder.removedProperties
    let goneEntities = removedEntities.map { ModelMismatch($0, .removed) }
    let goneProperties = removedProperties.map {
      ModelMismatch($0.entity, property: $0.property, .removed)
    }
    mismatches =
      builder.mismatches
      + (goneEntities + goneProperties).filter { difference in
        let name = difference.property.map { "\(difference.entity).\($0)" } ?? difference.entity
        return !removing.contains(name) && !builder.replaced.contains(name)
      }
  }
}

/// Compares two models.
private struct ModelEvolutionBuilder {
  let stored: [String: ModelOutline.Entity]
  let model: ManagedObjectModel
  let converting: Set<String>
  var awaited: [ManagedObjectModel.PropertyReference] = []
  /// The former properties, as `Entity.property`, that converted ones replace.
  var replaced: Set<String> = []
  var entities: [ModelEvolution.Entity] = []
  var removedEntities: [String] = []
  var removedProperties: [ManagedObjectModel.PropertyReference] = []
  var mismatches: [ModelMismatch] = []

  /// The names of the model's entities, by the names that they had.
  private var presentNames: [String: String] = [:]

  init(_ outline: ModelOutline, _ model: ManagedObjectModel, _ converting: Set<String>) {
    // A damaged outline may name an entity twice.
    stored = Dictionary(outline.entities.map { ($0.name, $0) }) { first, _ in first }
    self.model = model
    self.converting = converting
  }

  mutating func compare() {
    for entity in model.entities {
      let former = self.former(
        entity.name, entity.originalName, among: { stored[$0] != nil },
        isTaken: { model.entity(named: $0) != nil })
      guard let former else { continue }
      if let other = presentNames.updateValue(entity.name, forKey: former), other != entity.name {
        mismatches.append(ModelMismatch(entity.name, .ambiguousOriginalName(former)))
      }
    }
    let formerNames = Dictionary(presentNames.map { ($0.value, $0.key) }) { first, _ in first }
    for entity in model.entities {
      compare(entity, with: formerNames[entity.name].flatMap { stored[$0] })
    }
    removedEntities = stored.keys.filter { presentNames[$0] == nil }.sorted()
  }

  /// The stored name that `name` continues; nil if it is new.
  private func former(
    _ name: String, _ originalName: String?, among isStored: (String) -> Bool,
    isTaken: (String) -> Bool
  ) -> String? {
    if isStored(name) { return name }
    guard let originalName, isStored(originalName), !isTaken(originalName) else { return nil }
    return originalName
  }

  private mutating func compare(_ entity: EntityDescription, with former: ModelOutline.Entity?) {
    let own = entity.ownProperties
    var formerNames: [String: String] = [:]
    if let former {
      let attributes = Set(former.attributes.map(\.name))
      let relationships = Set(former.relationships.map(\.name))
      for property in own {
        let name = self.former(
          property.name, property.originalName,
          among: { attributes.contains($0) || relationships.contains($0) },
          isTaken: { name in own.contains { $0.name == name } })
        guard let name else { continue }
        if converting.contains("\(entity.name).\(property.name)"),
          !isContinued(property, of: entity, by: name, of: former)
        {
          replaced.insert("\(former.name).\(name)")
          continue
        }
        if formerNames.values.contains(name) {
          mismatches.append(
            ModelMismatch(entity.name, property: property.name, .ambiguousOriginalName(name)))
        }
        formerNames[property.name] = name
      }
      let kept = Set(formerNames.values)
      removedProperties += attributes.union(relationships).subtracting(kept).sorted().map {
        ManagedObjectModel.PropertyReference(entity: former.name, property: $0)
      }
      if former.superentity.map({ presentNames[$0] }) != entity.superentity.map(\.name) {
        mismatches.append(ModelMismatch(entity.name, .changedSuperentity))
      }
      if entity.isAbstract, !former.isAbstract {
        mismatches.append(ModelMismatch(entity.name, .becameAbstract))
      }
    }
    let inherited = entity.superentity.flatMap { above in
      entities.first { $0.description === above }?.allFormerNames
    }
    entities.append(
      ModelEvolution.Entity(
        description: entity, former: former, formerNames: formerNames,
        allFormerNames: formerNames.merging(inherited ?? [:]) { own, _ in own }))
    for property in own {
      let formerName = formerNames[property.name]
      switch property {
      case .attribute(let attribute):
        compare(
          attribute, of: entity, wasOf: former?.name,
          with: formerName.map { name in former?.attributes.first { $0.name == name } })
      case .relationship(let relationship):
        compare(
          relationship, of: entity,
          with: formerName.map { name in former?.relationships.first { $0.name == name } })
      }
    }
  }

  /// - Parameters:
  ///   - formerEntity: the former name of the entity; nil if it is new.
  ///   - former: nil for a new attribute; nil within for one that was a relationship.
  private mutating func compare(
    _ attribute: AttributeDescription, of entity: EntityDescription, wasOf formerEntity: String?,
    with former: ModelOutline.Attribute??
  ) {
    func note(_ kind: ModelMismatch.Kind) {
      mismatches.append(ModelMismatch(entity.name, property: attribute.name, kind))
    }
    func noteMissing(_ kind: ModelMismatch.Kind) {
      guard converting.contains("\(entity.name).\(attribute.name)") else { return note(kind) }
      awaited.append(
        ManagedObjectModel.PropertyReference(entity: entity.name, property: attribute.name))
    }
    let hasDefault = attribute.isOptional || attribute.defaultValue != .null
    switch former {
    case nil:
      if formerEntity == nil || attribute.isTransient { return }
      if attribute.derivation != nil { return note(.newDerivation) }
      if !hasDefault { noteMissing(.missingDefault) }
    case .some(nil): note(.changedKind)
    case .some(let former?):
      if former.isTransient || attribute.isTransient {
        if !former.isTransient {
          removedProperties.append(
            ManagedObjectModel.PropertyReference(
              entity: formerEntity ?? entity.name, property: former.name))
        } else if !attribute.isTransient, !hasDefault {
          // A value that was never stored is new to the store.
          noteMissing(.missingDefault)
        }
        return
      }
      if (former.isExternal ?? false) != attribute.isExternal { return note(.changedStorage) }
      if !attribute.type.widens(former.type) {
        return note(.changedType(from: former.type, to: attribute.type))
      }
      if former.isOptional, !hasDefault { noteMissing(.missingDefaultForNil) }
    }
  }

  /// - Parameter former: nil for a new relationship; nil within for one that was an attribute.
  private mutating func compare(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    with former: ModelOutline.Relationship??
  ) {
    func note(_ kind: ModelMismatch.Kind) {
      mismatches.append(ModelMismatch(entity.name, property: relationship.name, kind))
    }
    guard let former else { return }
    guard let former else { return note(.changedKind) }
    let side = ManagedObjectModel.PropertyReference(
      entity: entity.name, property: relationship.name)
    guard isContinued(former, by: relationship, side) else { return note(.changedRelationship) }
  }

  private func isContinued(
    _ former: ModelOutline.Relationship, by relationship: RelationshipDescription,
    _ side: ManagedObjectModel.PropertyReference
  ) -> Bool {
    former.kind == relationship.kind
      && presentNames[former.destination] == relationship.destination().name
      && isContinued(former.inverse, by: model.inverse(of: side), of: relationship)
  }

  /// Whether a property has the form of its former one, so that its values stay.
  private func isContinued(
    _ property: PropertyDescription, of entity: EntityDescription, by name: String,
    of formerEntity: ModelOutline.Entity
  ) -> Bool {
    switch property {
    case .attribute(let attribute):
      guard let former = formerEntity.attributes.first(where: { $0.name == name }) else {
        return false
      }
      return (former.isExternal ?? false) == attribute.isExternal
        && attribute.type.widens(former.type)
    case .relationship(let relationship):
      let former = formerEntity.relationships.first { $0.name == name }
      let side = ManagedObjectModel.PropertyReference(
        entity: entity.name, property: relationship.name)
      return former.map { isContinued($0, by: relationship, side) } ?? false
    }
  }

  /// Whether the stored form of a relationship does not depend on the change of its inverse. A
  /// to-one slot holds the relationship whatever the inverse is, as long as that is to-many. Any
  /// other form depends on the inverse's kind.
  private func isContinued(
    _ former: String?, by inverse: ManagedObjectModel.PropertyReference?,
    of relationship: RelationshipDescription
  ) -> Bool {
    let formerInverse = former.flatMap(presentInverse)
    let isSlotAlone = relationship.kind == .toOne
    if formerInverse == inverse, (former == nil) == (inverse == nil) {
      let formerKind = former.flatMap { self.formerKind(of: $0) }
      let kind = inverse.flatMap { self.kind(of: $0) }
      return formerKind == kind || isSlotAlone && formerKind != .toOne && kind != .toOne
    }
    guard isSlotAlone, formerInverse == nil || inverse == nil else { return false }
    return inverse.map { kind(of: $0) != .toOne } ?? true
  }

  /// The kind that a stored "Entity.property" has in the store's model.
  private func formerKind(of former: String) -> RelationshipDescription.Kind? {
    guard let dot = former.firstIndex(of: ".") else { return nil }
    let property = former[former.index(after: dot)...]
    return stored[String(former[..<dot])]?.relationships.first { $0.name == property }?.kind
  }

  private func kind(of reference: ManagedObjectModel.PropertyReference)
    -> RelationshipDescription.Kind?
  {
    model.entity(named: reference.entity)?.ownProperties
      .first { $0.name == reference.property }?.relationship?.kind
  }

  /// The property that a stored "Entity.property" is now; nil if it is gone.
  private func presentInverse(_ former: String) -> ManagedObjectModel.PropertyReference? {
    guard let dot = former.firstIndex(of: "."),
      let name = presentNames[String(former[..<dot])], let entity = model.entity(named: name)
    else { return nil }
    let property = String(former[former.index(after: dot)...])
    let present =
      entity.ownProperties.first { $0.name == property }
      ?? entity.ownProperties.first { $0.originalName == property }
    return present.map {
      ManagedObjectModel.PropertyReference(entity: name, property: $0.name)
    }
  }
}
