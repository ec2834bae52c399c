// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The differences between a store's model and another one that are inferred, in words.
struct EvolutionSteps {
  private(set) var lines: [String] = []
  private let former: [String: ModelOutline.Entity]

  init(_ evolution: ModelEvolution, from stored: ModelOutline, to present: ModelOutline) {
    former = Dictionary(stored.entities.map { ($0.name, $0) }) { first, _ in first }
    var continued: Set<ModelEvolution.Property> = []
    for entity in evolution.entities {
      guard let outline = present.entities.first(where: { $0.name == entity.description.name })
      else { continue }
      compare(entity, outline)
      for origins in entity.origins.values { continued.formUnion(origins) }
    }
    for name in evolution.removedEntities { lines.append("\(name) is removed, with its objects") }
    for entity in stored.entities where !evolution.removedEntities.contains(entity.name) {
      for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
        let property = ModelEvolution.Property(entity: entity.name, property: name)
        if !continued.contains(property) {
          lines.append("\(entity.name).\(name) is removed, with its data")
        }
      }
    }
  }

  private mutating func compare(_ entity: ModelEvolution.Entity, _ outline: ModelOutline.Entity) {
    let name = outline.name
    guard let formerEntity = entity.former else {
      lines.append("\(name) is a new entity")
      return
    }
    if formerEntity.name != name { lines.append("\(formerEntity.name) is called \(name)") }
    if formerEntity.superentity != outline.superentity {
      lines.append("\(name) inherits from \(outline.superentity ?? "no entity")")
    }
    for attribute in outline.attributes { compare(attribute, of: name, entity) }
    for relationship in outline.relationships {
      compareNames(relationship.name, of: name, entity)
    }
    if formerEntity.uniqueTogether != outline.uniqueTogether {
      lines.append("\(name) has other constraints over several properties")
    }
    if formerEntity.indexes != outline.indexes {
      lines.append("\(name) has other indexes over several properties")
    }
  }

  private mutating func compare(
    _ attribute: ModelOutline.Attribute, of entity: String, _ evolution: ModelEvolution.Entity
  ) {
    let place = "\(entity).\(attribute.name)"
    guard let origin = compareNames(attribute.name, of: entity, evolution),
      let former = former[origin.entity]?.attributes.first(where: { $0.name == origin.property })
    else { return }
    if former.type != attribute.type {
      lines.append("\(place) has the type \(attribute.type), and had \(former.type)")
    }
    if former.isOptional != attribute.isOptional {
      lines.append("\(place) is \(attribute.isOptional ? "" : "not ")optional")
    }
    if former.isUnique != attribute.isUnique {
      lines.append("\(place) is \(attribute.isUnique ? "" : "not ")unique")
    }
    if former.isIndexed != attribute.isIndexed {
      lines.append("\(place) is \(attribute.isIndexed ? "" : "not ")indexed")
    }
    if former.isFullText != attribute.isFullText {
      lines.append("\(place) has \(attribute.isFullText == true ? "an" : "no") index of its words")
    }
  }

  /// - Returns: the stored property that a property continues; nil if it is new.
  @discardableResult
  private mutating func compareNames(
    _ name: String, of entity: String, _ evolution: ModelEvolution.Entity
  ) -> ModelEvolution.Property? {
    let origins = evolution.origins[name] ?? []
    guard let origin = origins.first else {
      lines.append("\(entity).\(name) is new")
      return nil
    }
    for origin in origins
    where origin.property != name || origin.entity != evolution.former?.name {
      lines.append("\(origin.entity).\(origin.property) is \(entity).\(name)")
    }
    return origin
  }
}
