// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// Saves a city "A" of population 1 through the root.
private func savedCity(_ container: PersistentContainer) throws -> ObjectID {
  try container.root.performAndWait { context in
    let id = context.city("A", population: 1).objectID
    try context.save()
    return id
  }
}

private func set(
  _ population: Int, of id: ObjectID, in queue: ContextQueue, saves: Bool = true
) throws {
  try queue.performAndWait { context in
    context.refreshAllObjects()
    try context.existingObject(City.self, with: id).population = population
    if saves { try context.save() }
  }
}

@Suite struct `A context that merges automatically` {
  @Test func `merges after an edit the changes that it has read within`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    for (population, isThrown) in [(2, false), (3, true)] {
      try set(population, of: id, in: container.root)
      try? context.withSavepoint {
        _ = try context.fetch(City.all)
        #expect(city.population != population)
        if isThrown { throw CancellationError() }
      }
      context.processPendingChanges()
      #expect(city.population == population)
    }
  }

  @Test(arguments: 1...4)
  func `merges the changes of any ancestor, sibling or other root, at any depth`(depth: Int) throws
  {
    let container = try geography()
    let id = try savedCity(container)
    var ancestors = [container.root]
    for _ in 1..<depth { ancestors.append(ContextQueue(parent: ancestors[ancestors.count - 1])) }
    let context = ManagedObjectContext(parent: ancestors[depth - 1])
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    var population = 1
    func expectMerged(_ what: String) {
      context.processPendingChanges()
      #expect(city.population == population, "\(what), depth \(depth)")
    }
    // A save of another topmost context shows until an ancestor has the object pending.
    population += 1
    try set(population, of: id, in: ContextQueue(parent: container.coordinator))
    expectMerged("another root's save")
    for (level, ancestor) in ancestors.enumerated() {
      population += 1
      try set(population, of: id, in: ContextQueue(parent: ancestor))
      expectMerged("a save into level \(level)")
      population += 1
      try set(population, of: id, in: ancestor, saves: false)
      expectMerged("a turn of level \(level)")
    }
    let log = MergeLog(context.layer)
    for ancestor in ancestors.reversed() { try ancestor.performAndWait { try $0.save() } }
    expectMerged("the saves to the disk")
    #expect(log.refreshed.isEmpty)
  }

  @Test func `keeps unsaved slots over merged ones, and does not conflict`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    city.name = "Mine"
    try set(5, of: id, in: container.root)
    context.processPendingChanges()
    #expect(city.name == "Mine")
    #expect(city.population == 5)
    try context.save()
  }

  @Test func `sees deletions and finds new objects, registered or not`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    let log = MergeLog(context.layer)
    let new = try container.newBackgroundContext().performAndWait { context in
      context.delete(try context.existingObject(City.self, with: id))
      let new = context.city("N").objectID
      try context.save()
      return new
    }
    context.processPendingChanges()
    #expect(city.isDeleted)
    #expect(log.deleted == [id])
    #expect(log.inserted == [new])
    try set(5, of: new, in: container.newBackgroundContext())
    context.processPendingChanges()
    #expect(log.refreshed == [new])
  }

  @Test func `does not tell of its own saves`() throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let log = MergeLog(worker.layer)
    try worker.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      context.city("A")
      try context.save()
      context.city("B")
    }
    try worker.performAndWait { try $0.save() }
    try container.root.performAndWait { try $0.save() }
    #expect(try worker.performAndWait { try $0.cityNames() } == ["A", "B"])
    #expect(log.refreshed.isEmpty)
    #expect(log.inserted.count == 2)
    #expect(log.messages.count == 2)
  }

  @Test func `reports a merge by itself, without being used`() async throws {
    let container = try geography()
    let id = try savedCity(container)
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      context.automaticallyMergesChangesFromParent = true
      _ = try context.existingObject(City.self, with: id)
    }
    let log = MergeLog(worker.layer)
    try set(5, of: id, in: ContextQueue(parent: container.coordinator))
    #expect(await log.first { $0.objects.refreshed == [id] } != nil)
    try set(6, of: id, in: container.newBackgroundContext())
    #expect(await log.first { $0.objects.refreshed == [id] } != nil)
  }

  @Test func `merges all that came while it was busy at once`() async throws {
    let container = try geography()
    let id = try savedCity(container)
    let (worker, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    try await worker.perform { context in
      context.automaticallyMergesChangesFromParent = true
      _ = try context.existingObject(City.self, with: id)
    }
    try await worker.perform { _ in }
    let log = MergeLog(worker.layer)
    try await worker.perform { _ in
      for population in 2...11 { try set(population, of: id, in: other) }
    }
    #expect(await log.first { $0.objects.refreshed == [id] } != nil)
    let seen = try await worker.perform { try $0.existingObject(City.self, with: id).population }
    #expect(seen == 11)
    #expect(log.messages.count == 1)
  }

  @Test func `does not report saves within its parent's turn`() throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let log = MergeLog(worker.layer)
    try worker.performAndWait { $0.automaticallyMergesChangesFromParent = true }
    let (own, other) = try container.root.performAndWait { context in
      let own = try worker.performAndWait { context in
        let own = context.city("W").objectID
        _ = try context.count(City.all)
        try context.save()
        return own
      }
      return (own, context.city("R").objectID)
    }
    #expect(try worker.performAndWait { try $0.cityNames() } == ["R", "W"])
    #expect(log.messages.filter { $0.objects.inserted.contains(own) }.count == 1)
    #expect(log.inserted == [own, other])
    #expect(log.refreshed.isEmpty)
  }

  @Test func `merges before a queue's body begins, and after a save within it`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let worker = container.newBackgroundContext()
    let other = container.newBackgroundContext()
    let root = container.root
    try worker.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      let city = try context.existingObject(City.self, with: id)
      try set(5, of: id, in: other)
      #expect(city.population == 1)
      context.city("new")
      try context.save()
      let count = try context.count(City.all)
      #expect(count == 2)
      #expect(city.population == 5)
    }
    try set(6, of: id, in: root, saves: false)
    let seen = try worker.performAndWait { context in
      (context.registeredObject(for: id) as? City)?.population
    }
    #expect(seen == 6)
  }

  @MainActor @Test func `merges on the main actor, in a job of its own`() async throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = container.viewContext
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    #expect(city.population == 1)
    let log = MergeLog(context.layer)
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      try context.existingObject(City.self, with: id).population = 5
      try context.save()
    }
    _ = await log.first { $0.objects.refreshed == [id] }
    #expect(city.population == 5)
    city.name = "Mine"
    try await ContextQueue(parent: container.coordinator).perform { context in
      context.city("N")
      try context.save()
    }
    _ = await log.first { !$0.objects.inserted.isEmpty }
    #expect(city.name == "Mine")
    #expect(context.hasChanges)
  }

  @Test func `takes over saves through another coordinator on the same file`() async throws {
    let directory = try TemporaryDirectory()
    let (first, second) = (try geography(in: directory), try geography(in: directory))
    let id = try savedCity(first)
    let worker = second.newBackgroundContext()
    try await worker.perform { context in
      context.automaticallyMergesChangesFromParent = true
      _ = try context.existingObject(City.self, with: id)
    }
    let log = MergeLog(worker.layer)
    try set(5, of: id, in: first.root)
    #expect(await log.first { $0.objects.refreshed == [id] } != nil)
    let seen = try await worker.perform { context in
      (context.registeredObject(for: id) as? City)?.population
    }
    #expect(seen == 5)
  }

  @Test func `catches up with missed changes when it is switched on`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.root)
    let city = try context.existingObject(City.self, with: id)
    try set(5, of: id, in: container.root)
    context.processPendingChanges()
    _ = try context.count(City.all)
    #expect(city.population == 1)
    context.automaticallyMergesChangesFromParent = true
    context.processPendingChanges()
    #expect(city.population == 5)
    context.automaticallyMergesChangesFromParent = false
    try set(6, of: id, in: container.root)
    context.processPendingChanges()
    _ = try context.count(City.all)
    #expect(city.population == 5)
  }

  @Test func `waits while it is pinned to a query generation, and then takes over everything`()
    throws
  {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    try context.setQueryGeneration(from: .current)
    let log = MergeLog(context.layer)
    try set(2, of: id, in: ContextQueue(parent: container.coordinator))
    context.processPendingChanges()
    #expect(city.population == 1 && log.messages.isEmpty)
    try context.setQueryGeneration(from: nil)
    context.processPendingChanges()
    #expect(city.population == 2)
    #expect(log.refreshed == [id])
  }

  @Test func `catches up though it is far behind`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.root)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    try container.newBackgroundContext().performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      for population in 2...3_000 {
        city.population = population
        try context.save()
      }
    }
    context.processPendingChanges()
    #expect(city.population == 3_000)
  }

  @Test func `lets an observer call back into any context, itself included`() async throws {
    let container = try geography()
    let id = try savedCity(container)
    let worker = container.newBackgroundContext()
    let root = container.root
    try await worker.perform { context in
      context.automaticallyMergesChangesFromParent = true
      _ = try context.existingObject(City.self, with: id)
    }
    let (counts, continuation) = AsyncStream<[Int]>.makeStream()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: worker.layer, queue: nil
    ) { _ in
      let seen = [worker, root].map { queue in
        (try? queue.performAndWait { try $0.count(City.all) }) ?? -1
      }
      continuation.yield(seen)
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try set(5, of: id, in: ContextQueue(parent: container.coordinator))
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == [1, 1])
  }

  @Test func `raises the state that its child reads, and notifies it`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      try context.existingObject(City.self, with: id).name = "Mine"
    }
    let child = ManagedObjectContext(parent: worker)
    child.automaticallyMergesChangesFromParent = true
    let city = try child.existingObject(City.self, with: id)
    #expect(city.name == "Mine")
    try set(5, of: id, in: ContextQueue(parent: container.coordinator))
    try worker.performAndWait { _ in }
    child.processPendingChanges()
    #expect(city.name == "Mine")
    #expect(city.population == 5)
  }
}
