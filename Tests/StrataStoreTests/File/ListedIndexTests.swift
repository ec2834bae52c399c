// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Testing

/// Docs/FileFormat.md, "index entries".
@Suite struct `An index over a list of properties` {
  private class Thing {}

  private static let place = EntityDescription(
    "Place", class: Thing.self,
    uniqueTogether: [["name", "code"]], indexes: [["name", "level"], ["level", "name"]],
    properties: [
      .attribute(AttributeDescription("level", type: .int64, isOptional: true)),
      .attribute(AttributeDescription("name", type: .string)),
      .attribute(AttributeDescription("code", type: .int64)),
    ])
  private static let town = EntityDescription(
    "Town", class: Thing.self, superentity: place, indexes: [["area", "name"]],
    properties: [.attribute(AttributeDescription("area", type: .double, isOptional: true))])

  private func store() throws -> any PersistentStore {
    try LMDBStore.inMemory(model: ManagedObjectModel(entities: [Self.town]))
  }

  private func entries(_ store: any PersistentStore, _ names: [String]) throws -> [[UInt8]] {
    let index = try #require(
      store.schema.of(Self.town).indexes.first { $0.names(in: Self.town) == names })
    var entries: [[UInt8]] = []
    try store.snapshot().scanIndex(index.number, in: KeyRange(), isReversed: false) { entry, _ in
      entries.append([UInt8](entry))
      return .more
    }
    return entries
  }

  @Test func `has the bytes that one over a constraint has, and may repeat`() throws {
    let store = try store()
    var edit = Edit(store)
    edit.insert(Self.place, ["name": .string("Ada"), "level": .int(1), "code": .int(1)])
    edit.insert(Self.town, ["name": .string("Ada"), "level": .int(1), "code": .int(2)])
    edit.insert(Self.town, ["name": .string("Bo"), "code": .int(3), "area": .double(1)])
    try edit.save()
    let ada: [UInt8] = [0x41, 0x64, 0x61, 1]
    let bo: [UInt8] = [0x42, 0x6F, 1]
    // Numbers go by name: Place 1, Town 2; serials 1 … 3.
    func object(_ entity: UInt8, _ serial: UInt8) -> [UInt8] { [0, entity, 0, 0, 0, 0, 0, serial] }
    #expect(
      try entries(store, ["name", "level"]) == [
        ada + [0x81, 1] + object(1, 1), ada + [0x81, 1] + object(2, 2), bo + [0] + object(2, 3),
      ])
    #expect(
      try entries(store, ["level", "name"]) == [
        [0] + bo + object(2, 3), [0x81, 1] + ada + object(1, 1), [0x81, 1] + ada + object(2, 2),
      ])
    // The subentity's own has no entry of the other's.
    #expect(
      try entries(store, ["area", "name"]) == [
        [UInt8](repeating: 0, count: 8) + ada + object(2, 2),
        [0xBF, 0xF0, 0, 0, 0, 0, 0, 0] + bo + object(2, 3),
      ])
    store.close()
  }

  @Test func `has a number after the properties, among the constraints, under its names`() throws {
    let store = try store()
    #expect(
      store.schema.numbers.properties == [
        "Place": [
          "code": 1, "level": 2, "name": 3, "(level,name)": 4, "(name,code)": 5,
          "(name,level)": 6,
        ],
        "Town": ["area": 7, "(area,name)": 8],
      ])
    store.close()
  }
}
