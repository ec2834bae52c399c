// SPDX-License-Identifier: Apache-2.0
import Geonames
import Strata

/// The screen of a user during the import: the number of cities, and the largest ones.
struct Screen: Equatable {
  let cityCount: Int
  let largest: [String]

  init(of context: ManagedObjectContext) throws {
    cityCount = try context.count(City.all)
    largest = try context.fetch(City.all.sorted(by: \.population, order: .reverse).limit(3))
      .map { "\($0.name) (\($0.country?.name ?? "no country"))" }
  }
}
