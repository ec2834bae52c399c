// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A fault` {
  private func savedCity(_ container: PersistentContainer) async throws -> ObjectID {
    try await container.root.perform { context in
      let city = context.city("A", population: 3)
      try context.save()
      return city.objectID
    }
  }

  @Test func `is made by an ID without reading, and fires when a property is read`() async throws {
    let container = try geography()
    let id = try await savedCity(container)
    try await container.newBackgroundContext().perform { context in
      let city = try context.object(City.self, with: id)
      #expect(city.isFault)
      #expect(city.objectID == id)
      #expect(city.isFault)
      #expect(city.name == "A")
      #expect(!city.isFault)
    }
  }

  @Test func `of an object that is gone reads as deleted, its properties as nil or zero`()
    async throws
  {
    let container = try geography()
    let id = try await savedCity(container)
    let worker = container.newBackgroundContext()
    try await container.root.perform { context in
      context.delete(try context.existingObject(City.self, with: id))
      try context.save()
    }
    try await worker.perform { context in
      let city = try context.object(City.self, with: id)
      #expect(city.population == 0)
      #expect(city.name == "")
      #expect(city.country == nil)
      #expect(city.isDeleted)
      #expect(!context.hasChanges)
    }
  }

  @Test func `of no object at all is found out by existingObject`() async throws {
    let container = try geography()
    let id = try await savedCity(container)
    try await container.root.perform { context in
      context.delete(try context.existingObject(City.self, with: id))
      try context.save()
      #expect(throws: ContextError.objectNotFound(id)) {
        _ = try context.existingObject(City.self, with: id)
      }
    }
  }

  @Test func `is refused for an ID of another store or another entity`() async throws {
    let container = try geography()
    let id = try await savedCity(container)
    try await container.root.perform { context in
      #expect(throws: ContextError.unexpectedEntity(id, expected: "Country", found: "City")) {
        _ = try context.object(Country.self, with: id)
      }
    }
    try await geography().root.perform { context in
      #expect(throws: ContextError.foreignObjectID(id)) {
        _ = try context.object(City.self, with: id)
      }
    }
  }

  @Test func `is the state of clean objects that only the cache holds, beyond its budget`()
    async throws
  {
    let container = try geography()
    try await container.root.perform { context in
      for index in 0..<5_000 { context.city("City \(index)", population: index) }
      try context.save()
    }
    try await container.newBackgroundContext().perform { context in
      context.cacheByteBudget = 100_000
      let held = try context.fetch(City.where { $0.population == 17 })
      var total = 0
      for id in try context.fetchIDs(City.all) {
        total += try context.existingObject(City.self, with: id).population
      }
      #expect(total == 5_000 * 4_999 / 2)
      #expect(held.first?.isFault == false)
      #expect(held.first?.population == 17)
      context.processPendingChanges()
      #expect(context.registeredObjects == Set(held))
    }
  }

  @Test func `keeps unsaved values whatever the budget`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.cacheByteBudget = 0
      for index in 0..<500 { context.city("City \(index)", population: index) }
      for city in try context.fetch(City.all) { city.population += 1 }
      for _ in 0..<10 { context.processPendingChanges() }
      let sum = try context.fetch(City.all).reduce(0) { $0 + $1.population }
      #expect(sum == 500 * 499 / 2 + 500)
      #expect(context.insertedObjects.count == 500)
    }
  }
}

@Suite struct `An object` {
  @Test func `that outlives its context is detached, not dangling`() throws {
    let container = try geography()
    var context: ManagedObjectContext? = ManagedObjectContext(parent: container.root)
    let city = try #require(context?.city("A", population: 5))
    context = nil
    #expect(city.managedObjectContext == nil)
    #expect(city.isFault == false)
  }

  @Test func `set to an equal value has not changed`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A", population: 5)
      try context.save()
      city.name = "A"
      city.population = 5
      city.country = nil
      #expect(!city.hasChanges)
      #expect(!context.hasChanges)
    }
  }

  @Test func `takes back its values and its state with rollback`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (kept, deleted) = (context.city("A", population: 5), context.city("B"))
      try context.save()
      kept.population = 6
      _ = try context.cityNames()
      kept.name = "Z"
      context.delete(deleted)
      let new = context.city("C")
      context.rollback()
      #expect(kept.name == "A" && kept.population == 5)
      #expect(!deleted.isDeleted && deleted.name == "B")
      #expect(new.managedObjectContext == nil)
      #expect(!context.hasChanges)
      #expect(try context.cityNames() == ["A", "B"])
    }
  }

  @Test func `passes through inserted, clean, updated and deleted`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A")
      #expect(city.isInserted && city.hasChanges)
      try context.save()
      #expect(!city.isInserted && !city.hasChanges)
      city.name = "B"
      #expect(city.isUpdated && context.updatedObjects == [city])
      try context.save()
      context.delete(city)
      #expect(city.isDeleted && context.deletedObjects == [city])
      try context.save()
      #expect(city.managedObjectContext == nil)
    }
  }

  @Test func `inserted and deleted without a save leaves nothing`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.delete(context.city("A"))
      #expect(!context.hasChanges)
      let flushed = context.city("B")
      #expect(try context.cityNames() == ["B"])
      context.delete(flushed)
      #expect(try context.cityNames() == [])
      #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
      try context.save()
    }
  }
}
