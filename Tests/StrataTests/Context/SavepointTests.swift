// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Dispatch
import Foundation
import Strata
import StrataChanges
import StrataStore
import Synchronization
import Testing

@Suite struct `A savepoint` {
  private struct Refusal: Error {}

  /// Does `body` in a savepoint whose body throws at its end.
  private func refused(_ context: ManagedObjectContext, _ body: () throws -> Void) {
    #expect(throws: Refusal.self) {
      try context.withSavepoint {
        try body()
        throw Refusal()
      }
    }
  }

  private func context() throws -> ManagedObjectContext {
    ManagedObjectContext(parent: try geography().coordinator)
  }

  @Test func `that returns leaves its edits as any others`() throws {
    let context = try context()
    let city = try context.withSavepoint { context.city("A") }
    #expect(city.isInserted)
    let name = try context.withSavepoint {
      city.name = "B"
      try context.save()
      return city.name
    }
    #expect(name == "B")
    #expect(!context.hasChanges)
  }

  @Test func `that throws leaves values as they were, unsaved ones included`() throws {
    let context = try context()
    let (clean, updated) = (context.city("Clean"), context.city("Updated"))
    try context.save()
    updated.population = 1
    let inserted = context.city("Inserted")
    refused(context) {
      clean.name = "X"
      updated.population = 2
      updated.name = "Y"
      inserted.name = "Z"
      _ = try context.fetch(City.all)
      clean.population = 9
    }
    #expect(clean.name == "Clean")
    #expect(clean.population == 0)
    #expect(!clean.hasChanges)
    #expect(updated.name == "Updated")
    #expect(updated.population == 1)
    #expect(updated.isUpdated)
    #expect(inserted.name == "Inserted")
    #expect(inserted.isInserted)
    let names = try context.cityNames()
    #expect(names == ["Clean", "Inserted", "Updated"])
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func `that throws takes insertions back`() throws {
    let context = try context()
    var first: City?
    var second: City?
    refused(context) {
      first = context.city("A")
      _ = try context.count(City.all)
      second = context.city("B")
    }
    #expect(first?.managedObjectContext == nil)
    #expect(second?.managedObjectContext == nil)
    #expect(!context.hasChanges)
    let count = try context.count(City.all)
    #expect(count == 0)
  }

  @Test func `that throws takes deletions back, with their cascades and links`() throws {
    let context = try context()
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let (a, persian) = (context.city("A", in: iran), Language(context: context))
    iran.languages.insert(persian)
    iran.neighbours.insert(iraq)
    try context.save()
    let b = context.city("B", in: iran)
    refused(context) {
      context.delete(iran)
      #expect(b.managedObjectContext == nil)
      iraq.languages.insert(persian)
    }
    #expect(Set(iran.cities) == [a, b])
    #expect(b.isInserted)
    #expect(b.country === iran)
    #expect(!a.hasChanges)
    #expect(!iran.hasChanges)
    #expect(Set(persian.countries) == [iran])
    #expect(Set(iraq.neighbours) == [iran])
    #expect(context.deletedObjects.isEmpty)
    #expect(context.insertedObjects == [b])
    try context.save()
  }

  @Test func `leaves earlier deletions in place`() throws {
    let context = try context()
    let (a, b) = (context.city("A"), context.city("B"))
    try context.save()
    context.delete(a)
    refused(context) { context.delete(b) }
    #expect(a.isDeleted)
    #expect(!b.isDeleted)
    #expect(context.deletedObjects == [a])
  }

  @Test func `within a savepoint takes back its own part`() throws {
    let context = try context()
    let city = context.city("A")
    try context.withSavepoint {
      city.name = "B"
      let kept = context.city("Kept")
      refused(context) {
        city.name = "C"
        context.delete(kept)
        context.city("Lost")
      }
      #expect(city.name == "B")
      #expect(kept.isInserted)
      let names = try context.cityNames()
      #expect(names == ["B", "Kept"])
    }
    refused(context) {
      try context.withSavepoint { context.delete(city) }
    }
    #expect(city.isInserted)
    #expect(city.name == "B")
    #expect(city.managedObjectContext === context)
  }

  @Test func `reverts no save, and all later changes`() throws {
    let context = try context()
    let city = context.city("A")
    refused(context) {
      city.population = 1
      try context.save()
      city.population = 2
    }
    #expect(city.population == 1)
    #expect(!city.hasChanges)
    #expect(!context.hasChanges)
  }

  @Test func `takes back no save to a parent either`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let context = ManagedObjectContext(parent: parent)
    refused(context) {
      context.city("A")
      try context.save()
      context.city("B")
    }
    let names = try parent.cityNames()
    #expect(names == ["A"])
    #expect(!context.hasChanges)
  }

  @Test func `reverts the remains of a failed save`() throws {
    let context = try context()
    context.country("IR")
    try context.save()
    #expect {
      try context.withSavepoint {
        context.country("IR")
        try context.save()
      }
    } throws: { $0.isUniquenessViolation }
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test func `takes back no rollback and no reset`() throws {
    let context = try context()
    for forget in [ManagedObjectContext.rollback, ManagedObjectContext.reset] {
      let before = context.city("Before")
      refused(context) {
        context.city("A")
        forget(context)()
        context.city("B")
      }
      #expect(before.managedObjectContext == nil)
      #expect(!context.hasChanges)
      let count = try context.count(City.all)
      #expect(count == 0)
    }
  }

  @Test func `that throws reverts undo and redo, and their stacks`() throws {
    let context = undoableContext(try geography())
    let undoManager = try #require(context.undoManager)
    let city = context.turn { context.city("A") }
    context.turn { city.name = "B" }
    refused(context) {
      city.name = "C"
      context.undo()
      context.undo()
      context.undo()
      #expect(city.managedObjectContext == nil)
    }
    #expect(city.isInserted)
    #expect(city.name == "B")
    #expect(!undoManager.canRedo)
    context.turn { context.undo() }
    #expect(city.name == "A")
    context.turn { context.undo() }
    #expect(city.managedObjectContext == nil)
    #expect(!undoManager.canUndo)
    refused(context) { context.redo() }
    #expect(city.managedObjectContext == nil)
    context.turn { context.redo() }
    #expect(city.managedObjectContext === context)
    #expect(city.name == "A")
  }

  @Test func `that throws is nothing to be undone`() throws {
    let context = undoableContext(try geography())
    let city = context.turn { context.city("A") }
    context.turn { refused(context) { city.name = "B" } }
    context.turn { context.undo() }
    #expect(city.managedObjectContext == nil)
  }

  @Test func `that throws takes back the save of a child in the same isolation`() throws {
    let context = try context()
    let child = ManagedObjectContext(parent: context)
    let city = context.city("A")
    try context.save()
    refused(context) {
      try child.existingObject(City.self, with: city.objectID).name = "B"
      child.city("C")
      try child.save()
      #expect(city.name == "B")
    }
    #expect(city.name == "A")
    #expect(!context.hasChanges)
    // The child has handed its changes over and does not learn of their end.
    #expect(!child.hasChanges)
    child.reset()
    let names = try child.cityNames()
    #expect(names == ["A"])
  }

  @Test func `that throws in a child leaves the parent's values, after a refresh in the body, too`()
    throws
  {
    let parent = try context()
    let child = ManagedObjectContext(parent: parent)
    let city = parent.city("A")
    try parent.save()
    let childs = try child.existingObject(City.self, with: city.objectID)
    childs.population = 5
    city.name = "B"
    try parent.save()
    refused(child) { child.refresh(childs, mergeChanges: true) }
    #expect(childs.population == 5)
    try child.save()
    #expect(city.name == "B")
    #expect(city.population == 5)
  }

  @Test func `that throws shows lists the objects that its body has refreshed`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let cities = ["A", "B", "C", "D"].map { context.city($0) }
    try context.save()
    let list = FetchedResultsController(City.all.sorted(by: \.name), context: context)
    try list.performFetch()
    let other = ManagedObjectContext(parent: container.coordinator)
    try other.existingObject(City.self, with: cities[0].objectID).name = "Z"
    other.delete(try other.existingObject(City.self, with: cities[1].objectID))
    try other.existingObject(City.self, with: cities[2].objectID).name = "Y"
    try other.save()
    refused(context) {
      for city in cities.prefix(2) { context.refresh(city, mergeChanges: true) }
      var request = City.all
      request.shouldRefreshRefetchedObjects = true
      _ = try context.fetch(request)
    }
    context.processPendingChanges()
    #expect(list.fetchedObjects.map(\.name) == ["D", "Y", "Z"])
  }

  @Test func `is not seen elsewhere before it ends, whatever the body calls`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.turn { context.city("A") }
    let reader = ContextQueue(parent: context.layer)
    func seen() throws -> [String] {
      try reader.performAndWait { context in
        context.reset()
        return try context.cityNames()
      }
    }
    try context.withSavepoint {
      city.name = "B"
      context.processPendingChanges()
      let names = try seen()
      #expect(names == ["A"])
    }
    context.processPendingChanges()
    var names = try seen()
    #expect(names == ["B"])
    refused(context) {
      city.name = "C"
      context.processPendingChanges()
    }
    context.processPendingChanges()
    names = try seen()
    #expect(names == ["B"])
  }

  @Test func `lets children's saves wait, which readers see and which be integrated after it`()
    throws
  {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.turn { context.city("A") }
    let id = city.objectID
    let (child, reader) = (ContextQueue(parent: context.layer), ContextQueue(parent: context.layer))
    func push(_ population: Int) throws {
      try child.performAndWait { context in
        try context.existingObject(City.self, with: id).population = population
        try context.save()
      }
    }
    refused(context) {
      try push(1)
      let found = try context.count(City.where { $0.population == 1 })
      #expect(found == 0)
      #expect(city.population == 0)
      city.name = "B"
      let population = try reader.performAndWait {
        try $0.existingObject(City.self, with: id).population
      }
      #expect(population == 1)
    }
    #expect(city.population == 0)
    context.processPendingChanges()
    #expect(city.population == 1)
    #expect(city.name == "A")
    // A save in the body may integrate a push, which is no part of the body's edits.
    try context.save()
    refused(context) {
      try push(2)
      city.name = "C"
      context.country("IR")
      context.country("IR")
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
    }
    #expect(city.name == "A")
    #expect(city.population == 2)
    #expect(city.isUpdated)
    try context.save()
  }

  @Test func `that throws is reported to observers only if they were notified of its changes`()
    throws
  {
    let context = try context()
    let city = context.city("A")
    let deleted = context.city("B")
    try context.save()
    context.processPendingChanges()
    let messages = Mutex<[ManagedObjectContext.Message]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: context.layer, queue: nil
    ) { notification in
      guard let message = ManagedObjectContext.Message(notification) else { return }
      messages.withLock { $0.append(message) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    refused(context) {
      city.name = "B"
      context.processPendingChanges()
    }
    context.processPendingChanges()
    #expect(messages.withLock { $0.isEmpty })
    var twin: Country?
    refused(context) {
      city.name = "B"
      context.delete(deleted)
      context.country("IR")
      twin = context.country("IR")
      // A save reports the changes so far, and fails.
      try? context.save()
    }
    context.processPendingChanges()
    let told = messages.withLock { $0 }
    #expect(told.count == 2)
    #expect(told.last?.objects.refreshed == [city.objectID])
    #expect(told.last?.objects.inserted == [deleted.objectID])
    #expect(told.last?.objects.deleted.count == 2)
    #expect(told.last?.objects.deleted.contains(try #require(twin).objectID) == true)
  }

  #if DEBUG
    @Test func `that throws leaves alone a save that was under way when it began`() async throws {
      let container = try geography()
      let root = container.root
      let id = try await root.perform { context in
        try context.save()
        return context.country("IR").objectID
      }
      // The writer waits until the savepoint has begun.
      let isReached = Atomic(false)
      let gate = DispatchSemaphore(value: 0)
      let schema = container.coordinator.schema
      PausePoint.observe(schema) { point in
        guard point == .tagged, !isReached.load(ordering: .sequentiallyConsistent) else { return }
        isReached.store(true, ordering: .sequentiallyConsistent)
        gate.wait()
      }
      let save = Task { try await root.save() }
      while !isReached.load(ordering: .sequentiallyConsistent) { await Task.yield() }
      try await root.perform { context in
        let country = try context.existingObject(Country.self, with: id)
        country.population = 1
        #expect {
          try context.withSavepoint {
            country.population = 2
            context.country("IR")
            gate.signal()
            try context.save()
          }
        } throws: { $0.isUniquenessViolation }
        #expect(country.population == 1)
        #expect(country.isUpdated)
        #expect(context.insertedObjects.isEmpty)
        try context.save()
        #expect(!context.hasChanges)
      }
      try await save.value
      PausePoint.observe(schema, nil)
      let reader = ManagedObjectContext(parent: container.coordinator)
      let populations = try reader.fetch(Country.all).map(\.population)
      #expect(populations == [1])
    }
  #endif

  @Test func `is refused within 256 others, and changes nothing`() throws {
    let context = try context()
    let city = context.city("A")
    func edit(_ depth: Int) throws {
      try context.withSavepoint {
        city.population = depth
        try edit(depth + 1)
      }
    }
    #expect(throws: ContextError.tooManySavepoints) { try edit(1) }
    #expect(city.population == 0)
    func editAndCatch(_ depth: Int) throws {
      try context.withSavepoint {
        city.population = depth
        do { try editAndCatch(depth + 1) } catch ContextError.tooManySavepoints {}
      }
    }
    try editAndCatch(1)
    #expect(city.population == 256)
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test @MainActor func `on the main actor ends with the turn around it`() async throws {
    let container = try geography()
    let context = container.viewContext
    let root = container.root
    let city = context.city("A")
    try context.withSavepoint {
      city.name = "B"
      // Entering a queue ends the main actor's turn, but no savepoint.
      _ = try? root.performAndWait { try $0.cityNames() }
      city.population = 1
    }
    let child = ContextQueue(parent: context.layer)
    let names = try await child.perform { try $0.cityNames() }
    #expect(names == ["B"])
  }
}
