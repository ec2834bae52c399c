// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import Synchronization
import Testing

/// A store with a country and two cities, and a context of the test's own beside the root.
private struct World {
  let container: PersistentContainer
  let context: ManagedObjectContext
  let country: ObjectID
  let a: ObjectID
  let b: ObjectID

  init() throws {
    container = try geography()
    (country, a, b) = try container.root.performAndWait { context in
      let country = context.country("IR")
      let (a, b) = (context.city("A", population: 1, in: country), context.city("B"))
      try context.save()
      return (country.objectID, a.objectID, b.objectID)
    }
    context = ManagedObjectContext(parent: container.coordinator)
  }

  /// The content of the root's save of `edit`.
  func saved(
    _ edit: @Sendable (ManagedObjectContext) throws -> Void
  ) throws -> ManagedObjectContext.Message {
    let log = MergeLog(
      container.root.layer, name: ManagedObjectContext.didSaveNotification)
    try container.root.performAndWait { context in
      context.refreshAllObjects()
      try edit(context)
      try context.save()
    }
    return try #require(log.messages.last)
  }
}

@Suite struct `Merging another context's save` {
  @Test func `gives registered objects its values, whether or not the program holds them`() throws {
    let world = try World()
    let city = try world.context.existingObject(City.self, with: world.a)
    let message = try world.saved { [id = world.a] in
      try $0.existingObject(City.self, with: id).population = 5
    }
    world.context.processPendingChanges()
    #expect(city.population == 1)
    let log = MergeLog(world.context.layer)
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(!city.isFault)
    #expect(city.population == 5)
    #expect(!world.context.hasChanges)
    #expect(log.messages.map(\.objects.refreshed) == [[world.a]])
  }

  @Test func `takes the notification as it was posted`() throws {
    let world = try World()
    let city = try world.context.existingObject(City.self, with: world.a)
    // Safety: the notification is taken and used on this thread.
    nonisolated(unsafe) var posted: Notification?
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: world.container.root.layer,
      queue: nil
    ) { posted = $0 }
    defer { NotificationCenter.default.removeObserver(observer) }
    _ = try world.saved { [id = world.a] in
      try $0.existingObject(City.self, with: id).population = 5
    }
    try world.context.mergeChanges(fromContextDidSave: try #require(posted))
    #expect(city.population == 5)
    try world.context.mergeChanges(fromContextDidSave: Notification(name: .init("other")))
  }

