// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The numbers that one store has given to the entities and properties of its model.
///
/// A store writes numbers, never names. A number is given when a name first appears in the store,
/// kept in its catalog, and not reused, so that a later model can rename or drop any name.
package struct SchemaNumbers: Codable, Sendable, Hashable {
  /// By entity name. 1 … 32,767.
  package private(set) var entities: [String: UInt16] = [:]
  /// By the name of the declaring entity, then of the property. 1 … 32,767, unique over the store:
  /// the same number tags the slot in records, names the index over it, and names its links. An
  /// index over several properties has a number too, under a name that no property has, and so has
  /// the index of a text's words.
  package private(set) var properties: [String: [String: UInt16]] = [:]
  package private(set) var lastEntity: UInt16 = 0
  package private(set) var lastProperty: UInt16 = 0

  package init() {}

  /// The numbers that a new store of `model` gives.
  package init(newStoreOf model: ManagedObjectModel) { number(model) }

  /// The numbers as a store keeps them: JSON with sorted keys.
  package var text: [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("entities") { Self.write(entities, to: &$0) }
      $0.member("lastEntity", lastEntity)
      $0.member("lastProperty", lastProperty)
      $0.member("properties") {
        $0.object { json in
          for (entity, numbers) in properties.sorted(by: { $0.key < $1.key }) {
            json.member(entity) { Self.write(numbers, to: &$0) }
          }
        }
      }
    }
    return json.text
  }

  private static func write(_ numbers: [String: UInt16], to json: inout JSONWriter) {
    json.object { json in
      for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { json.member(name, number) }
    }
  }

  /// Gives a number to each entity and property of `model` that has none yet. They are numbered in
  /// the order of their names, so that the same model is numbered the same in every new store. A
  /// store that has used up its numbers gives the last one again.
  package mutating func number(_ model: ManagedObjectModel) {
    for entity in model.entities.sorted(by: { $0.name < $1.name }) {
      if entities[entity.name] == nil {
        lastEntity = Self.number(after: lastEntity)
        entities[entity.name] = lastEntity
      }
      for property in entity.ownProperties.sorted(by: { $0.name < $1.name })
      where properties[entity.name]?[property.name] == nil {
        lastProperty = Self.number(after: lastProperty)
        properties[entity.name, default: [:]][property.name] = lastProperty
      }
      for name in Self.indexNames(of: entity).sorted()
      where properties[entity.name]?[name] == nil {
        lastProperty = Self.number(after: lastProperty)
        properties[entity.name, default: [:]][name] = lastProperty
      }
    }
  }

  /// The names of the indexes that an entity declares and that do not belong to a property.
  private static func indexNames(of entity: EntityDescription) -> [String] {
    var names = (entity.uniqueTogether + entity.indexes).map(name(ofIndexOver:))
    for property in entity.ownProperties where property.attribute?.isFullText == true {
      names.append(name(ofWordsOf: property.name))
    }
    return names
  }

  private static func number(after last: UInt16) -> UInt16 { last == .max ? last : last + 1 }

  /// The numbers of a store whose model evolves. A name that continues another one gets its number,
  /// a new name gets a new number, and numbers of removed names are not used again.
  ///
  /// If a property continues several ones, it gets the number of one of them; if several properties
  /// continue one, the first gets its number, and the others get new ones (`SlotRenumbering`). A
  /// property that its entity has declared before keeps its number.
  package func evolved(by evolution: ModelEvolution, to model: ManagedObjectModel) -> SchemaNumbers
  {
    var evolved = SchemaNumbers()
    (evolved.lastEntity, evolved.lastProperty) = (lastEntity, lastProperty)
    var taken: Set<UInt16> = []
    for entity in evolution.entities {
      guard let former = entity.former, let number = entities[former.name] else { continue }
      evolved.entities[entity.description.name] = number
      evolved.take(from: self, of: entity, &taken) { $0.entity == former.name }
      evolved.takeIndexes(from: self, of: entity, former)
    }
    for entity in evolution.entities { evolved.take(from: self, of: entity, &taken) { _ in true } }
    evolved.number(model)
    return evolved
  }

  /// Gives the properties that an entity declares, and that have no number yet, the number of a
  /// property that they continue.
  ///
  /// - Parameter isEligible: whether a property may pass its number on.
  private mutating func take(
    from former: SchemaNumbers, of entity: ModelEvolution.Entity, _ taken: inout Set<UInt16>,
    where isEligible: (ModelEvolution.Property) -> Bool
  ) {
    let name = entity.description.name
    for property in entity.description.ownProperties
    where properties[name]?[property.name] == nil {
      let numbers = (entity.origins[property.name] ?? []).filter(isEligible)
        .compactMap { former.properties[$0.entity]?[$0.property] }
      guard let number = numbers.first(where: { !taken.contains($0) }) else { continue }
      taken.insert(number)
      properties[name, default: [:]][property.name] = number
    }
  }

  private mutating func takeIndexes(
    from former: SchemaNumbers, of entity: ModelEvolution.Entity,
    _ formerEntity: ModelOutline.Entity
  ) {
    let (name, numbers) = (entity.description.name, former.properties[formerEntity.name] ?? [:])
    for list in entity.description.uniqueTogether + entity.description.indexes {
      guard let formerList = entity.formerList(list),
        let number = numbers[Self.name(ofIndexOver: formerList)]
      else { continue }
      properties[name, default: [:]][Self.name(ofIndexOver: list)] = number
    }
    for property in entity.description.ownProperties
    where property.attribute?.isFullText == true {
      guard let formerName = entity.formerList([property.name])?.first,
        let number = numbers[Self.name(ofWordsOf: formerName)]
      else { continue }
      properties[name, default: [:]][Self.name(ofWordsOf: property.name)] = number
    }
  }

  /// The key of an index over several properties among the names of properties.
  package static func name(ofIndexOver properties: [String]) -> String {
    "(" + properties.joined(separator: ",") + ")"
  }

  /// The key of the index of a text's words among the names of properties. Neither a property nor
  /// an index over several has such a name.
  package static func name(ofWordsOf property: String) -> String { "(\(property)).words" }

  package func number(ofEntity name: String) -> EntityNumber? {
    entities[name].map(EntityNumber.init(rawValue:))
  }

  package func number(ofProperty name: String, declaredBy entity: String) -> PropertyNumber? {
    properties[entity]?[name].map(PropertyNumber.init(rawValue:))
  }
}
