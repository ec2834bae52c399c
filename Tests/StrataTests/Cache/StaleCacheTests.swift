// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import StrataTestSupport
import Testing

/// A record that was read in an earlier turn is used only if no other context has changed the
/// object since.

@Suite struct `An object that the program does not hold` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let city: ObjectID
  private let country: ObjectID

  init() throws {
    container = try geography()
    (city, country) = try container.root.performAndWait { context in
      let country = context.country("IR")
      let city = context.city("A", population: 1, in: country)
      try context.save()
      return (city.objectID, country.objectID)
    }
    context = ManagedObjectContext(parent: container.root)
    #expect(try population() == 1)
  }

  private func population() throws -> Int {
    defer { context.processPendingChanges() }
    return try context.existingObject(City.self, with: city).population
  }

  private func set(_ population: Int, in queue: ContextQueue, saves: Bool = true) throws {
    try queue.performAndWait { [city] context in
      try context.existingObject(City.self, with: city).population = population
      if saves { try context.save() }
    }
  }

  @Test func `reads afresh after a sibling's save`() throws {
    try set(5, in: container.newBackgroundContext())
    #expect(try population() == 5)
  }

  @Test func `reads afresh after the parent's turn, and after its rollback`() throws {
    try set(5, in: container.root, saves: false)
    #expect(try population() == 5)
    try container.root.performAndWait { $0.rollback() }
    #expect(try population() == 1)
  }

  @Test func `reads afresh after another topmost context's save`() throws {
    try set(5, in: ContextQueue(parent: container.coordinator))
    #expect(try population() == 5)
  }

  @Test func `reads afresh after a save through another coordinator on the file`() throws {
    let directory = try TemporaryDirectory()
    let (first, second) = (try geography(in: directory), try geography(in: directory))
    let id = try first.root.performAndWait { context in
      let id = context.city("A", population: 1).objectID
      try context.save()
      return id
    }
    for population in 1...3 {
      let seen = try second.root.performAndWait { context in
        try context.existingObject(City.self, with: id).population
      }
      #expect(seen == population)
      try first.root.performAndWait { context in
        try context.existingObject(City.self, with: id).population = population + 1
        try context.save()
      }
    }
  }

  @Test func `is gone after it was deleted, and back after that was rolled back`() throws {
    try container.root.performAndWait { [city] context in
      context.delete(try context.existingObject(City.self, with: city))
    }
    #expect(try context.object(City.self, with: city).name == "")
    context.processPendingChanges()
    try container.root.performAndWait { $0.rollback() }
    #expect(try context.object(City.self, with: city).name == "A")
  }

  @Test func `reads afresh through a relationship and from a fetch`() throws {
    try set(5, in: container.newBackgroundContext())
    let through = try context.existingObject(Country.self, with: country).cities.map(\.population)
    #expect(through == [5])
    context.processPendingChanges()
    try set(6, in: container.newBackgroundContext())
    #expect(try context.fetch(City.all).map(\.population) == [6])
    context.processPendingChanges()
    try set(7, in: container.newBackgroundContext())
    #expect((context.registeredObject(for: city) as? City)?.population == 7)
  }

  @Test func `reads afresh though it was held when it changed, once it is let go`() throws {
    var held: City? = try context.existingObject(City.self, with: city)
    try set(5, in: container.newBackgroundContext())
    context.processPendingChanges()
    #expect(try context.fetch(City.all).map(\.population) == [1])
    #expect(held?.population == 1)
    held = nil
    context.processPendingChanges()
    #expect(try population() == 5)
  }

  @Test func `reads afresh however far behind the context is`() throws {
    let worker = container.newBackgroundContext()
    try worker.performAndWait { [city] context in
      let city = try context.existingObject(City.self, with: city)
      for population in 2...3_000 {
        city.population = population
        try context.save()
      }
    }
    #expect(try population() == 3_000)
  }

  @Test func `reads afresh within its parent's turn, and after that was taken back`() throws {
    let root = container.root
    let worker = container.newBackgroundContext()
    let seen = try root.performAndWait { [city] context in
      func read() throws -> Int {
        try worker.performAndWait { try $0.existingObject(City.self, with: city).population }
      }
      var seen = [try read()]
      try context.existingObject(City.self, with: city).population = 5
      seen.append(try read())
      try context.existingObject(City.self, with: city).population = 6
      seen.append(try read())
      context.rollback()
      return seen
    }
    #expect(seen == [1, 5, 6])
    let after = try worker.performAndWait { [city] context in
      try context.existingObject(City.self, with: city).population
    }
    #expect(after == 1)
  }

  @Test func `takes the composed result of the context's own save`() throws {
    let worker = container.newBackgroundContext()
    let root = container.root
    try worker.performAndWait { [id = city] context in
      let city = try context.existingObject(City.self, with: id)
      try root.performAndWait { try $0.existingObject(City.self, with: id).name = "Root's" }
      city.population = 5
      try context.save()
    }
    let seen = try worker.performAndWait { [city] context in
      let city = try context.existingObject(City.self, with: city)
      return "\(city.name) \(city.population)"
    }
    #expect(seen == "Root's 5")
  }

  @Test func `takes a merge policy's decisions in every context above`() throws {
    let worker = container.newBackgroundContext()
    let root = container.root
    func read(_ queue: ContextQueue) throws -> String {
      try queue.performAndWait { [id = city] context in
        let city = try context.existingObject(City.self, with: id)
        return "\(city.name) \(city.population)"
      }
    }
    try root.performAndWait { [city] context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.existingObject(City.self, with: city).name = "Mine"
    }
    #expect(try read(worker) == "Mine 1")
    try set(5, in: ContextQueue(parent: container.coordinator))
    try root.performAndWait { try $0.save() }
    #expect(try read(worker) == "Mine 5")
    #expect(try read(root) == "Mine 5")
  }
}

