// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Guests with names and partners. In the strict description names are unique, and a guest is the
/// partner of the partner.
private enum Guests {
  private class Thing {}

  static let free: EntityDescription = guest(isStrict: false) { free }
  static let strict: EntityDescription = guest(isStrict: true) { strict }

  private static func guest(
    isStrict: Bool, _ itself: @escaping @Sendable () -> EntityDescription
  ) -> EntityDescription {
    EntityDescription(
      "Guest", class: Thing.self, isAbstract: false, superentity: nil,
      properties: [
        .attribute(
          AttributeDescription(
            "name", type: .string, isOptional: true, options: [isStrict ? .unique : .indexed])),
        .relationship(RelationshipDescription("host", kind: .toOne, destination: itself)),
        .relationship(
          RelationshipDescription(
            "partner", kind: .toOne, destination: itself,
            inverse: isStrict ? RelationshipDescription.Inverse.name("host") : nil)),
      ])
  }
}

/// The findings of a check by the strict description, of guests that are saved by the free one.
private func findings(_ edit: (inout Edit) -> Void) throws -> [String] {
  let folder = try TemporaryDirectory()
  let path = folder.file("store").path
  let free = try LMDBStore.open(
    at: path, model: ManagedObjectModel(entities: [Guests.free]), durability: .none)
  var guests = Edit(free)
  edit(&guests)
  try guests.save()
  free.close()

  let model = try ManagedObjectModel(entities: [Guests.strict])
  var options = EnvironmentOptions()
  options.durability = .none
  let environment = try Environment.open(at: path, options: options)
  let text = ModelOutline(model).text
  try environment.writeSync { transaction in
    let tree = try #require(try transaction.tree(named: "catalog"))
    try Array("model".utf8).withUnsafeBytes { key in
      try text.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
    }
  }
  let store = try LMDBStore.open(at: path, model: model, durability: .none)
  defer { store.close() }
  return try findings(in: store)
}

private func findings(in store: LMDBStore) throws -> [String] {
  var findings: [String] = []
  var check = StoreCheck(
    try store.snapshot(), progress: { _ in },
    report: { findings.append("\($0.place): \($0.problem)") })
  _ = check.run()
  return findings
}

@Suite struct `The check of a store` {
  @Test func `finds nothing wrong with different values and partners`() throws {
    let found = try findings { edit in
      let start = String(repeating: "long ", count: 60)
      for name in ["a", "b", start + "a", start + "b", start] {
        edit.insert(Guests.free, ["name": .string(name)])
      }
      for _ in 0..<2 { edit.insert(Guests.free) }
    }
    #expect(found == [])
  }

  @Test func `finds objects with one unique value`() throws {
    let found = try findings { edit in
      for name in ["a", "b", "a"] { edit.insert(Guests.free, ["name": .string(name)]) }
    }
    #expect(found == ["index over Guest.name: Guest/3 has the value of Guest/1"])
  }

  @Test func `finds objects with one unique value that the index has cut`() throws {
    let found = try findings { edit in
      let start = String(repeating: "long ", count: 60)
      for end in ["a", "b", "a", ""] {
        edit.insert(Guests.free, ["name": .string(start + end)])
      }
    }
    #expect(found == ["index over Guest.name: Guest/3 has the value of Guest/1"])
  }

  @Test func `finds an object whose only partner does not lead back`() throws {
    let found = try findings { edit in
      let store = edit.store
      let host = edit.insert(Guests.free)
      edit.insert(Guests.free, ["partner": .object(store.id(host))])
    }
    #expect(found == ["Guest/2.partner: it leads to Guest/1, which does not lead back"])
  }

  @Test func `finds a link to an object of another entity`() throws {
    let folder = try TemporaryDirectory()
    let store = try LMDBStore.open(
      at: folder.file("store").path, model: Atlas.model(), durability: .none)
    defer { store.close() }
    var edit = Edit(store)
    let (city, tag) = (edit.insert(Atlas.city), edit.insert(Atlas.tag))
    let country = edit.insert(Atlas.country)
    edit.link(city, "tags", to: tag)
    edit.link(city, "tags", to: country)
    try edit.save()
    let link = "City/\(city.serial) is linked to Country/\(country.serial)"
    #expect(try findings(in: store) == ["City.tags: \(link), an object of another entity"])
  }
}
