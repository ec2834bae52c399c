// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Dispatch
import Strata
import StrataChanges
import StrataStore
import Synchronization
import Testing

@Suite struct `Undo across saves` {
  /// The stored values, read past all contexts of the test.
  private func stored(_ container: PersistentContainer) throws -> [String] {
    let reader = ManagedObjectContext(parent: container.coordinator)
    return try reader.fetch(City.all.sorted(by: \.name)).map {
      "\($0.name) \($0.population) \($0.country?.iso ?? "-")"
    }
  }

  @Test func `takes a saved insertion back as a deletion`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    try context.save()
    context.turn { context.undo() }
    #expect(context.deletedObjects == [city])
    try context.save()
    var names = try stored(container)
    #expect(names == [])
    context.turn { context.redo() }
    #expect(city.isInserted)
    #expect(city.name == "A")
    try context.save()
    names = try stored(container)
    #expect(names == ["A 0 -"])
  }

  @Test func `takes a saved deletion back as an insertion of the same object`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let iran = context.country("IR")
    let city = context.city("A", population: 4, in: iran)
    try context.save()
    context.processPendingChanges()
    let id = city.objectID
    context.turn { context.delete(iran) }
    try context.save()
    #expect(city.managedObjectContext == nil)
    var rows = try stored(container)
    #expect(rows == [])
    context.turn { context.undo() }
    #expect(city.isInserted)
    #expect(city.objectID == id)
    #expect(Set(iran.cities) == [city])
    try context.save()
    rows = try stored(container)
    #expect(rows == ["A 4 IR"])
    #expect(!city.hasChanges)
    context.turn { context.redo() }
    try context.save()
    rows = try stored(container)
    #expect(rows == [])
  }

  @Test func `takes a saved update back as an update`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    context.turn { city.name = "B" }
    try context.save()
    context.turn { city.population = 2 }
    context.turn { context.undo() }
    #expect(!context.hasChanges)
    context.turn { context.undo() }
    #expect(city.isUpdated)
    #expect(city.name == "A")
    try context.save()
    let rows = try stored(container)
    #expect(rows == ["A 0 -"])
  }

  @Test func `undone and saved again and again leaves the store as it was`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let iran = context.turn { context.country("IR") }
    let city = context.turn { context.city("A", in: iran) }
    context.turn { city.population = 1 }
    context.turn { context.delete(city) }
    try context.save()
    for _ in 0..<3 {
      var seen: [[String]] = []
      for _ in 0..<4 {
        context.turn { context.undo() }
        try context.save()
        seen.append(try stored(container))
      }
      #expect(seen == [["A 1 IR"], ["A 0 IR"], [], []])
      seen = []
      for _ in 0..<4 {
        context.turn { context.redo() }
        try context.save()
        seen.append(try stored(container))
      }
      #expect(seen == [[], ["A 0 IR"], ["A 1 IR"], []])
    }
  }

  @Test func `of a child is pushed to its parent like any change`() throws {
    let container = try geography()
    let root = container.root
    let child = container.newBackgroundContext()
    let ids = try child.performAndWait { context in
      context.undoManager = ManagedObjectContext.UndoManager()
      return [context.city("A").objectID, context.city("B").objectID]
    }
    try child.performAndWait { try $0.save() }
    try child.performAndWait { context in
      try context.existingObject(City.self, with: ids[0]).name = "Z"
      context.delete(try context.existingObject(City.self, with: ids[1]))
    }
    try child.performAndWait { try $0.save() }
    var names = try root.performAndWait { try $0.cityNames() }
    #expect(names == ["Z"])
    try child.performAndWait { context in
      context.undo()
      try context.save()
    }
    names = try root.performAndWait { try $0.cityNames() }
    #expect(names == ["A", "B"])
    try root.performAndWait { try $0.save() }
    try child.performAndWait { context in
      context.undo()
      try context.save()
    }
    names = try root.performAndWait { try $0.cityNames() }
    #expect(names == [])
    try root.performAndWait { try $0.save() }
    let rows = try stored(container)
    #expect(rows == [])
  }

  @Test func `after a failed save changes unsaved objects`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let iran = context.turn { context.country("IR") }
    try context.save()
    let twin = context.turn { context.country("IR", name: "Twin") }
    context.turn { iran.population = 1 }
    #expect { try context.save() } throws: { $0.isUniquenessViolation }
    context.turn { context.undo() }
    context.turn { context.undo() }
    #expect(twin.managedObjectContext == nil)
    #expect(!context.hasChanges)
    try context.save()
  }

  #if DEBUG
    @Test func `while a save is under way is a change after it`() async throws {
      let container = try geography()
      let root = container.root
      let ids = try await root.perform { context in
        let ids = [context.city("Saved").objectID, context.city("Deleted").objectID]
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        return ids
      }
      let new = try await root.perform { context in
        try context.existingObject(City.self, with: ids[0]).name = "Changed"
        context.delete(try context.existingObject(City.self, with: ids[1]))
        return context.city("New").objectID
      }
      // The writer waits until the undo is done.
      let isReached = Atomic(false)
      let gate = DispatchSemaphore(value: 0)
      let schema = container.coordinator.schema
      PausePoint.observe(schema) { point in
        guard point == .tagged else { return }
        isReached.store(true, ordering: .sequentiallyConsistent)
        gate.wait()
      }
      let save = Task { try await root.save() }
      while !isReached.load(ordering: .sequentiallyConsistent) { await Task.yield() }
      try await root.perform { $0.undo() }
      PausePoint.observe(schema, nil)
      gate.signal()
      try await save.value
      var rows = try stored(container)
      #expect(rows == ["Changed 0 -", "New 0 -"])
      try await root.perform { context in
        let names = try context.cityNames()
        #expect(names == ["Deleted", "Saved"])
        let isDeleted = context.registeredObject(for: new)?.isDeleted
        #expect(isDeleted != false)
        try context.save()
      }
      rows = try stored(container)
      #expect(rows == ["Deleted 0 -", "Saved 0 -"])
    }
  #endif
}
