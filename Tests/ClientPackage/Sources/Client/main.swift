// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

@Entity final class Country: ManagedObject {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
}

@Entity final class City: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var population: Int = 0
  var country: Country?
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
