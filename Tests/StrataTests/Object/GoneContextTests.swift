// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// A city with a country and a list, each in a context that is gone.
private struct Left {
  let city: City
  let country: Country
  let route: Route

  /// - Parameter isFault: whether the objects are faults.
  init(isFault: Bool = false) throws {
    let context = ManagedObjectContext(parent: try geography().coordinator)
    country = context.country("IR")
    city = context.city("A", population: 5, in: country)
    route = Route(context: context)
    route.stops.append(city)
    try context.save()
    if isFault {
      for object in [city, country, route] { context.refresh(object, mergeChanges: false) }
    }
  }
}

@Suite struct `An object whose context is gone` {
  @Test func `keeps the attributes that were loaded`() throws {
    let container = try geography()
    try container.root.performAndWait { context in
      context.city("A", population: 5)
      try context.save()
    }
    let city = try ManagedObjectContext(parent: container.coordinator).fetch(City.all)[0]
    #expect(city.name == "A" && city.population == 5)
    #expect(city.managedObjectContext == nil && !city.isFault && !city.isDeleted)
  }

  @Test func `keeps the attributes that were set and not saved`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    let saved = try #require(context?.city("A", population: 5))
    try context?.save()
    saved.name = "B"
    let new = try #require(context?.city("C", population: 7))
    new.note = "x"
    context = nil
    #expect(saved.name == "B" && saved.population == 5)
    #expect(new.name == "C" && new.population == 7 && new.note == "x")
  }

  @Test func `has no unsaved changes any more, whatever it had`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    let (updated, deleted) = try (
      #require(context?.city("A")), #require(context?.city("B"))
    )
    try context?.save()
    let new = try #require(context?.city("C"))
    updated.name = "D"
    context?.delete(deleted)
    #expect(new.isInserted && updated.isUpdated && deleted.isDeleted)
    context = nil
    for city in [new, updated, deleted] {
      #expect(!city.isInserted && !city.isUpdated && !city.isDeleted && !city.hasChanges)
    }
    #expect(new.name == "C" && updated.name == "D")
  }

  @Test func `that was gone before is still deleted`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    let city = try #require(context?.city("A"))
    try context?.save()
    context?.refresh(city, mergeChanges: false)
    let other = ManagedObjectContext(parent: container.coordinator)
    other.delete(try other.existingObject(City.self, with: city.objectID))
    try other.save()
    context?.refreshAllObjects()
    _ = city.name
    #expect(city.isDeleted)
    context = nil
    #expect(city.isDeleted && !city.hasChanges)
  }

  @Test func `without followers is released with it`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    weak let city = context?.city("A")
    #expect(city != nil)
    context = nil
    #expect(city == nil)
  }

  @Test func `that was deleted before reads as deleted and ignores assignments`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.coordinator)
    let city = try #require(context?.city("A", population: 5))
    try context?.save()
    context?.delete(city)
    try context?.save()
    context = nil
    city.population = 3
    #expect(city.name == "" && city.population == 0 && city.country == nil)
  }

  @Test func `stops the program where a value would have to be read, saying why`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try Left(isFault: true).city.name
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("City.name") == true)
    #expect(said?.contains("keep a reference to the context") == true)
  }

  @Test func `stops the program where a to-one relationship is read`() async {
    await #expect(processExitsWith: .failure) { _ = try Left().city.country }
  }

  @Test func `stops the program where a to-many relationship is read`() async {
    await #expect(processExitsWith: .failure) { _ = try Left().country.cities.count }
    await #expect(processExitsWith: .failure) { for _ in try Left().country.cities {} }
    await #expect(processExitsWith: .failure) {
      let left = try Left()
      _ = left.country.cities.contains(left.city)
    }
    await #expect(processExitsWith: .failure) {
      _ = try Left().country.objectIDs(forRelationshipNamed: "cities")
    }
  }

  @Test func `stops the program where a list is read`() async {
    await #expect(processExitsWith: .failure) { _ = try Left().route.stops.count }
    await #expect(processExitsWith: .failure) { _ = try Left().route.stops[0] }
  }

  @Test func `stops the program where an attribute is set`() async {
    await #expect(processExitsWith: .failure) { try Left().city.population = 6 }
    await #expect(processExitsWith: .failure) { try Left(isFault: true).city.population = 6 }
  }

  @Test func `stops the program where a relationship is set`() async {
    await #expect(processExitsWith: .failure) { try Left().city.country = nil }
    await #expect(processExitsWith: .failure) {
      let left = try Left()
      left.country.cities.insert(left.city)
    }
    await #expect(processExitsWith: .failure) {
      let left = try Left()
      left.country.cities.remove(left.city)
    }
    await #expect(processExitsWith: .failure) {
      let left = try Left()
      left.route.stops.append(left.city)
    }
  }

  @Test func `stops the program where its changes are asked for`() async {
    await #expect(processExitsWith: .failure) { _ = try Left().city.changedValues() }
    await #expect(processExitsWith: .failure) { _ = try Left().city.committedValues() }
    await #expect(processExitsWith: .failure) { _ = try Left().city.changedValuesForCurrentTurn() }
    await #expect(processExitsWith: .failure) { _ = try Left().city.hasPersistentChangedValues }
    await #expect(processExitsWith: .failure) {
      _ = try Left().city.hasFault(forRelationshipNamed: "country")
    }
  }

  @Test func `stops the program where an external attribute is read`() async {
    await #expect(processExitsWith: .failure) {
      var context: ManagedObjectContext? = ManagedObjectContext(parent: try republic().coordinator)
      let painting = context?.painting("a", scan: scan(1))
      try context?.save()
      context = nil
      _ = painting?.scan
    }
  }
}

