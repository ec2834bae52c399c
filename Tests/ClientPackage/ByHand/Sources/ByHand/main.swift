// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// The code that `@Entity` generates, written by hand.
final class City: ManagedObject, Entity {
  var name: String {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var population: Int {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }

  private static let description: EntityDescription = EntityDescription(
    entity: "City", of: City.self,
    properties: [
      .attribute("name", \City.name, as: String.self, .unique),
      .attribute("population", \City.population, as: Int.self, .indexed, default: 0),
    ])
  override class var entity: EntityDescription { description }
}

let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).strata")
let container = try PersistentContainer(at: file, model: ManagedObjectModel(City.self))

// A worker has a queue of its own. It saves to the root, in memory.
let worker = container.newBackgroundContext()
let yazd = try await worker.perform { context in
  for (name, population) in [("Shiraz", 1_565_572), ("Lavasan", 18_146), ("Yazd", 529_673)] {
    let city = City(in: context)
    city.name = name
    city.population = population
  }
  try context.save()
  // IDs may leave the body. Objects may not: that does not compile.
  return try context.fetchIDs(City.where { $0.name == "Yazd" })[0]
}
// The root saves to the disk.
try await container.root.save()

// The main actor's context sees it all.
print(try container.viewContext.existingObject(City.self, with: yazd).population)
let large = City.where { $0.population > 100_000 }.sorted(by: \.name)
for city in try container.viewContext.fetch(large) { print(city.name, city.population) }
