// SPDX-License-Identifier: Apache-2.0

/// Compares a store's model with a program's, entity by entity and property by property.
///
/// Each entity that has objects is compared with all of its properties: what a superentity declares
/// may be new for one of its subentities and old for another.
struct ModelComparison {
  typealias Property = ModelEvolution.Property

  /// A stored property that the objects of an entity do not have any more.
  private struct Loss {
    /// The stored name of the entity.
    let entity: String
    let isAbstract: Bool
    /// Whether the code of a stage sets another property in its place.
    let isReplaced: Bool
  }

  let stored: StoredEntities
  let model: ManagedObjectModel
  private let removing: DataRemoval
  let converting: Set<Property>
  /// The former names that the store has carried out.
  let carriedOut: FormerNames

  private(set) var entities: [ModelEvolution.Entity] = []
  private(set) var removedEntities: [String] = []
  private(set) var mismatches: [ModelMismatch] = []
  private(set) var awaited: [Property] = []

  /// The names of the model's entities, by the names that they had.
  var presentNames: [String: String] = [:]
  /// The stored properties that an entity's properties continue, by the entity's name and theirs.
  var continued: [String: [String: Property]] = [:]
  /// The properties that continue a stored one.
  var successors: [Property: Set<Property>] = [:]
  private var losses: [Property: [Loss]] = [:]
  /// The stored properties that objects of some entity still have.
  private var kept: Set<Property> = []

  init(
    _ stored: StoredEntities, _ carriedOut: FormerNames, _ model: ManagedObjectModel,
    _ removing: DataRemoval, _ converting: Set<Property>
  ) {
    (self.stored, self.carriedOut, self.model) = (stored, carriedOut, model)
    (self.removing, self.converting) = (removing, converting)
  }

  mutating func run() {
    matchEntities()
    let formerNames = Dictionary(presentNames.map { ($0.value, $0.key) }) { first, _ in first }
    let pairs = model.entities.map { ($0, formerNames[$0.name].flatMap { stored[$0] }) }
    for case (let entity, let former?) in pairs { matchProperties(of: entity, with: former) }
    for case (let entity, let former?) in pairs { compare(entity, with: former) }
    removedEntities = stored.byName.keys.filter { presentNames[$0] == nil }.sorted()
    for name in removedEntities where !removing.entities.contains(name) {
      note(ModelMismatch(name, kind(ofLossOf: name)))
    }
    noteLosses()
    let origins = self.origins()
    entities = pairs.map { entity, former in
      ModelEvolution.Entity(
        description: entity, former: former, formerProperties: continued[entity.name] ?? [:],
        origins: origins[entity.name] ?? [:])
    }
  }

  mutating func note(_ mismatch: ModelMismatch) {
    // A superentity's property is compared for each of its subentities.
    if !mismatches.contains(mismatch) { mismatches.append(mismatch) }
  }

  /// The stored properties that each property continues, by the name of the entity that declares it
  /// and its own.
  private func origins() -> [String: [String: [Property]]] {
    var origins: [String: [String: [Property]]] = [:]
    // Superentities come first.
    for entity in model.entities {
      for (declaring, property) in entity.declaredProperties {
        guard let former = continued[entity.name]?[property.name] else { continue }
        var known = origins[declaring.name]?[property.name] ?? []
        if !known.contains(former) { known.append(former) }
        origins[declaring.name, default: [:]][property.name] = known
      }
    }
    return origins
  }

  // MARK: - One entity

  private mutating func compare(_ entity: EntityDescription, with former: ModelOutline.Entity) {
    if entity.isAbstract, !former.isAbstract {
      note(ModelMismatch(entity.name, .becameAbstract))
    }
    var lost = Set(storedProperties(of: former).values)
    for (declaring, property) in entity.declaredProperties {
      let present = Property(entity: declaring.name, property: property.name)
      let isConverted = converting.contains(present)
      guard let match = continued[entity.name]?[property.name],
        !isConverted || isContinued(match, by: property, present)
      else {
        if let replaced = continued[entity.name]?.removeValue(forKey: property.name) {
          lost.remove(replaced)
          noteLoss(of: replaced, former, isReplaced: true)
        }
        // An abstract entity has no objects that need a value.
        if !former.isAbstract, let attribute = property.attribute {
          compareNew(attribute, present, isConverted)
        }
        continue
      }
      lost.remove(match)
      kept.insert(match)
      switch property {
      case .attribute(let attribute): compare(attribute, present, with: match, former, isConverted)
      case .relationship(let relationship): compare(relationship, present, with: match)
      }
    }
    for property in lost where stored.hasData(property) {
      noteLoss(of: property, former, isReplaced: false)
    }
  }

