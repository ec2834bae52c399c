// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

@Suite struct `Contexts over several stores` {
  private let stores: TwoStores
  private let context: ManagedObjectContext

  init() throws {
    stores = try TwoStores()
    context = stores.newContext()
  }

  /// Saves cities, with these populations, to the stores in turn.
  private func fill(_ populations: [Int]) throws {
    let filler = stores.newContext()
    for remainder in 0..<2 {
      for (index, population) in populations.enumerated() where index % 2 == remainder {
        try filler.city(
          "city \(index)", population: population,
          in: remainder == 0 ? stores.main : stores.cache)
      }
      try filler.save()
    }
  }

  // MARK: - Fetching

  @Test(arguments: [3, 40, 700])
  func `fetch the objects of all in one order`(_ count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let populations = (0..<count).map { _ in Int.random(in: 0..<count / 2, using: &random) }
    try fill(populations)
    // An unsaved object is among them.
    context.city("new", population: count / 4)
    let all = populations + [count / 4]
    #expect(try context.count(City.all) == all.count)
    let ascending = try context.fetch(City.all.sorted(by: \.population)).map(\.population)
    #expect(ascending == all.sorted())
    let descending = try context.fetch(
      City.all.sorted(by: \.population, order: .reverse)
    ).map(\.population)
    #expect(descending == all.sorted().reversed())
    let page = try context.fetch(City.all.sorted(by: \.population).limit(5).offset(2))
    #expect(page.map(\.population) == Array(all.sorted().dropFirst(2).prefix(5)))
    let bound = count / 3
    let filtered = try context.fetch(
      City.where { $0.population >= bound }.sorted(by: \.population))
    #expect(filtered.map(\.population) == all.filter { $0 >= bound }.sorted())
    #expect(
      try context.count(City.where { $0.population == bound })
        == all.filter { $0 == bound }.count)
    #expect(try context.fetch(City.where { $0.name == "city 1" }).count == 1)
    #expect(try Set(context.fetchIDs(City.all)).count == all.count)
    #expect(try context.sum(City.all, of: \.population) == all.reduce(0, +))
  }

  @Test func `fetch by the IDs of any store`() throws {
    try fill([1, 2, 3])
    let ids = try context.fetchIDs(City.all.sorted(by: \.population))
    for (index, id) in ids.enumerated() {
      #expect(try stores.newContext().existingObject(City.self, with: id).population == index + 1)
      let read = try #require(ObjectID(uriRepresentation: id.uriRepresentation))
      #expect(read == id)
      #expect(read.entityName == "City")
      #expect(try context.existingObject(City.self, with: read).objectID == id)
    }
    let objects = try context.fetch(City.all)
    #expect(Set(objects.map(\.objectID)) == Set(ids))
    let inCache = try #require(ids.first { stores.coordinator.store(of: $0) == stores.cache })
    // The same serial in the other store is of no object.
    let stranger = try #require(
      ObjectID(
        uriRepresentation: URL(
          string: inCache.uriRepresentation.absoluteString.replacingOccurrences(
            of: stores.cache.id.uuidString, with: stores.main.id.uuidString))!))
    #expect(stores.coordinator.store(of: stranger) == nil)
    #expect(context.registeredObject(for: stranger) == nil)
    #expect(throws: ContextError.foreignObjectID(stranger)) {
      try context.existingObject(City.self, with: stranger)
    }
  }

  @Test func `follow the objects of all in a list`() throws {
    try fill([5, 3])
    let controller = FetchedResultsController(
      City.all.sorted(by: \.population), context: context)
    try controller.performFetch()
    let former = controller.snapshot
    context.automaticallyMergesChangesFromParent = true
    try fill([4, 9])
    context.processPendingChanges()
    #expect(controller.fetchedObjects.map(\.population) == [3, 4, 5, 9])
    let difference = controller.snapshot.difference(from: former)
    #expect(former.applying(difference) == controller.snapshot)
    let encoded = try JSONEncoder().encode(controller.snapshot)
    #expect(
      try JSONDecoder().decode(FetchedResultsSnapshot.self, from: encoded) == controller.snapshot)
  }

  // MARK: - Merging

  @Test func `merge the saves to each`() throws {
    try fill([1, 2])
    let cities = try context.fetch(City.all.sorted(by: \.population))
    context.automaticallyMergesChangesFromParent = true
    let other = stores.newContext()
    for (index, id) in cities.map(\.objectID).enumerated() {
      try other.existingObject(City.self, with: id).name = "merged \(index)"
      try other.save()
      context.processPendingChanges()
      #expect(cities[index].name == "merged \(index)")
    }
    let gone = try other.existingObject(City.self, with: cities[1].objectID)
    other.delete(gone)
    try other.save()
    context.processPendingChanges()
    #expect(cities[1].isDeleted)
    #expect(!cities[0].isDeleted)
  }

  @Test func `merge on request, by the IDs of several stores`() throws {
    try fill([1, 2])
    let cities = try context.fetch(City.all.sorted(by: \.population))
    let other = stores.newContext()
    for id in cities.map(\.objectID) {
      try other.existingObject(City.self, with: id).population += 10
      try other.save()
    }
    let changed = try ChangedObjects(updated: Set(cities.map(\.objectID)))
    #expect(changed.updated == Set(cities.map(\.objectID)))
    try context.mergeChanges(fromRemoteContextSave: changed)
    #expect(cities.map(\.population) == [11, 12])
  }

  @Test func `find a conflict in each store`() throws {
    try fill([1, 2])
    for place in 0..<2 {
      let ours = try stores.newContext().fetched(place)
      let theirs = try stores.newContext().fetched(place)
      theirs.city.population = 100 + place
      try theirs.context.save()
      ours.city.population = 200 + place
      #expect {
        try ours.context.save()
      } throws: {
        guard case StoreError.conflicts(let conflicts) = $0 else { return false }
        return conflicts.map(\.objectID) == [ours.city.objectID]
      }
      ours.context.mergePolicy = .mergeByPropertyObjectTrump
      try ours.context.save()
      #expect(try stores.newContext().fetched(place).city.population == 200 + place)
      // The next save rests on the one before it.
      ours.city.population += 1
      try ours.context.save()
    }
  }

  @Test func `find each save of one after a save of the other no conflict`() throws {
    try fill([1, 2])
    let cities = try context.fetch(City.all.sorted(by: \.population))
    for round in 0..<5 {
      for city in cities {
        city.name = "round \(round)"
        try context.save()
      }
    }
    let names = try stores.newContext().fetch(City.all).map(\.name)
    #expect(names == ["round 4", "round 4"])
  }

  // MARK: - Nesting

  @Test func `nest, and save each store through to the disk`() async throws {
    let child = ManagedObjectContext(parent: context)
    let grandchild = ManagedObjectContext(parent: child)
    for store in [stores.main, stores.cache] {
      let city = try grandchild.city(store.name, in: store)
      try await grandchild.save(to: .store)
      #expect(stores.coordinator.store(of: city.objectID) == store)
      #expect(try stores.newContext().existingObject(City.self, with: city.objectID) !== city)
      city.population = 1
      try grandchild.save()
      let name = store.name
      #expect(try child.fetch(City.where { $0.name == name }).map(\.population) == [1])
      try await child.save(to: .store)
    }
    #expect(try stores.newContext().count(City.where { $0.population == 1 }) == 2)
  }

  @Test func `tell of a save through levels that is of two stores`() async throws {
    let child = ManagedObjectContext(parent: context)
    context.city("of the parent")
    let city = try child.city("of the child", in: stores.cache)
    do {
      try await child.save(to: .store)
      Issue.record("the parent has saved objects of two stores")
    } catch StoreError.severalStoresChanged {
    }
    #expect(try context.cityNames() == ["of the parent"])
    #expect(city.isInserted)
    try context.save()
    #expect(try stores.newContext().cityNames() == ["of the parent"])
  }

  @Test func `keep a pinned state of all`() throws {
    try fill([1, 2])
    try context.setQueryGeneration(from: .current)
    try fill([3, 4])
    #expect(try context.count(City.all) == 2)
    #expect(try context.fetch(City.all.sorted(by: \.population)).map(\.population) == [1, 2])
    try context.setQueryGeneration(from: nil)
    #expect(try context.count(City.all) == 4)
  }

  @Test func `undo and redo in each store`() throws {
    let manager = ManagedObjectContext.UndoManager()
    context.undoManager = manager
    let city = try context.city("a", in: stores.cache)
    context.processPendingChanges()
    let id = city.objectID
    manager.undo()
    #expect(try context.count(City.all) == 0)
    manager.redo()
    #expect(try context.fetchIDs(City.all) == [id])
    try context.save()
    #expect(try stores.newContext().fetchIDs(City.all) == [id])
  }
}

extension ManagedObjectContext {
  /// The city at a place in the order of the names.
  fileprivate func fetched(_ place: Int) throws -> (context: ManagedObjectContext, city: City) {
    (self, try fetch(City.all.sorted(by: \.name))[place])
  }
}
