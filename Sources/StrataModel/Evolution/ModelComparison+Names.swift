// SPDX-License-Identifier: Apache-2.0

// The stored entities and properties that the model continues, by their names.

extension ModelComparison {
  mutating func matchEntities() {
    let matching = NameMatching(
      model.entities.map { ($0.name, $0.originalName) }, isStored: { stored[$0] != nil },
      past: carriedOut.past)
    for (name, former) in matching.formerNames.sorted(by: { $0.key < $1.key }) {
      presentNames[former] = name
    }
    for (name, former) in matching.ambiguous {
      note(ModelMismatch(name, .ambiguousOriginalName(former)))
    }
    for (name, former) in matching.unknown {
      note(ModelMismatch(name, .unknownOriginalName(former)))
    }
  }

  mutating func matchProperties(
    of entity: EntityDescription, with former: ModelOutline.Entity
  ) {
    let properties = storedProperties(of: former)
    let declaring = Dictionary(
      entity.declaredProperties.map { ($0.property.name, $0.declaring.name) }
    ) { first, _ in first }
    func present(_ name: String) -> Property {
      Property(entity: declaring[name] ?? entity.name, property: name)
    }
    let matching = NameMatching(
      entity.declaredProperties.map { ($0.property.name, $0.property.originalName) },
      isStored: { properties[$0] != nil },
      past: { name, former in
        let key = properties[name]?.name ?? name
        let past = carriedOut.past(of: key, former)
        // The code of a stage sets the values of a converted property, whatever they were.
        return past == .unknown && converting.contains(present(name)) ? .carriedOut : past
      })
    var matches: [String: Property] = [:]
    for (name, former) in matching.formerNames {
      guard let match = properties[former] else { continue }
      matches[name] = match
      successors[match, default: []].insert(present(name))
    }
    continued[entity.name] = matches
    for (name, former) in matching.ambiguous {
      note(
        ModelMismatch(
          present(name).entity, property: name, .ambiguousOriginalName(former)))
    }
    for (name, former) in matching.unknown {
      note(
        ModelMismatch(present(name).entity, property: name, .unknownOriginalName(former)))
    }
  }

  /// All properties of a stored entity, inherited ones included, by name.
  func storedProperties(of entity: ModelOutline.Entity) -> [String: Property] {
    var properties: [String: Property] = [:]
    for declaring in stored.lineage(of: entity.name) {
      for name in declaring.attributes.map(\.name) + declaring.relationships.map(\.name) {
        let property = Property(entity: declaring.name, property: name)
        properties[name] = properties[name] ?? property
      }
    }
    return properties
  }

  /// The former names that the store has carried out once it has the model.
  func laterFormerNames() -> FormerNames {
    var later = FormerNames(newStoreOf: model)
    let formerNames = Dictionary(presentNames.map { ($0.value, $0.key) }) { first, _ in first }
    for entity in model.entities {
      if stored[entity.name] != nil {
        later.take(entity.name, of: carriedOut, as: entity.name)
        if formerNames[entity.name] == entity.name, carriedOut.isUnsure(of: entity.name) {
          later.noteUnsure(entity.name)
        }
      }
      guard let former = formerNames[entity.name].flatMap({ stored[$0] }) else { continue }
      let properties = storedProperties(of: former)
      for (declaring, property) in entity.declaredProperties {
        guard let namesake = properties[property.name] else { continue }
        let name = Property(entity: declaring.name, property: property.name).name
        later.take(namesake.name, of: carriedOut, as: name)
        if continued[entity.name]?[property.name] == namesake,
          carriedOut.isUnsure(of: namesake.name)
        {
          later.noteUnsure(name)
        }
      }
    }
    return later
  }
}

extension ManagedObjectModel.PropertyReference {
  /// `Entity.property`.
  var name: String { "\(entity).\(property)" }
}
