// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

/// Docs/FileFormat.md, "index entries".
@Suite struct `The index over properties that are unique together` {
  private class Thing {}

  private static let country = EntityDescription(
    "Country", class: Thing.self, properties: [])
  private static let place = EntityDescription(
    "Place", class: Thing.self, isAbstract: true,
    uniqueTogether: [["country", "name", "level"]],
    properties: [
      .attribute(AttributeDescription("level", type: .int64, isOptional: true)),
      .attribute(AttributeDescription("name", type: .string, isOptional: true)),
      .relationship(
        RelationshipDescription("country", kind: .toOne, destination: { country })),
    ])
  private static let city = EntityDescription(
    "City", class: Thing.self, superentity: place,
    properties: [.attribute(AttributeDescription("area", type: .double, isOptional: true))])

  private func store() throws -> any PersistentStore {
    try LMDBStore.inMemory(model: ManagedObjectModel(entities: [Self.country, Self.city]))
  }

  private func entries(_ store: any PersistentStore) throws -> [[UInt8]] {
    let index = try #require(store.schema.of(Self.city).indexes.first { $0.isCompound })
    var entries: [[UInt8]] = []
    try store.snapshot().scanIndex(index.number, in: KeyRange(), isReversed: false) { entry, _ in
      entries.append([UInt8](entry))
      return .more
    }
    return entries
  }

  @Test func `has the parts in the order of the names, and nil in them`() throws {
    let store = try store()
    var edit = Edit(store)
    let country = edit.insert(Self.country)
    let id = PropertyValue.object(store.id(country))
    edit.insert(Self.city, ["country": id, "name": .string("Ada"), "level": .int(1)])
    edit.insert(Self.city, ["name": .string("Ada"), "level": .int(1)])
    edit.insert(Self.city, ["country": id, "level": .int(-2)])
    edit.insert(Self.city)
    try edit.save()
    let nothing = [UInt8](repeating: 0, count: 8)
    // Numbers go by name: City 1, Country 2; serials 1 … 5.
    let iran: [UInt8] = [0, 2, 0, 0, 0, 0, 0, 1]
    let ada: [UInt8] = [0x41, 0x64, 0x61, 1]
    func city(_ serial: UInt8) -> [UInt8] { [0, 1, 0, 0, 0, 0, 0, serial] }
    #expect(
      try entries(store) == [
        nothing + [0, 0] + city(5),
        nothing + ada + [0x81, 1] + city(3),
        iran + [0] + [0x7E, 0xFE] + city(4),
        iran + ada + [0x81, 1] + city(2),
      ])
    store.close()
  }

  @Test func `has a number after those of its entity's properties, under their names`() throws {
    let store = try store()
    #expect(
      store.schema.numbers.properties["Place"]
        == ["country": 2, "level": 3, "name": 4, "(country,name,level)": 5])
    store.close()
  }

  @Test func `follows the values`() throws {
    let store = try store()
    var first = Edit(store)
    let country = first.insert(Self.country)
    let id = PropertyValue.object(store.id(country))
    let key = first.insert(
      Self.city, ["country": id, "name": .string("a"), "level": .int(1)])
    try first.save()
    var second = Edit(store)
    try second.update(key, ["level": .int(2), "area": .double(1)])
    try second.save()
    #expect(try entries(store).map { $0[10..<12] } == [[0x81, 2]])
    var third = Edit(store)
    try third.update(key, ["area": .double(2)])
    try third.save()
    #expect(try entries(store).count == 1)
    var fourth = Edit(store)
    fourth.insert(Self.city, ["country": id, "name": .string("a"), "level": .int(2)])
    #expect { try fourth.save() } throws: { error in
      guard case StoreError.uniquenessViolations(let violations) = error else { return false }
      return violations.map(\.properties) == [["country", "name", "level"]]
        && violations.map(\.existing) == [store.id(key)]
    }
    var fifth = Edit(store)
    try fifth.delete(key)
    fifth.insert(Self.city, ["country": id, "name": .string("a"), "level": .int(2)])
    try fifth.save()
    #expect(try entries(store).count == 1)
    store.close()
  }
}
