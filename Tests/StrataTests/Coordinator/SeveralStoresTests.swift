// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

private func changesSeveralStores(_ error: any Error) -> Bool {
  if case StoreError.severalStoresChanged(["main", "cache"]) = error { true } else { false }
}

private func refusal(_ error: any Error) -> ContextError.AssignmentRefusal? {
  if case ContextError.cannotAssign(_, _, let refusal) = error { refusal } else { nil }
}

@Suite struct `A coordinator of several stores` {
  private let stores: TwoStores
  private let context: ManagedObjectContext

  init() throws {
    stores = try TwoStores()
    context = stores.newContext()
  }

  private func store(of object: ManagedObject) -> PersistentStoreCoordinator.Store? {
    stores.coordinator.store(of: object.objectID)
  }

  // MARK: - Where objects go

  @Test func `puts a new object into the first store that accepts its entity`() throws {
    let city = context.city("a")
    #expect(store(of: city) == stores.main)
    try context.save()
    #expect(store(of: city) == stores.main)
    #expect(city.objectID.uriRepresentation.host == stores.main.id.uuidString)
    let other = try PersistentStoreCoordinator(
      stores: [
        PersistentStoreDescription(inMemory: "main", configuration: ["Country"]),
        PersistentStoreDescription(inMemory: "cache"),
      ], model: geographyModel())
    let otherContext = ManagedObjectContext(parent: other)
    let inCache = otherContext.city("b")
    #expect(other.store(of: inCache.objectID) == other.stores[1])
    #expect(other.store(of: city.objectID) == nil)
  }

  @Test func `puts an object into the store that it is assigned to`() throws {
    let city = context.city("a")
    try context.assign(city, to: stores.cache)
    #expect(store(of: city) == stores.cache)
    #expect(context.insertedObjects == [city])
    try context.save()
    #expect(city.objectID.uriRepresentation.host == stores.cache.id.uuidString)
    let reader = stores.newContext()
    #expect(try reader.existingObject(City.self, with: city.objectID).name == "a")
    let alone = try stores.coordinator.coordinator(for: stores.cache)
    #expect(alone.stores == [stores.cache])
    #expect(try ManagedObjectContext(parent: alone).fetchIDs(City.all) == [city.objectID])
    let main = try stores.coordinator.coordinator(for: stores.main)
    #expect(try ManagedObjectContext(parent: main).count(City.all) == 0)
  }

  @Test func `finds an assigned object under its new ID, and not under the old one`() throws {
    let city = context.city("a")
    let former = city.objectID
    try context.assign(city, to: stores.cache)
    #expect(city.objectID != former)
    #expect(context.registeredObject(for: city.objectID) === city)
    #expect(context.registeredObject(for: former) == nil)
    // Already there.
    let present = city.objectID
    try context.assign(city, to: stores.cache)
    #expect(city.objectID == present)
    try context.assign(city, to: stores.main)
    #expect(store(of: city) == stores.main)
    context.processPendingChanges()
    #expect(context.registeredObject(for: city.objectID) === city)
  }

  @Test func `reports an assigned object as inserted once`() throws {
    let city = context.city("a")
    try context.assign(city, to: stores.cache)
    let log = MessageLog(context.layer)
    context.processPendingChanges()
    #expect(log.messages(.objectsDidChange).map(\.objects.inserted) == [[city.objectID]])
  }

