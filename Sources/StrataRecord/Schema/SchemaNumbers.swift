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
  /// index over several properties has a number too, under a name that no property has.
  package private(set) var properties: [String: [String: UInt16]] = [:]
  package private(set) var lastEntity: UInt16 = 0
  package private(set) var lastProperty: UInt16 = 0

  package init() {}

  /// The numbers as a store keeps them: JSON with sorted keys.
  package var text: [UInt8] {
    let properties = properties.mapValues(Self.text)
    let text = JSONText.object([
      "entities": Self.text(entities),
      "lastEntity": "\(lastEntity)",
      "lastProperty": "\(lastProperty)",
      "properties": Self.text(properties),
    ])
    return Array(text.utf8)
  }

  private static func text(_ members: [String: some CustomStringConvertible]) -> String {
    JSONText.object(
      members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.description) })
  }

  /// Gives a number to each entity and property of `model` that has none yet. They are numbered in
  /// the order of their names, so that the same model is numbered the same in every new store.
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

  /// The key of an index over several properties among the names of properties.
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
