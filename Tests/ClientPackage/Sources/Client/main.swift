// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

@Entity final class City: ManagedObject {
  @Attribute(.unique) var name: String
  @Attribute(.indexed) var population: Int = 0
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
