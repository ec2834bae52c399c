// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// Changes the cities of a store, for `TownWatch` in another process to see.
///
/// usage: TownEdit STORE import
///        TownEdit STORE grow ID PEOPLE
///        TownEdit STORE add ID NAME POPULATION
///        TownEdit STORE delete ID
@main enum TownEdit {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 2 else { refuse() }
    let coordinator = try PersistentStoreCoordinator(
      at: URL(filePath: words[0]), model: .geonames())
    let context = ManagedObjectContext(parent: coordinator)
    guard let id = words.count > 2 ? Int(words[2]) : 0 else { refuse() }
    let cities = try context.fetch(City.where { $0.geonameID == id })
    switch (words[1], words.count) {
    case ("import", 2):
      for batch in try GeonamesImport().batches { try batch(context) }
    case ("grow", 4):
      guard let people = Int(words[3]) else { refuse() }
      for city in cities { city.population += people }
    case ("add", 5):
      guard let population = Int(words[4]) else { refuse() }
      let city = City(context: context)
      (city.geonameID, city.name, city.population) = (id, words[3], population)
    case ("delete", 3): cities.forEach(context.delete)
    default: refuse()
    }
    try context.save()
  }

  private static func refuse() -> Never {
    let usage = "usage: TownEdit STORE import|grow ID PEOPLE|add ID NAME POPULATION|delete ID\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
  }
}
