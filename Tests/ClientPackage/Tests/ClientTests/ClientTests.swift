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
