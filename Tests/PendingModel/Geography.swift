// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataChanges
package import StrataModel
package import StrataRecord

private final class Thing {}

/// Countries, their cities and the languages spoken there: the model of which pending changes are
/// tested.
package enum Geography {
  package static let country: EntityDescription = EntityDescription(
    "Country", class: Thing.self,
    properties: [
      .attribute(AttributeDescription("name", type: .string, options: [.indexed])),
      .relationship(
        RelationshipDescription(
          "cities", kind: .toMany, destination: { city }, deleteRule: .cascade,
          inverse: .name("country"))),
      .relationship(
        RelationshipDescription(
          "languages", kind: .toMany, destination: { language }, inverse: .name("countries"))),
    ])
  package static let city: EntityDescription = EntityDescription(
    "City", class: Thing.self,
    properties: [
      .attribute(AttributeDescription("name", type: .string, options: [.indexed])),
      .attribute(AttributeDescription("population", type: .int64)),
      .relationship(RelationshipDescription("country", kind: .toOne, destination: { country })),
      .relationship(RelationshipDescription("twin", kind: .toOne, destination: { city })),
    ])
  package static let language: EntityDescription = EntityDescription(
    "Language", class: Thing.self,
    properties: [
      .relationship(
        RelationshipDescription("countries", kind: .toMany, destination: { country }))
    ])

  package static let schema: Schema = {
    do {
      let model = try ManagedObjectModel(entities: [country, city, language])
      var numbers = SchemaNumbers()
      numbers.number(model)
      return Schema(model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  // Slots of City.
  package static let name = 0
  package static let population = 1
  package static let countrySlot = 2
  package static let twin = 3

  package static func key(_ entity: String, _ serial: UInt64) -> ObjectKey {
    guard let number = schema.numbers.number(ofEntity: entity) else {
      preconditionFailure("no entity \(entity)")
    }
    return ObjectKey(entity: number, serial: serial)
  }

  package static func entity(_ key: ObjectKey) -> EntitySchema {
    guard let entity = schema.entity(key.entity) else { preconditionFailure("no such entity") }
    return entity
  }

  /// A city's record, from another's or from nothing.
  package static func city(
    from base: Record? = nil, name: String? = nil, population: Int64? = nil,
    country: ObjectKey? = nil, twin: ObjectKey? = nil
  ) -> Record {
    var drafts = DraftArena()
    let draft = Draft.make(entity(key("City", 1)).layout, base: base, in: &drafts)
    if let name { draft.set(name, at: Self.name) }
    if let population { draft.set(population, at: Self.population) }
    if let country { draft.setToOne(country, at: countrySlot) }
    if let twin { draft.setToOne(twin, at: Self.twin) }
    var arena = RecordArena()
    return draft.encode(into: &arena)
  }

  package static func segment(
    _ changes: [ObjectKey: Change], links: LinkChanges = LinkChanges()
  ) -> Segment {
    Segment(changes: changes, links: links, schema: schema)
  }

  package static func overlay(_ changes: [ObjectKey: Change], links: LinkChanges = LinkChanges())
    -> Overlay
  {
    Overlay([segment(changes, links: links)])
  }

  package static func name(_ change: Change?) -> String? {
    change?.record?.value(at: name, entity(key("City", 1)).layout)
  }

  package static func population(_ change: Change?) -> Int64? {
    change?.record?.value(at: population, entity(key("City", 1)).layout)
  }

  package static func country(_ change: Change?) -> ObjectKey? {
    change?.record?.toOne(at: countrySlot, layout: entity(key("City", 1)).layout)
  }
}