@MainActor
@Suite struct `The contexts above a context` {
  private func stored(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
    try ManagedObjectContext(parent: coordinator).cityNames()
  }

  @Test func `live as long as a view context, also if the container is released`() async throws {
    let view = try geography().viewContext
    view.city("A")
    try view.save()
    #expect(!view.hasChanges)
    try await view.save(to: .store)
    #expect(try view.cityNames() == ["A"])
  }

  @Test func `live as long as a queue's context below them`() async throws {
    let coordinator = try geography().coordinator
    let worker = ContextQueue(parent: ContextQueue(parent: ContextQueue(parent: coordinator)))
    try await worker.perform { _ = $0.city("A") }
    try await worker.save(to: .store)
    #expect(try stored(coordinator) == ["A"])
  }

  @Test func `live as long as a context below them that was made from a layer`() async throws {
    let coordinator = try geography().coordinator
    var parent: ContextQueue? = ContextQueue(parent: coordinator)
    let layer = try #require(parent?.layer)
    let worker = ContextQueue(parent: layer)
    let context = ManagedObjectContext(parent: layer)
    parent = nil
    try await worker.perform { _ = $0.city("A") }
    try await worker.save(to: .store)
    context.city("B")
    try await context.save(to: .store)
    #expect(try stored(coordinator) == ["A", "B"])
  }

  @Test func `live as long as a context below them in the same isolation`() throws {
    let coordinator = try geography().coordinator
    var parent: ManagedObjectContext? = ManagedObjectContext(parent: coordinator)
    weak let above = parent
    let child = try ManagedObjectContext(parent: #require(parent))
    parent = nil
    child.city("A")
    try child.save()
    try #require(above).save()
    #expect(try stored(coordinator) == ["A"])
  }

  @Test
  func `go with the last context below them`() async throws {
    let coordinator = try geography().coordinator
    var parent: ContextQueue? = ContextQueue(parent: coordinator)
    weak let above = parent
    var worker = parent.map { ContextQueue(parent: $0) }
    parent = nil
    #expect(above != nil)
    worker?.performAndWaitForTest()
    worker = nil
    // The task that integrates the save may hold the queue for a moment.
    while above != nil { await Task.yield() }
  }

  @Test func `go on the main actor if they are of it, wherever the last one below goes`()
    async throws
  {
    var container: PersistentContainer? = try geography()
    weak let view = container?.viewContext
    let layer = try #require(view?.layer)
    var worker: ContextQueue? = ContextQueue(parent: layer)
    let city = try #require(view?.city("A"))
    view?.processPendingChanges()
    container = nil
    #expect(view != nil)
    try await worker?.perform { context in
      context.city("B")
      try context.save()
    }
    let last = worker
    worker = nil
    await Task.detached { withExtendedLifetime(last) {} }.value
    #expect(city.name == "A")
  }
}

extension ContextQueue {
  /// Does a turn's work.
  fileprivate func performAndWaitForTest() {
    try? performAndWait { context in
      context.city("A")
      try context.save()
    }
  }
}
