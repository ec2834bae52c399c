// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The numbers that one store has given to the entities and properties of its model.
///
/// A store writes numbers, never names. They are given when a name first appears in the store, kept
/// in its catalog, and not reused, so that a later model can rename or drop what it likes.
package struct SchemaNumbers: Codable, Sendable, Hashable {
  /// By entity name. 1 … 32,767.
  package private(set) var entities: [String: UInt16] = [:]
  /// By the name of the declaring entity, then of the property. 1 … 32,767, unique over the store:
  /// the same number tags the slot in records, names the index over it, and names its links. An index
  /// over several properties has a number too, under a name that no property has.
  package private(set) var properties: [String: [String: UInt16]] = [:]
  package private(set) var lastEntity: UInt16 = 0
  package private(set) var lastProperty: UInt16 = 0

  package init() {}

  /// The numbers as they were encoded; nil if the text is none.
  package init?(_ json: JSONValue) {
    guard let entities = json["entities"]?.members, let properties = json["properties"]?.members,
      let lastEntity = json["lastEntity"]?.integer(UInt16.self),
      let lastProperty = json["lastProperty"]?.integer(UInt16.self),
      let entityNumbers = Self.numbers(entities)
    else { return nil }
    self.entities = entityNumbers
    for entity in properties {
      guard let members = entity.value.members, let numbers = Self.numbers(members) else {
        return nil
      }
      self.properties[entity.name] = numbers
    }
    self.lastEntity = lastEntity
    self.lastProperty = lastProperty
  }

  private static func numbers(_ members: [JSONValue.Member]) -> [String: UInt16]? {
    var numbers: [String: UInt16] = [:]
    numbers.reserveCapacity(members.count)
    for member in members {
      guard let number = member.value.integer(UInt16.self) else { return nil }
      numbers[member.name] = number
    }
    return numbers
  }

  /// Gives a number to each entity and property of `model` that has none yet. The order is that of
  /// the names, so that the same model is numbered the same in every new store.
  package mutating func number(_ model: ManagedObjectModel) {
    for entity in model.entities.sorted(by: { $0.name < $1.name }) {
      if entities[entity.name] == nil {
        lastEntity += 1
        entities[entity.name] = lastEntity
      }
      for property in entity.ownProperties.sorted(by: { $0.name < $1.name })
      where properties[entity.name]?[property.name] == nil {
        lastProperty += 1
        properties[entity.name, default: [:]][property.name] = lastProperty
      }
      let indexes = entity.uniqueTogether + entity.indexes
      for name in indexes.map(Self.name(ofIndexOver:)).sorted()
      where properties[entity.name]?[name] == nil {
        lastProperty += 1
        properties[entity.name, default: [:]][name] = lastProperty
      }
    }
  }

  /// What stands for an index over several properties among the names of properties.
  package static func name(ofIndexOver properties: [String]) -> String {
    "(" + properties.joined(separator: ",") + ")"
  }

  package func number(ofEntity name: String) -> EntityNumber? {
    entities[name].map(EntityNumber.init(rawValue:))
  }

  package func number(ofProperty name: String, declaredBy entity: String) -> PropertyNumber? {
    properties[entity]?[name].map(PropertyNumber.init(rawValue:))
  }
}