#if DEBUG
  @Suite struct `An object that the program does not hold, while its parent saves` {
    @Test func `has the saved record as its base, although it shows newer changes`() async throws {
      let container = try geography()
      let (root, worker) = (container.root, container.newBackgroundContext())
      let id = try await root.perform { context in
        let id = context.city("A").objectID
        try context.save()
        return id
      }
      try await root.perform { try $0.existingObject(City.self, with: id).name = "saved" }
      let gate = WriterGate(container)
      let save = await gate.begin()
      try await root.perform { try $0.existingObject(City.self, with: id).population = 9 }
      let shown = try await worker.perform { try $0.existingObject(City.self, with: id).population }
      #expect(shown == 9)
      gate.open()
      try await save.value
      // The change is made from the root's unsaved record, which reverts to the saved one.
      try await worker.perform { try $0.existingObject(City.self, with: id).name = "B" }
      try await root.perform { $0.rollback() }
      try await worker.perform { try $0.save() }
      try await root.perform { try $0.save() }
    }

    @Test func `has its parent's commit as its base`() throws {
      let container = try geography()
      let root = container.root
      let (worker, late) = (ContextQueue(parent: root), ContextQueue(parent: root))
      let id = try root.performAndWait { context in
        let id = context.city("A").objectID
        try context.save()
        return id
      }
      // A base of the first commit waits in one context; the second commit changes the object.
      try late.performAndWait { try $0.existingObject(City.self, with: id).population = 1 }
      try root.performAndWait { try $0.existingObject(City.self, with: id).name = "B" }
      _ = try worker.performAndWait { try $0.existingObject(City.self, with: id).name }
      try root.performAndWait { try $0.save() }
      try worker.performAndWait { context in
        try context.existingObject(City.self, with: id).name = "C"
        try context.save()
      }
      try late.performAndWait { try $0.save() }
      #expect { try root.performAndWait { try $0.save() } } throws: { $0.isConflict }
    }
  }
#endif

@Suite struct `An object that the program holds` {
  @Test func `keeps its values, and its save conflicts`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.city("A", population: 1)
    try context.save()
    let id = city.objectID
    try container.root.performAndWait { context in
      try context.existingObject(City.self, with: id).population = 5
      try context.save()
    }
    #expect(try context.fetch(City.all).map(\.population) == [1])
    city.name = "Z"
    #expect { try context.save() } throws: { $0.isConflict }
  }
}