  /// Notes that an attribute must have a value that existing objects do not have.
  private mutating func noteMissing(
    _ kind: ModelMismatch.Kind, _ present: Property, _ isConverted: Bool
  ) {
    if !isConverted {
      note(ModelMismatch(present.entity, property: present.property, kind))
    } else if !awaited.contains(present) {
      awaited.append(present)
    }
  }

  private mutating func compareNew(
    _ attribute: AttributeDescription, _ present: Property, _ isConverted: Bool
  ) {
    if attribute.isTransient { return }
    if attribute.derivation != nil {
      return note(ModelMismatch(present.entity, property: present.property, .newDerivation))
    }
    if !attribute.hasDefault { noteMissing(.missingDefault, present, isConverted) }
  }

  private mutating func compare(
    _ attribute: AttributeDescription, _ present: Property, with match: Property,
    _ formerEntity: ModelOutline.Entity, _ isConverted: Bool
  ) {
    guard let former = stored.attribute(match) else {
      return note(ModelMismatch(present.entity, property: present.property, .changedKind))
    }
    if former.isTransient || attribute.isTransient {
      if !former.isTransient {
        noteLoss(of: match, formerEntity, isReplaced: false)
      } else if !attribute.isTransient, !attribute.hasDefault {
        // A value that was never stored is new to the store.
        noteMissing(.missingDefault, present, isConverted)
      }
    } else if let kind = changedForm(of: former, to: attribute) {
      note(ModelMismatch(present.entity, property: present.property, kind))
    } else if former.isOptional, !attribute.hasDefault {
      noteMissing(.missingDefaultForNil, present, isConverted)
    }
  }

  private mutating func compare(
    _ relationship: RelationshipDescription, _ present: Property, with match: Property
  ) {
    guard let former = stored.relationship(match) else {
      return note(ModelMismatch(present.entity, property: present.property, .changedKind))
    }
    if !isContinued(former, by: relationship, present) {
      note(ModelMismatch(present.entity, property: present.property, .changedRelationship))
    }
  }

  // MARK: - Losses

  private mutating func noteLoss(
    of property: Property, _ entity: ModelOutline.Entity, isReplaced: Bool
  ) {
    losses[property, default: []].append(
      Loss(entity: entity.name, isAbstract: entity.isAbstract, isReplaced: isReplaced))
  }

  /// Notes each loss of data that the program has not named: by the entity that had declared the
  /// property if all objects lose it, else by each entity whose objects lose it.
  private mutating func noteLosses() {
    let all = losses.sorted { ($0.key.entity, $0.key.property) < ($1.key.entity, $1.key.property) }
    for (property, losses) in all {
      let unnamed = losses.filter { !$0.isReplaced && !isNamed(property, of: $0.entity) }
      let isWhole = !kept.contains(property) && unnamed.count == losses.count
      for entity in isWhole ? [property.entity] : unnamed.filter({ !$0.isAbstract }).map(\.entity) {
        let kind = kind(ofLossOf: property.property, of: entity)
        note(ModelMismatch(entity, property: property.property, kind))
      }
    }
  }

  /// The difference that a stored entity is gone, or that another one has its name now.
  private func kind(ofLossOf entity: String) -> ModelMismatch.Kind {
    presentNames.first { $0.value == entity }.map { .replaced(by: $0.key) } ?? .removed
  }

  /// The difference that objects of a stored entity lose a property, or that another one has its
  /// name now.
  private func kind(ofLossOf property: String, of entity: String) -> ModelMismatch.Kind {
    let heirs = stored.heirs(of: entity).compactMap { presentNames[$0] }
    let replacing = heirs.compactMap { continued[$0]?[property]?.property }.first
    return replacing.map { .replaced(by: $0) } ?? .removed
  }

  private func isNamed(_ property: Property, of entity: String) -> Bool {
    removing.properties.contains(property)
      || removing.properties.contains(Property(entity: entity, property: property.property))
  }
}

extension EntityDescription {
  /// All properties, each with the entity that declares it.
  var declaredProperties: [(declaring: EntityDescription, property: PropertyDescription)] {
    (superentity?.declaredProperties ?? []) + ownProperties.map { (self, $0) }
  }
}

extension AttributeDescription {
  /// Whether objects without a value are valid, or show a default.
  fileprivate var hasDefault: Bool { isOptional || defaultValue != .null }
}
