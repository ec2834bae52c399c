// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

@Suite struct `Detecting conflicts of an object that is only read` {
  /// A container with a country and a city, each saved.
  private func saved() throws -> (PersistentContainer, country: ObjectID, city: ObjectID) {
    let container = try geography()
    let (country, city) = try container.root.performAndWait { context in
      let (country, city) = (context.country("IR"), context.city("a"))
      try context.save()
      return (country.objectID, city.objectID)
    }
    return (container, country, city)
  }

  private func overtake(_ id: ObjectID, in container: PersistentContainer) throws {
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Country.self, with: id).name = "theirs"
      try context.save()
    }
  }

  private func conflicts(_ save: () throws -> Void) -> [ObjectID] {
    do {
      try save()
      return []
    } catch StoreError.conflicts(let conflicts) {
      return conflicts.map(\.objectID)
    } catch {
      Issue.record(error)
      return []
    }
  }

  @Test func `fails a save if another context has changed it, and not otherwise`() throws {
    let (container, country, city) = try saved()
    try container.root.performAndWait { context in
      let read = try context.existingObject(Country.self, with: country)
      try context.existingObject(City.self, with: city).population = Int(read.name.count)
      try context.detectConflicts(for: read)
      try context.save()
      try context.existingObject(City.self, with: city).population = 9
      try context.detectConflicts(for: read)
      try overtake(country, in: container)
      #expect(conflicts { try context.save() } == [country])
      #expect(context.updatedObjects.map(\.objectID) == [city])
    }
    let population = try ContextQueue(parent: container.coordinator).performAndWait {
      try $0.existingObject(City.self, with: city).population
    }
    #expect(population == 2, "nothing was written")
  }

  @Test func `fails a save that has nothing else to save`() throws {
    let (container, country, _) = try saved()
    try container.root.performAndWait { context in
      try context.detectConflicts(for: try context.existingObject(Country.self, with: country))
      try overtake(country, in: container)
      #expect(conflicts { try context.save() } == [country])
    }
  }

  @Test func `counts as no change`() throws {
    let (container, country, _) = try saved()
    let log = MessageLog(container.root.layer)
    try container.root.performAndWait { context in
      let read = try context.existingObject(Country.self, with: country)
      try context.detectConflicts(for: read)
      #expect(!context.hasChanges)
      #expect(context.updatedObjects.isEmpty)
      #expect(!read.hasChanges && !read.isUpdated)
      #expect(try context.count(Country.where { $0.iso == "IR" }) == 1)
    }
    #expect(log.messages.isEmpty)
    try container.root.performAndWait { context in
      context.reset()
      let again = try context.existingObject(Country.self, with: country)
      #expect(!again.isUpdated)
      context.city("b")
      try context.save()
      try context.detectConflicts(for: again)
      context.rollback()
      #expect(!again.isFault)
    }
    #expect(
      log.messages.allSatisfy {
        !$0.objects.updated.contains(country) && !$0.objects.refreshed.contains(country)
      })
  }

  @Test func `writes nothing of the object`() throws {
    let (container, country, _) = try saved()
    let other = ContextQueue(parent: container.coordinator)
    // Read by the other root before, changed by it after: no conflict if the record is untouched.
    try other.performAndWait { context in
      try context.existingObject(Country.self, with: country).name = "theirs"
    }
    try container.root.performAndWait { context in
      try context.detectConflicts(for: try context.existingObject(Country.self, with: country))
      context.city("b")
      try context.save()
    }
    try other.performAndWait { try $0.save() }
  }

  @Test func `goes up through every level whose policy lets it`() throws {
    let (container, country, _) = try saved()
    let worker = ContextQueue(parent: container.root)
    let child = ContextQueue(parent: worker)
    let logs = [worker, child, container.root].map { MessageLog($0.layer) }
    let held = try worker.performAndWait { context in
      context.retainsRegisteredObjects = true
      return try context.existingObject(Country.self, with: country).objectID
    }
    try child.performAndWait { context in
      try context.detectConflicts(for: try context.existingObject(Country.self, with: country))
      try context.save()
    }
    try overtake(country, in: container)
    try worker.performAndWait { context in
      #expect(context.registeredObject(for: held)?.hasChanges == false)
      try context.save()
    }
    #expect(logs.flatMap { $0.messages(.objectsDidChange) }.isEmpty)
    try container.root.performAndWait { context in
      #expect(!context.hasChanges)
      #expect(conflicts { try context.save() } == [country])
    }
  }

  @Test func `is a conflict of a save to the parent under the policy error`() throws {
    let (container, country, _) = try saved()
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      try context.detectConflicts(for: try context.existingObject(Country.self, with: country))
      context.city("b")
    }
    try overtake(country, in: container)
    try worker.performAndWait { context in
      #expect(conflicts { try context.save() } == [country])
      #expect(context.insertedObjects.count == 1)
    }
    #expect(try container.root.performAndWait { try !$0.cityNames().contains("b") })
  }

  @Test(arguments: [
    MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ])
  func `lets the store's state stand under any policy but error`(_ policy: MergePolicy) throws {
    let (container, country, _) = try saved()
    try container.root.performAndWait { context in
      context.mergePolicy = policy
      let read = try context.existingObject(Country.self, with: country)
      try context.detectConflicts(for: read)
      try overtake(country, in: container)
      try context.save()
      #expect(read.name == "theirs")
      #expect(!read.isUpdated)
    }
  }

  @Test func `is over after a save and after a rollback`() throws {
    let (container, country, _) = try saved()
    try container.root.performAndWait { context in
      let read = try context.existingObject(Country.self, with: country)
      try context.detectConflicts(for: read)
      try context.save()
      try overtake(country, in: container)
      context.city("b")
      #expect(conflicts { try context.save() }.isEmpty)
      context.reset()
      try context.detectConflicts(for: try context.existingObject(Country.self, with: country))
      context.rollback()
      try ContextQueue(parent: container.coordinator).performAndWait { other in
        try other.existingObject(Country.self, with: country).name = "again"
        try other.save()
      }
      context.city("c")
      #expect(conflicts { try context.save() }.isEmpty)
    }
  }

  @Test func `of an object that was changed before or is changed after is that change's`() throws {
    let (container, country, _) = try saved()
    for isFirst in [true, false] {
      try container.root.performAndWait { context in
        context.reset()
        let read = try context.existingObject(Country.self, with: country)
        if isFirst { try context.detectConflicts(for: read) }
        read.population += 1
        if !isFirst { try context.detectConflicts(for: read) }
        #expect(context.updatedObjects == [read])
        try overtake(country, in: container)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(read.name == "theirs")
      }
    }
    let population = try ContextQueue(parent: container.coordinator).performAndWait {
      try $0.existingObject(Country.self, with: country).population
    }
    #expect(population == 2)
  }

  @Test func `finds that the object was deleted`() throws {
    let (container, country, _) = try saved()
    try container.root.performAndWait { context in
      let read = try context.existingObject(Country.self, with: country)
      try context.detectConflicts(for: read)
      try ContextQueue(parent: container.coordinator).performAndWait { other in
        other.delete(try other.existingObject(Country.self, with: country))
        try other.save()
      }
      #expect(conflicts { try context.save() } == [country])
      context.reset()
      let fault: Country = try context.object(with: country)
      #expect(throws: ContextError.objectNotFound(country)) {
        try context.detectConflicts(for: fault)
      }
    }
  }
}
