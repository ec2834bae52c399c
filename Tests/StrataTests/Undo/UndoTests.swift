// SPDX-License-Identifier: Apache-2.0
import Foundation
import Observation
import Strata
import Synchronization
import Testing

@Suite struct `Undo` {
  @Test func `is off by default, and asking for it does nothing`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    #expect(context.undoManager == nil)
    let city = context.turn { context.city("A") }
    context.undo()
    context.redo()
    #expect(city.isInserted)
    #expect(city.name == "A")
  }

  @Test func `sets back the values of a turn, and redo sets them again`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A", population: 1) }
    context.turn {
      city.name = "B"
      city.name = "C"
      city.population = 2
    }
    context.turn { context.undo() }
    #expect(city.name == "A")
    #expect(city.population == 1)
    context.turn { context.redo() }
    #expect(city.name == "C")
    #expect(city.population == 2)
    let found = try context.fetch(City.where { $0.population == 2 })
    #expect(found == [city])
  }

  @Test func `goes on if an observer removes all actions in the middle of it`() throws {
    let container = try geography()
    // Safety: the observer runs on this thread, in the middle of the undo.
    nonisolated(unsafe) let context = undoableContext(container)
    context.tracksObservation = true
    let city = context.turn { context.city("A", population: 1) }
    context.turn { city.population = 2 }
    context.turn { city.name = "B" }
    let isTold = Mutex(false)
    withObservationTracking {
      _ = city.name
    } onChange: {
      isTold.withLock { $0 = true }
      context.undoManager?.removeAllActions()
    }
    context.turn { context.undo() }
    #expect(isTold.withLock { $0 })
    #expect(city.name == "A")
    #expect(context.undoManager?.canUndo == false)
    #expect(context.undoManager?.canRedo == false)
  }

  @Test func `of this turn's changes so far needs no end of the turn`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    city.name = "B"
    #expect(context.undoManager?.canUndo == true)
    context.undo()
    #expect(city.name == "A")
  }

  @Test func `of an insertion detaches the object; redo brings it back as the same instance`()
    throws
  {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A", population: 3) }
    let id = city.objectID
    context.turn { context.undo() }
    #expect(city.managedObjectContext == nil)
    #expect(!context.hasChanges)
    var count = try context.count(City.all)
    #expect(count == 0)
    context.turn { context.redo() }
    count = try context.count(City.all)
    #expect(count == 1)
    #expect(city.isInserted)
    #expect(city.managedObjectContext === context)
    #expect(city.population == 3)
    let found = try context.existingObject(City.self, with: id)
    #expect(found === city)
  }

  @Test
  func `that brings back an object the program does not hold makes a new instance of the same ID`()
    throws
  {
    let container = try geography()
    let context = undoableContext(container)
    let id = context.turn { context.city("A").objectID }
    context.turn { context.undo() }
    context.turn { context.redo() }
    let city = try context.existingObject(City.self, with: id)
    #expect(city.name == "A")
    #expect(city.isInserted)
    #expect(context.insertedObjects == [city])
  }

  @Test func `of a deletion brings the object back with its ID and values`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.city("A", population: 7)
    city.note = "transient"
    try context.save()
    context.processPendingChanges()
    context.turn { context.delete(city) }
    #expect(city.isDeleted)
    context.turn { context.undo() }
    #expect(!city.isDeleted)
    #expect(city.name == "A")
    #expect(city.population == 7)
    #expect(city.note == "transient")
    #expect(context.deletedObjects.isEmpty)
    #expect(!context.hasChanges)
    context.turn { context.redo() }
    #expect(city.isDeleted)
    #expect(context.deletedObjects == [city])
  }

  @Test func `of transient values works like that of others`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    context.turn { city.note = "first" }
    context.turn { city.note = "second" }
    context.turn { context.undo() }
    #expect(city.note == "first")
    context.turn { context.undo() }
    #expect(city.note == nil)
  }

  @Test func `leaves an object that is as before without changes`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.city("A")
    try context.save()
    context.processPendingChanges()
    context.turn { city.name = "B" }
    #expect(city.isUpdated)
    context.turn { context.undo() }
    #expect(!city.hasChanges)
    #expect(!context.hasChanges)
    #expect(context.updatedObjects.isEmpty)
    let found = try context.fetchIDs(City.where { $0.name == "A" })
    #expect(found == [city.objectID])
    context.turn { context.redo() }
    #expect(city.isUpdated)
    try context.save()
  }

  @Test func `of an object that had unsaved changes before leaves those`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.city("A")
    try context.save()
    context.processPendingChanges()
    context.turn { city.population = 1 }
    context.turn { city.name = "B" }
    context.turn { context.undo() }
    #expect(city.isUpdated)
    #expect(city.population == 1)
    #expect(city.name == "A")
  }

  @Test func `sets back only its own values, not later ones from elsewhere`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let child = ManagedObjectContext(parent: context)
    let city = context.turn { context.city("A") }
    context.turn { city.name = "B" }
    context.undoManager?.disableUndoRegistration()
    let inChild = try child.existingObject(City.self, with: city.objectID)
    inChild.population = 9
    try child.save()
    context.processPendingChanges()
    context.undoManager?.enableUndoRegistration()
    context.turn { context.undo() }
    #expect(city.name == "A")
    #expect(city.population == 9)
  }

  @Test func `does nothing to an object that was deleted in between`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let (city, other) = context.turn { (context.city("A"), context.city("X")) }
    context.turn {
      city.name = "B"
      other.name = "Y"
    }
    context.undoManager?.disableUndoRegistration()
    context.turn { context.delete(city) }
    context.undoManager?.enableUndoRegistration()
    context.turn { context.undo() }
    #expect(other.name == "X")
    let names = try context.cityNames()
    #expect(names == ["X"])
  }

  @Test func `notifies observers as any edit does`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let kept = context.city("A")
    let deleted = context.city("B")
    try context.save()
    context.processPendingChanges()
    let inserted = context.turn {
      kept.name = "Z"
      context.delete(deleted)
      return context.city("C")
    }
    let messages = Mutex<[ManagedObjectContext.Message]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: context.layer, queue: nil
    ) { notification in
      guard let message = ManagedObjectContext.Message(notification) else { return }
      messages.withLock { $0.append(message) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.turn { context.undo() }
    let told = messages.withLock { $0 }
    #expect(told.count == 1)
    #expect(told.first?.objects.updated == [kept.objectID])
    #expect(told.first?.objects.inserted == [deleted.objectID])
    #expect(told.first?.objects.deleted == [inserted.objectID])
  }

  @Test func `is seen by children at the end of the turn`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    context.turn { city.name = "B" }
    let child = ContextQueue(parent: context.layer)
    context.turn { context.undo() }
    let names = try child.performAndWait { try $0.cityNames() }
    #expect(names == ["A"])
  }

  @Test func `stacks are emptied by rollback and by reset`() throws {
    let container = try geography()
    let context = undoableContext(container)
    for forget in [ManagedObjectContext.rollback, ManagedObjectContext.reset] {
      context.turn { context.city("A") }
      let city = context.turn { context.city("B") }
      context.turn { context.undo() }
      #expect(context.undoManager?.canUndo == true)
      #expect(context.undoManager?.canRedo == true)
      forget(context)()
      #expect(context.undoManager?.canUndo == false)
      #expect(context.undoManager?.canRedo == false)
      context.redo()
      #expect(city.managedObjectContext == nil)
      #expect(!context.hasChanges)
    }
  }

  @Test func `begins where the undo manager was set, and ends where it is taken away`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.city("A")
    context.undoManager = ManagedObjectContext.UndoManager()
    #expect(context.undoManager?.canUndo == false)
    city.name = "B"
    let manager = context.undoManager
    context.undoManager = nil
    context.turn { city.name = "C" }
    context.undoManager = manager
    context.turn { context.undo() }
    #expect(city.name == "A")
  }
}
