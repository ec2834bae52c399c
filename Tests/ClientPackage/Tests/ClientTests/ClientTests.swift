// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Testing

@Entity final class Country: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
}

@Entity final class City: ManagedObject {
  var name: String
  var country: Country?
}

private let fixture = """
  { "Country": { "iran": { "name": "Iran" } },
    "City": { "yazd": { "name": "Yazd", "country": "iran" } } }
  """

@Test func `A client tests its program with StrataTesting alone`() async throws {
  let store = try TestStore(
    ManagedObjectModel(Country.self, City.self), Fixture(json: Data(fixture.utf8)))
  let (iran, yazd) = try (store.objects["iran"], store.objects["yazd"])
  try await expectChanges(in: store.container) {
    try await store.container.performBackgroundTask { context in
      let country = try context.existingObject(Country.self, with: iran)
      context.delete(try context.existingObject(City.self, with: yazd))
      let shiraz = City(context: context)
      (shiraz.name, shiraz.country) = ("Shiraz", country)
      try context.save()
    }
  } to: {
    Deleted(yazd)
    Inserted(City.self).setting(\.name, to: "Shiraz").setting(\.country, to: iran)
  }
}

// Strata is optimized in a client's debug builds (the trait `OptimizedDebug`), and an optimized
// `precondition` would print nothing.
@Suite struct `A mistake that the compiler cannot find stops the client's program` {
  @Test func `with a sentence of the call that was given a wrong number`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = City.all.limit(-1)
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(said.contains("limit(_:) takes 0 or more, not -1"))
  }

  @Test func `with a sentence of the context that an object is of`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let model = try ManagedObjectModel(Country.self, City.self)
      let coordinator = try PersistentStoreCoordinator(inMemory: model)
      let context = ManagedObjectContext(parent: coordinator)
      let other = ManagedObjectContext(parent: coordinator)
      City(context: context).country = Country(context: other)
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(said.contains("Country is of another context: pass its objectID"))
  }
}