  @Test func `keeps unsaved slots over merged ones, and the later save does not conflict`() throws {
    let world = try World()
    let city = try world.context.existingObject(City.self, with: world.a)
    city.name = "Mine"
    let message = try world.saved { [id = world.a] in
      let city = try $0.existingObject(City.self, with: id)
      city.name = "Theirs"
      city.population = 5
    }
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(city.name == "Mine")
    #expect(city.population == 5)
    #expect(city.isUpdated)
    try world.context.save()
    let saved = try world.container.root.performAndWait { [id = world.a] context in
      context.refreshAllObjects()
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
    #expect(saved == "Mine 5")
  }

  @Test func `raises the base of objects that are deleted here`() throws {
    let world = try World()
    let city = try world.context.existingObject(City.self, with: world.a)
    world.context.delete(city)
    let message = try world.saved { [id = world.a] in
      try $0.existingObject(City.self, with: id).population = 5
    }
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(city.isDeleted)
    try world.context.save()
    #expect(try world.context.cityNames() == ["B"])
  }

  @Test func `finds deleted objects, and drops their edits`() throws {
    let world = try World()
    let clean = try world.context.existingObject(City.self, with: world.b)
    let edited = try world.context.existingObject(City.self, with: world.a)
    #expect(clean.name == "B")
    edited.name = "Mine"
    let message = try world.saved { [ids = [world.a, world.b]] context in
      for id in ids { context.delete(try context.existingObject(City.self, with: id)) }
    }
    let log = MergeLog(world.context.layer)
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(clean.isDeleted)
    #expect(edited.isDeleted)
    #expect(clean.name == "")
    #expect(!world.context.hasChanges)
    #expect(log.deleted == [world.a, world.b])
    try world.context.save()
  }

  @Test func `drops the deletion of an object that was deleted there too`() throws {
    let world = try World()
    world.context.delete(try world.context.existingObject(City.self, with: world.b))
    let message = try world.saved { [id = world.b] context in
      context.delete(try context.existingObject(City.self, with: id))
    }
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(!world.context.hasChanges)
  }

  @Test func `drops links to deleted objects, and applies their rules to new objects here`()
    throws
  {
    let world = try World()
    let context = world.context
    let country = try context.existingObject(Country.self, with: world.country)
    let government = Government(context: context)
    government.form = "republic"
    government.country = country
    let new = context.city("N", in: country)
    let language = Language(context: context)
    country.languages.insert(language)
    let message = try world.saved { [id = world.country] context in
      context.delete(try context.existingObject(Country.self, with: id))
    }
    try context.mergeChanges(fromContextDidSave: message)
    #expect(government.country == nil)
    #expect(language.countries.isEmpty)
    #expect(new.managedObjectContext == nil)
    #expect(context.insertedObjects == [government, language])
    try context.save()
    #expect(try context.cityNames() == ["B"])
  }

  @Test func `reports objects that are not registered, new and changed`() throws {
    let world = try World()
    let inserted = Mutex<ObjectID?>(nil)
    let message = try world.saved { [id = world.a] context in
      let new = context.city("N").objectID
      inserted.withLock { $0 = new }
      try context.existingObject(City.self, with: id).population = 5
      context.delete(try context.fetch(City.where { $0.name == "B" })[0])
    }
    let log = MergeLog(world.context.layer)
    try world.context.mergeChanges(fromContextDidSave: message)
    #expect(log.messages.count == 1)
    #expect(log.messages.last?.objects.inserted == inserted.withLock { $0 }.map { [$0] })
    #expect(log.messages.last?.objects.refreshed == [world.a])
    #expect(log.messages.last?.objects.deleted == [world.b])
    #expect(log.messages.last?.objects.updated == [])
  }

  @Test func `skips saves outside its ancestors, and other stores`()
    throws
  {
    let world = try World()
    let city = try world.context.existingObject(City.self, with: world.a)
    let worker = world.container.newBackgroundContext()
    let log = MergeLog(worker.layer, name: ManagedObjectContext.didSaveNotification)
    try worker.performAndWait { [id = world.a] context in
      context.city("N")
      try context.existingObject(City.self, with: id).population = 5
      try context.save()
    }
    let told = MergeLog(world.context.layer)
    try world.context.mergeChanges(fromContextDidSave: try #require(log.messages.last))
    #expect(city.population == 1)
    #expect(told.inserted.isEmpty)
    let foreign = try World().saved { $0.city("F") }
    try world.context.mergeChanges(fromContextDidSave: foreign)
    #expect(told.inserted.isEmpty)
  }

  @Test func `brings an object back that was gone and is there again`() throws {
    let world = try World()
    let worker = world.container.newBackgroundContext()
    let child = ManagedObjectContext(parent: worker)
    let city = try child.existingObject(City.self, with: world.a)
    try worker.performAndWait { [id = world.a] context in
      context.delete(try context.existingObject(City.self, with: id))
    }
    let objects = try ChangedObjects(updated: [world.a])
    try child.mergeChanges(fromRemoteContextSave: objects)
    #expect(city.isDeleted)
    try worker.performAndWait { $0.rollback() }
    try child.mergeChanges(fromRemoteContextSave: objects)
    #expect(!city.isDeleted)
    #expect(city.name == "A")
  }

  @Test func `lets an observer call back into any context`() throws {
    let world = try World()
    let root = world.container.root
    let worker = world.container.newBackgroundContext()
    let counts = Mutex<[Int]>([])
    let objects = try ChangedObjects(updated: [world.a])
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: worker.layer, queue: nil
    ) { _ in
      for queue in [worker, root] {
        let count = try? queue.performAndWait { try $0.count(City.all) }
        counts.withLock { $0.append(count ?? -1) }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try worker.performAndWait { try $0.mergeChanges(fromRemoteContextSave: objects) }
    #expect(counts.withLock { $0 } == [2, 2])
  }

  #if DEBUG
    @Test func `would be found out if it dropped the edits`() throws {
      let world = try World()
      PlantedFault.plant(.mergeDropsEdits, in: world.container.coordinator.schema)
      defer { PlantedFault.plant(nil, in: world.container.coordinator.schema) }
      let city = try world.context.existingObject(City.self, with: world.a)
      city.name = "Mine"
      let message = try world.saved { [id = world.a] in
        try $0.existingObject(City.self, with: id).population = 5
      }
      try world.context.mergeChanges(fromContextDidSave: message)
      #expect(city.name == "A")
    }
  #endif
}

@Suite struct `Merging while a save is under way` {
  #if DEBUG
    @Test func `leaves the changes of the save, and catches up when it is finished`() async throws {
      let container = try geography()
      let root = container.root
      let other = ContextQueue(parent: container.coordinator)
      let id = try await root.perform { context in
        context.mergePolicy = .mergeByPropertyObjectTrump
        let id = context.city("A", population: 1).objectID
        try context.save()
        return id
      }
      try await root.perform { try $0.existingObject(City.self, with: id).name = "Mine" }
      let gate = WriterGate(container)
      let save = await gate.begin()
      let during = try await root.perform { context in
        try context.mergeChanges(fromRemoteContextSave: try ChangedObjects(updated: [id]))
        let city = try context.existingObject(City.self, with: id)
        return "\(city.name) \(city.isUpdated)"
      }
      #expect(during == "Mine true")
      gate.open()
      try await save.value
      try await other.perform { context in
        try context.existingObject(City.self, with: id).population = 5
        try context.save()
      }
      let after = try await root.perform { context in
        let city = try context.existingObject(City.self, with: id)
        return "\(city.name) \(city.population) \(context.hasChanges)"
      }
      #expect(after == "Mine 5 false")
    }
  #endif
}
