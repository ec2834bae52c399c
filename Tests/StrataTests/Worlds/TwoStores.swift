// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

/// A coordinator of the geography with two stores: "main" takes all entities, "cache" cities and
/// routes.
struct TwoStores {
  let coordinator: PersistentStoreCoordinator

  var main: PersistentStoreCoordinator.Store { coordinator.stores[0] }
  var cache: PersistentStoreCoordinator.Store { coordinator.stores[1] }

  /// In memory.
  init() throws {
    coordinator = try PersistentStoreCoordinator(
      stores: [
        PersistentStoreDescription(inMemory: "main"),
        PersistentStoreDescription(inMemory: "cache", configuration: ["City", "Route"]),
      ], model: geographyModel())
  }

  /// In files of a folder, opened or created.
  ///
  /// - Parameter change: changes the descriptions before they are used.
  init(
    in folder: TemporaryDirectory, _ change: (inout [PersistentStoreDescription]) -> Void = { _ in }
  ) throws {
    var descriptions = [
      PersistentStoreDescription(at: folder.file("main")),
      PersistentStoreDescription(at: folder.file("cache"), configuration: ["City", "Route"]),
    ]
    for place in descriptions.indices { descriptions[place].durability = .none }
    change(&descriptions)
    coordinator = try PersistentStoreCoordinator(stores: descriptions, model: geographyModel())
  }

  func newContext() -> ManagedObjectContext { ManagedObjectContext(parent: coordinator) }

  func close() { coordinator.store.close() }
}

extension ManagedObjectContext {
  /// Inserts a city into a store.
  @discardableResult
  func city(
    _ name: String, population: Int = 0, in store: PersistentStoreCoordinator.Store
  ) throws -> City {
    let city = try City(context: self, in: store)
    city.name = name
    city.population = population
    return city
  }
}
