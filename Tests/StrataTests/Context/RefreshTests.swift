// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

/// Saves a city "A" of population 1 through the root.
private func savedCity(_ container: PersistentContainer) throws -> ObjectID {
  try container.root.performAndWait { context in
    let id = context.city("A", population: 1).objectID
    try context.save()
    return id
  }
}

/// Has another topmost context set a city's population and save.
private func setElsewhere(
  _ population: Int, of id: ObjectID, _ container: PersistentContainer
) throws {
  try ContextQueue(parent: container.coordinator).performAndWait { context in
    try context.existingObject(City.self, with: id).population = population
    try context.save()
  }
}

@Suite struct `Refreshing several objects` {
  @Test(arguments: [true, false])
  func `does what refreshing each of them does`(mergeChanges: Bool) throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let cities = ["A", "B", "C"].map { context.city($0, population: 1) }
    try context.save()
    for city in cities.prefix(2) { city.population = 7 }
    try ContextQueue(parent: container.coordinator).performAndWait { other in
      for city in try other.fetch(City.all) { city.name += "!" }
      try other.save()
    }
    let new = context.city("D")
    context.refreshObjects(cities.prefix(2) + [new], mergeChanges: mergeChanges)
    #expect(cities.map(\.population) == (mergeChanges ? [7, 7, 1] : [1, 1, 1]))
    #expect(cities.map(\.name) == ["A!", "B!", "C"])
    #expect(context.insertedObjects == [new])
    #expect(context.updatedObjects.count == (mergeChanges ? 2 : 0))
  }

  @Test func `may name an object twice, and none`() throws {
    let context = ManagedObjectContext(parent: try geography().coordinator)
    let city = context.city("A", population: 1)
    try context.save()
    city.population = 7
    context.refreshObjects([city, city], mergeChanges: false)
    #expect(city.population == 1)
    city.population = 7
    context.refreshObjects([City](), mergeChanges: false)
    #expect(city.population == 7)
  }
}

@Suite struct `Refreshing an object` {
  @Test func `without merging drops its edits and makes it a fault`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let (city, other) = (try context.existingObject(City.self, with: id), context.city("B"))
    city.name = "Z"
    _ = context.hasChanges  // Encodes the first edit.
    city.population = 7
    context.refresh(city, mergeChanges: false)
    #expect(city.isFault)
    #expect(!city.hasChanges)
    #expect(city.name == "A")
    #expect(city.population == 1)
    #expect(context.updatedObjects.isEmpty)
    #expect(context.insertedObjects == [other])
  }

  @Test func `without merging drops its links, but not those between others`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let language = Language(context: context)
    try context.save()
    iran.languages.insert(language)
    iraq.languages.insert(language)
    _ = context.hasChanges
    iran.neighbours.insert(iraq)
    context.refresh(iran, mergeChanges: false)
    #expect(iran.languages.isEmpty)
    #expect(Set(language.countries) == [iraq])
    #expect(iraq.neighbours.isEmpty)
  }

  @Test func `with merging reads it again under its edits, and saves without a conflict`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.existingObject(City.self, with: id)
    city.name = "Z"
    try setElsewhere(5, of: id, container)
    context.processPendingChanges()
    context.refresh(city, mergeChanges: true)
    #expect(city.name == "Z")
    #expect(city.population == 5)
    #expect(city.isUpdated)
    try context.save()
    let saved = try container.root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
    #expect(saved == "Z 5")
  }

  @Test func `with merging gives a clean object the newest values, without it the next reader`()
    throws
  {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.existingObject(City.self, with: id)
    try setElsewhere(5, of: id, container)
    #expect(city.population == 1)
    context.processPendingChanges()
    #expect(city.population == 1)
    context.refresh(city, mergeChanges: true)
    #expect(!city.isFault)
    #expect(city.population == 5)
  }

  @Test func `that is inserted or deleted leaves it alone`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let (new, old) = (context.city("N"), try context.existingObject(City.self, with: id))
    context.delete(old)
    for merges in [true, false] {
      context.refresh(new, mergeChanges: merges)
      context.refresh(old, mergeChanges: merges)
    }
    #expect(new.name == "N")
    #expect(new.isInserted)
    #expect(context.deletedObjects == [old])
  }

  @Test func `that another context has deleted drops its edits, and reads as deleted`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.existingObject(City.self, with: id)
    city.name = "Z"
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(City.self, with: id))
      try context.save()
    }
    context.processPendingChanges()
    context.refresh(city, mergeChanges: true)
    #expect(city.isDeleted)
    #expect(city.name == "")
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test func `is reported as refreshed`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.existingObject(City.self, with: id)
    let log = MergeLog(context.layer)
    for merges in [true, false] {
      context.refresh(city, mergeChanges: merges)
      context.processPendingChanges()
    }
    #expect(log.messages.map(\.objects.refreshed) == [[id], [id]])
  }

  #if DEBUG
    @Test func `drops the changes since a save under way, and keeps those of the save`()
      async throws
    {
      let container = try geography()
      let id = try savedCity(container)
      let root = container.root
      let gate = WriterGate(container)
      try await root.perform { try $0.existingObject(City.self, with: id).name = "saved" }
      let save = await gate.begin()
      let seen = try await root.perform { context in
        let city = try context.existingObject(City.self, with: id)
        city.name = "newer"
        _ = context.hasChanges
        city.population = 9
        context.refresh(city, mergeChanges: false)
        return "\(city.name) \(city.population) \(city.isUpdated)"
      }
      #expect(seen == "saved 1 true")
      gate.open()
      try await save.value
      let after = try await root.perform { context in
        let city = try context.existingObject(City.self, with: id)
        return "\(city.name) \(city.population) \(context.hasChanges)"
      }
      #expect(after == "saved 1 false")
    }
  #endif
}

@Suite struct `Refreshing all objects` {
  @Test func `takes a fresh view, and keeps unsaved changes over it`() throws {
    let container = try geography()
    let (a, b) = (try savedCity(container), try savedCity(container))
    let context = ManagedObjectContext(parent: container.coordinator)
    let clean = try context.existingObject(City.self, with: a)
    let edited = try context.existingObject(City.self, with: b)
    let new = context.city("N")
    edited.name = "Z"
    for id in [a, b] { try setElsewhere(5, of: id, container) }
    #expect(clean.population == 1)
    context.refreshAllObjects()
    #expect(clean.population == 5)
    #expect(edited.population == 5)
    #expect(edited.name == "Z")
    #expect(new.name == "N")
    try context.save()
  }

  @Test func `finds deleted objects`() throws {
    let container = try geography()
    let id = try savedCity(container)
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try context.existingObject(City.self, with: id)
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(City.self, with: id))
      try context.save()
    }
    context.refreshAllObjects()
    #expect(city.name == "")
    #expect(city.isDeleted)
  }
}
