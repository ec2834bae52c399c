// SPDX-License-Identifier: Apache-2.0
//
// A program that is linked with an archive of Strata. It fetches with a `#Predicate` of many kinds,
// and prints an error: both need conformances that are found at run time.
import Foundation
import Strata

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
      .attribute("name", \Country.name, as: String.self),
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

let container = try PersistentContainer(
  at: URL(fileURLWithPath: CommandLine.arguments[1]),
  model: ManagedObjectModel(Country.self, City.self))
let context = ManagedObjectContext(parent: container.coordinator)
let iran = Country(context: context)
iran.name = "Iran"
for (name, population) in [("Shiraz", 1_565_572), ("Lavasan", 18_146), ("Yazd", 529_673)] {
  let city = City(context: context)
  (city.name, city.population, city.country) = (name, population, iran)
}
try context.save()

let large = try context.fetch(
  FetchRequest(#Predicate<City> { $0.population > 100_000 && $0.country?.name == "Iran" }))
print("large", large.map(\.name).sorted())
let named = try context.fetch(
  FetchRequest(
    #Predicate<City> { $0.name.starts(with: "La") || $0.name.localizedStandardContains("AZD") }))
print("named", named.map(\.name).sorted())
let countries = try context.fetch(
  FetchRequest(
    #Predicate<Country> { $0.cities.contains { $0.population * 2 > 3_000_000 } && !$0.name.isEmpty }
  ))
print("countries", countries.map(\.name))
let errors: [any Error] = [
  ContextError.wouldDeadlock, ModelError.tooLarge, QueryError.unsupportedExpression("Filter"),
  StoreError.snapshotHeld,
]
// Without its text, an error is shown as its case: "snapshotHeld".
print("errors in sentences", errors.count { "\($0)".hasSuffix(".") })