  @Test func `inserts into a store from birth`() throws {
    let city = try context.city("a", in: stores.cache)
    #expect(store(of: city) == stores.cache)
    let country = context.country("DE")
    #expect(store(of: country) == stores.main)
    #expect { try Country(context: context, in: stores.cache) } throws: {
      refusal($0) == .notConfigured
    }
    #expect(context.insertedObjects == [city, country])
  }

  @Test func `assigns no object whose entity is not in the configuration`() throws {
    let country = context.country("DE")
    #expect { try context.assign(country, to: stores.cache) } throws: {
      refusal($0) == .notConfigured
    }
    #expect(store(of: country) == stores.main)
    try context.save()
  }

  @Test func `assigns no object that was saved, shown or linked`() throws {
    let saved = context.city("saved")
    try context.save()
    #expect { try context.assign(saved, to: stores.cache) } throws: { refusal($0) == .notNew }
    let shown = context.city("shown")
    context.processPendingChanges()
    #expect { try context.assign(shown, to: stores.cache) } throws: { refusal($0) == .turnEnded }
    shown.name = "edited again"
    #expect { try context.assign(shown, to: stores.cache) } throws: { refusal($0) == .turnEnded }
    let (listed, target) = (context.city("listed"), context.city("target"))
    let route = Route(context: context)
    route.start = target
    #expect { try context.assign(route, to: stores.cache) } throws: { refusal($0) == .linked }
    #expect { try context.assign(target, to: stores.cache) } throws: { refusal($0) == .linked }
    let other = Route(context: context)
    other.ferries.insert(Ferry(context: context))
    #expect { try context.assign(other, to: stores.cache) } throws: { refusal($0) == .linked }
    // The list is read with the turn's objects in it.
    route.stops.append(listed)
    #expect { try context.assign(listed, to: stores.cache) } throws: { refusal($0) == .turnEnded }
    context.delete(listed)
    #expect { try context.assign(listed, to: stores.cache) } throws: { refusal($0) == .notNew }
  }

  @Test func `knows no store of another coordinator`() throws {
    let other = try TwoStores()
    let city = context.city("a")
    for call in [
      { try context.assign(city, to: other.main) },
      { _ = try City(context: context, in: other.main) },
      { _ = try stores.coordinator.coordinator(for: other.main) },
    ] {
      #expect {
        try call()
      } throws: {
        if case StoreError.noSuchStore("main") = $0 { true } else { false }
      }
    }
  }

  @Test func `saves no object that no store accepts, and keeps it`() throws {
    let coordinator = try PersistentStoreCoordinator(
      stores: [PersistentStoreDescription(inMemory: "cities", configuration: ["City"])],
      model: geographyModel())
    let context = ManagedObjectContext(parent: coordinator)
    let country = context.country("DE")
    #expect(coordinator.store(of: country.objectID) == nil)
    #expect {
      try context.save()
    } throws: {
      if case StoreError.noStore("Country") = $0 { true } else { false }
    }
    #expect(context.insertedObjects == [country])
    context.delete(country)
    context.city("a")
    try context.save()
    #expect(try context.count(City.all) == 1)
  }

  // MARK: - Saving

  @Test func `refuses a save of two stores, loses nothing, and saves them one by one`() throws {
    let inMain = context.city("a")
    let inCache = try context.city("b", in: stores.cache)
    try context.save(failingWith: changesSeveralStores)
    #expect(context.insertedObjects == [inMain, inCache])
    #expect(try stores.newContext().count(City.all) == 0)
    let ids = [inMain.objectID, inCache.objectID]
    context.delete(inCache)
    try context.save()
    try context.city("b", in: stores.cache)
    try context.save()
    let reader = stores.newContext()
    #expect(try reader.cityNames() == ["a", "b"])
    #expect(try reader.existingObject(City.self, with: ids[0]).name == "a")

    let cities = try reader.fetch(City.all.sorted(by: \.name))
    for city in cities { city.population = 7 }
    try reader.save(failingWith: changesSeveralStores)
    #expect(reader.updatedObjects.count == 2)
    reader.refresh(cities[1], mergeChanges: false)
    try reader.save()
    cities[1].population = 7
    try reader.save()
    #expect(try stores.newContext().count(City.where { $0.population == 7 }) == 2)
    for city in cities { reader.delete(city) }
    try reader.save(failingWith: changesSeveralStores)
    #expect(reader.deletedObjects.count == 2)
  }

  @Test func `refuses links from one store to another, and says which`() throws {
    let city = context.city("a")
    let route = try Route(context: context, in: stores.cache)
    route.name = "r"
    route.start = city
    #expect {
      try context.save()
    } throws: { error in
      guard case StoreError.linksAcrossStores(let links) = error else { return false }
      let text = "\(error)"
      return links.map(\.property) == ["start"] && links[0].owner == route.objectID
        && links[0].target == city.objectID && links[0].ownerStore == "cache"
        && links[0].targetStore == "main" && text.contains("Route.start")
        && text.contains("in cache leads to") && text.contains("in main.")
    }
    route.start = nil
    route.stops.append(city)
    #expect {
      try context.save()
    } throws: {
      guard case StoreError.linksAcrossStores(let links) = $0 else { return false }
      return Set(links.map(\.property)) == ["stops"]
    }
    route.stops.remove(city)
    try context.save(failingWith: changesSeveralStores)
    context.delete(city)
    try context.save()
    // An object of its own store is linked as ever.
    route.start = try context.city("b", in: stores.cache)
    try context.save()
    let reader = stores.newContext()
    #expect(try reader.fetch(Route.all).map { $0.start?.name } == ["b"])
  }

  @Test func `links that came and went do not make a save one of two stores`() throws {
    let city = context.city("a")
    try context.save()
    let route = try Route(context: context, in: stores.cache)
    route.name = "r"
    route.stops.append(city)
    context.processPendingChanges()
    route.stops.remove(city)
    try context.save()
    let reader = stores.newContext()
    #expect(try reader.fetch(Route.all).map(\.stops.count) == [0])
  }

  @Test func `updates an assigned object by a later row of an import`() throws {
    let stores = try PersistentStoreCoordinator(
      stores: [
        PersistentStoreDescription(inMemory: "one"), PersistentStoreDescription(inMemory: "two"),
      ], model: geographyModel())
    let context = ManagedObjectContext(parent: stores)
    let rows = [("CH", "one"), ("CH", "two")]
    let ids = try context.upsert(Country.self, from: rows, matching: \.iso, by: \.0) {
      country, row in
      if row.1 == "one" { try context.assign(country, to: stores.stores[1]) }
      country.name = row.1
    }
    #expect(ids[0] == ids[1])
    let country = try context.existingObject(Country.self, with: ids[0])
    #expect(country.name == "two")
    #expect(stores.store(of: country.objectID) == stores.stores[1])
  }

  @Test func `keeps values unique in each store`() throws {
    let stores = try PersistentStoreCoordinator(
      stores: [
        PersistentStoreDescription(inMemory: "one"), PersistentStoreDescription(inMemory: "two"),
      ], model: geographyModel())
    let context = ManagedObjectContext(parent: stores)
    for store in stores.stores {
      let country = try Country(context: context, in: store)
      (country.iso, country.name) = ("DE", store.name)
      try context.save()
    }
    #expect(try context.fetch(Country.where { $0.iso == "DE" }).count == 2)
    let third = try Country(context: context, in: stores.stores[1])
    (third.iso, third.name) = ("DE", "third")
    #expect {
      try context.save()
    } throws: {
      guard case StoreError.uniquenessViolations(let violations) = $0 else { return false }
      return violations.map(\.objectID) == [third.objectID]
        && violations.map { stores.store(of: $0.existing)?.name } == ["two"]
    }
  }

  // MARK: - One store alone

  @Test func `tells which store another process has saved to`() async throws {
    var changes = stores.coordinator.remoteChanges().makeAsyncIterator()
    stores.coordinator.feeds[1].tell(.elsewhere(upTo: 3))
    let change = try #require(await changes.next())
    #expect(change.storeID == stores.cache.id)
  }

  @Test func `gives the newest change of each store to a slow consumer of remote changes`()
    async throws
  {
    let folder = try TemporaryDirectory()
    let stores = try TwoStores(in: folder)
    defer { stores.close() }
    var changes = stores.coordinator.remoteChanges().makeAsyncIterator()
    stores.coordinator.feeds[1].tell(.elsewhere(upTo: 3))
    for generation in UInt64(2)...4 {
      stores.coordinator.feeds[0].tell(.elsewhere(upTo: generation))
    }
    let received = [await changes.next(), await changes.next()]
    #expect(received.map { $0?.storeID } == [stores.cache.id, stores.main.id])
    #expect(
      received.map { $0?.token }
        == zip([1, 0], [3, 4]).map { store, generation in
          stores.coordinator.store.members[store].historyToken(of: generation)
        })
  }

  @Test func `goes on while one of its stores is compacted`() async throws {
    let folder = try TemporaryDirectory()
    let stores = try TwoStores(in: folder)
    defer { stores.close() }
    let queue = ContextQueue(parent: stores.coordinator)
    try await queue.perform { context in
      for store in [stores.main, stores.cache] {
        for number in 0..<500 { try context.city("city \(number)", in: store) }
        try context.save()
      }
    }
    let readers = (0..<2).map { _ in
      HeldThread<Int> { thread in
        let queue = ContextQueue(parent: stores.coordinator)
        thread.hold()
        var count = 0
        for _ in 0..<300 { count = try queue.performAndWait { try $0.count(City.all) } }
        return count
      }
    }
    for reader in readers { reader.untilHeld() }
    for reader in readers { reader.letGo() }
    for store in stores.coordinator.stores {
      try await stores.coordinator.coordinator(for: store).compact()
    }
    for reader in readers { #expect(try reader.finish() == 1_000) }
    try await queue.perform { context in
      try context.city("new", in: stores.cache)
      try context.save()
      #expect(try context.count(City.all) == 1_001)
    }
  }

  @Test func `leaves to each store what concerns one`() async throws {
    let coordinator = stores.coordinator
    func isOfOneStore(_ error: any Error) -> Bool {
      if case StoreError.severalStores = error { true } else { false }
    }
    #expect { try coordinator.metadata() } throws: { isOfOneStore($0) }
    #expect { try coordinator.compact() } throws: { isOfOneStore($0) }
    #expect { try coordinator.fetchHistory(HistoryRequest()) } throws: { isOfOneStore($0) }
    #expect { try coordinator.execute(BatchDeleteRequest(City.all)) } throws: { isOfOneStore($0) }
    await #expect { try await coordinator.keepHistory() } throws: { isOfOneStore($0) }
    await #expect { try await coordinator.setMetadata("v", forKey: "k") } throws: {
      isOfOneStore($0)
    }
    let cache = try coordinator.coordinator(for: stores.cache)
    try await cache.keepHistory()
    try await cache.setMetadata("v", forKey: "k")
    #expect(try cache.metadata().storeID == stores.cache.id)
    try context.city("a", in: stores.cache)
    try context.save()
    #expect(try cache.fetchHistory(HistoryRequest()).count == 1)
    let main = try coordinator.coordinator(for: stores.main)
    #expect(try main.metadata().keys.isEmpty)
  }

  @Test func `notices a batch in one of its stores`() throws {
    try context.city("a", in: stores.cache)
    try context.save()
    let city = try #require(try context.fetch(City.all).first)
    context.automaticallyMergesChangesFromParent = true
    let cache = try stores.coordinator.coordinator(for: stores.cache)
    var request = BatchInsertRequest(City.self)
    request.returnsObjectIDs = true
    let result = try cache.execute(request, rows: ["b", "c"]) { row, name in
      row.name = name
    }
    let found = try #require(result.objectIDs).map { stores.coordinator.store(of: $0) }
    #expect(found == [stores.cache, stores.cache])
    try cache.execute(BatchDeleteRequest(City.where { $0.name == "a" }))
    context.processPendingChanges()
    #expect(try context.cityNames() == ["b", "c"])
    #expect(city.isDeleted || city.managedObjectContext == nil)
  }
}

extension ManagedObjectContext {
  /// Saves, which must fail with an error of this kind.
  fileprivate func save(failingWith isExpected: (any Error) -> Bool) throws {
    #expect { try save() } throws: { isExpected($0) }
  }
}
