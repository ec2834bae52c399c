// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// The code that `@Entity` generates, written by hand.
final class Country: ManagedObject, Entity {
  var name: String {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var cities: ToMany<City> {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }

  private static let description: EntityDescription = EntityDescription(
    entity: "Country", of: Country.self,
    properties: [
      .attribute("name", \Country.name, as: String.self, .unique),
      .relationship(
        "cities", \Country.cities, as: ToMany<City>.self, deleteRule: .cascade,
        inverse: \City.country),
    ])
  override class var entity: EntityDescription { description }
}

final class City: ManagedObject, Entity {
  var name: String {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var population: Int {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }
  var country: Country? {
    get { self[slot: 2] }
    set { self[slot: 2] = newValue }
  }

  private static let description: EntityDescription = EntityDescription(
    entity: "City", of: City.self,
    properties: [
      .attribute("name", \City.name, as: String.self, .indexed),
      .attribute("population", \City.population, as: Int.self, .indexed, default: 0),
      .relationship("country", \City.country, as: Country?.self),
    ])
  override class var entity: EntityDescription { description }
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).strata")
let model = try ManagedObjectModel(Country.self, City.self)
let container = try PersistentContainer(at: file, model: model)

// A background context has a queue of its own. It saves to the root, in memory.
let worker = container.newBackgroundContext()
let id = try await worker.perform { context in
  let iran = Country(context: context)
  iran.name = "Iran"
  for (name, population) in [("Shiraz", 1_565_572), ("Lavasan", 18_146), ("Yazd", 529_673)] {
    let city = City(context: context)
    (city.name, city.population, city.country) = (name, population, iran)
  }
  try context.save()
  return iran.objectID  // IDs may leave the closure. Objects may not: that does not compile.
}
try await container.root.save()  // The root saves to the disk.

// The main actor's context sees all of it.
let context = container.viewContext
print(try context.existingObject(Country.self, with: id).cities.count)
let large = City.where { $0.country.name == "Iran" && $0.population > 100_000 }.sorted(by: \.name)
for city in try context.fetch(large) { print(city.name, city.population) }
