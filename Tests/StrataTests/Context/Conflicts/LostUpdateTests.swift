// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import StrataTestSupport
import Testing

/// A stored city that a root and a worker below it hold, both with the values ("A", 0).
private struct HeldCity {
  let container: PersistentContainer
  let root: ManagedObjectContext
  let worker: ManagedObjectContext
  let rootCity: City
  let workerCity: City

  init() throws {
    container = try geography()
    root = ManagedObjectContext(parent: container.coordinator)
    rootCity = root.city("A")
    try root.save()
    worker = ManagedObjectContext(parent: root.layer)
    workerCity = try worker.existingObject(City.self, with: rootCity.objectID)
    #expect(workerCity.name == "A")
  }

  /// The worker renames its city, and the root saves that to the store.
  func rename() throws {
    workerCity.name = "B"
    try worker.save()
    try root.save()
  }

  func stored() throws -> String {
    let id = rootCity.objectID
    return try ContextQueue(parent: container.coordinator).performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
  }
}

@Suite struct `A worker's edit of an object that was saved with another property` {
  @Test func `is a conflict if the root saved it, and the worker has read something since`()
    throws
  {
    let held = try HeldCity()
    held.rootCity.population = 8
    try held.root.save()
    _ = try held.worker.count(Country.all)
    #expect { try held.rename() } throws: { $0.isConflict }
    #expect(try held.stored() == "A 8")
  }

  @Test func `is a conflict if a sibling saved it, and the worker has read something since`()
    throws
  {
    let held = try HeldCity()
    let id = held.rootCity.objectID
    try ContextQueue(parent: held.root.layer).performAndWait { sibling in
      try sibling.existingObject(City.self, with: id).population = 8
      try sibling.save()
    }
    try held.root.save()
    _ = try held.worker.count(Country.all)
    #expect { try held.rename() } throws: { $0.isConflict }
    #expect(try held.stored() == "A 8")
  }

  @Test(arguments: [
    MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump,
  ])
  func `keeps both properties under a policy that merges by property`(policy: MergePolicy) throws {
    let held = try HeldCity()
    held.rootCity.population = 8
    try held.root.save()
    _ = try held.worker.count(Country.all)
    held.root.mergePolicy = policy
    try held.rename()
    #expect(try held.stored() == "B 8")
  }

  @Test func `keeps both properties if the worker merged the save before its edit`() throws {
    let held = try HeldCity()
    held.rootCity.population = 8
    try held.root.save()
    held.worker.refresh(held.workerCity, mergeChanges: true)
    try held.rename()
    #expect(try held.stored() == "B 8")
  }

  @Test func `keeps both properties if the object is unsaved in the root`() throws {
    let held = try HeldCity()
    held.rootCity.population = 8
    held.root.processPendingChanges()
    try held.rename()
    #expect(try held.stored() == "B 8")
  }

  @Test func `keeps a second property that the root sets between two saves of its own`() throws {
    let held = try HeldCity()
    held.rootCity.population = 1
    held.root.processPendingChanges()
    _ = try held.worker.count(Country.all)
    try held.root.save()
    held.rootCity.population = 8
    try held.root.save()
    _ = try held.worker.count(Country.all)
    held.root.mergePolicy = .mergeByPropertyStoreTrump
    try held.rename()
    #expect(try held.stored() == "B 8")
  }
}
