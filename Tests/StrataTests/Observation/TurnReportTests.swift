// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

private struct Refused: Error {}

extension MessageLog {
  /// The objects of all objectsDidChange, in order.
  fileprivate var turns: [ChangedObjects] {
    messages(.objectsDidChange).map(\.objects)
  }
}

@Suite struct `objectsDidChange of undo and redo within one turn` {
  @Test func `names an object that was inserted, undone and redone as inserted`() throws {
    let context = undoableContext(try geography())
    let log = MessageLog(context.layer)
    let id = context.city("A").objectID
    context.undo()
    context.redo()
    context.processPendingChanges()
    #expect(log.turns.map(\.inserted) == [[id]])
    #expect(log.turns.map(\.deleted) == [[]])
  }

  @Test func `names a saved object that was deleted, undone and redone as deleted`() throws {
    let context = undoableContext(try geography())
    let city = context.city("A")
    try context.save()
    let log = MessageLog(context.layer)
    context.delete(city)
    context.undo()
    context.redo()
    context.processPendingChanges()
    let turn = try #require(log.turns.last)
    #expect(turn.deleted == [city.objectID])
    #expect(turn.updated.isEmpty)
  }

  @Test func `names an object whose insertion was undone, redone and undone as deleted`() throws {
    let context = undoableContext(try geography())
    let id = context.turn { context.city("A").objectID }
    let log = MessageLog(context.layer)
    context.undo()
    context.redo()
    context.undo()
    context.processPendingChanges()
    #expect(log.turns.map(\.deleted) == [[id]])
    #expect(log.turns.map(\.inserted) == [[]])
  }

  @Test func `is not posted if the turn ends as it began`() throws {
    let context = undoableContext(try geography())
    let log = MessageLog(context.layer)
    context.city("A")
    context.undo()
    context.redo()
    context.undo()
    context.processPendingChanges()
    #expect(log.turns.isEmpty)
  }
}

@Suite struct `objectsDidChange of a child's save` {
  @Test func `names an object of the parent's that is new as updated if the child changes it`()
    throws
  {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let city = parent.city("A")
    parent.processPendingChanges()
    let log = MessageLog(parent.layer)
    let child = ManagedObjectContext(parent: parent)
    try child.existingObject(City.self, with: city.objectID).population = 2
    try child.save()
    #expect(log.turns.map(\.inserted) == [[]])
    #expect(log.turns.map(\.updated) == [[city.objectID]])
  }

  @Test func `does not name an object that came and went in the child`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let sibling = ManagedObjectContext(parent: parent)
    sibling.automaticallyMergesChangesFromParent = true
    _ = try sibling.count(City.all)
    let (log, siblingLog) = (MessageLog(parent.layer), MessageLog(sibling.layer))
    let child = ManagedObjectContext(parent: parent)
    let gone = child.city("A")
    child.processPendingChanges()
    child.delete(gone)
    let kept = child.city("B").objectID
    try child.save()
    parent.processPendingChanges()
    sibling.processPendingChanges()
    for turns in [log.turns, siblingLog.turns] {
      #expect(turns.map(\.inserted) == [[kept]])
      #expect(turns.map(\.deleted) == [[]])
    }
  }

  @Test func `does not name an object that one save inserted and another deleted`() throws {
    let container = try geography()
    let parent = ManagedObjectContext.withExplicitTurns(below: container.coordinator)
    let log = MessageLog(parent.layer)
    let queue = ContextQueue(parent: parent.layer)
    try queue.performAndWait { context in
      let city = context.city("A")
      try context.save()
      context.delete(city)
      try context.save()
    }
    #expect(try parent.count(City.all) == 0)
    parent.processPendingChanges()
    #expect(log.turns.allSatisfy { $0.inserted.isEmpty && $0.deleted.isEmpty })
  }

  @Test(arguments: ["rollback", "reset"])
  func `is posted before the report of a rollback or reset that follows it`(call: String) throws {
    let container = try geography()
    let parent = ManagedObjectContext.withExplicitTurns(below: container.coordinator)
    let log = MessageLog(parent.layer)
    let queue = ContextQueue(parent: parent.layer)
    let id = try queue.performAndWait { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
    #expect(try parent.count(City.all) == 1)
    if call == "reset" { parent.reset() } else { parent.rollback() }
    parent.processPendingChanges()
    let turns = log.turns
    #expect(turns.first?.inserted == [id])
    for turn in turns.dropFirst() { #expect(turn.inserted.isEmpty) }
    if call == "rollback" { #expect(turns.last?.deleted == [id]) }
  }
}

@Suite struct `objectsDidChange of a savepoint that throws` {
  @Test(arguments: 1...3)
  func `names the objects of a child's save that it takes back as deleted`(depth: Int) throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let log = MessageLog(parent.layer)
    var id: ObjectID?
    func fail(within depth: Int) throws {
      try parent.withSavepoint {
        if depth > 1 { return try fail(within: depth - 1) }
        let child = ManagedObjectContext(parent: parent)
        id = child.city("A").objectID
        try child.save()
        throw Refused()
      }
    }
    #expect(throws: Refused.self) { try fail(within: depth) }
    parent.processPendingChanges()
    let city = try #require(id)
    #expect(log.turns.map(\.inserted) == [[city], []])
    #expect(log.turns.map(\.deleted) == [[], [city]])
  }

  @Test func `names a child's save as deleted if only an inner savepoint throws`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let log = MessageLog(parent.layer)
    var id: ObjectID?
    try parent.withSavepoint {
      try? parent.withSavepoint {
        let child = ManagedObjectContext(parent: parent)
        id = child.city("A").objectID
        try child.save()
        throw Refused()
      }
      parent.city("B")
    }
    parent.processPendingChanges()
    let city = try #require(id)
    #expect(log.turns.last?.deleted == [city])
    #expect(log.turns.last?.inserted.count == 1)
  }

  @Test func `names an object whose merge it takes back`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = context.city("A", population: 1)
    try context.save()
    city.population = 2
    context.processPendingChanges()
    let id = city.objectID
    try ContextQueue(parent: container.coordinator).performAndWait { other in
      try other.existingObject(City.self, with: id).name = "B"
      try other.save()
    }
    let log = MessageLog(context.layer)
    #expect(throws: Refused.self) {
      try context.withSavepoint {
        try context.mergeChanges(fromRemoteContextSave: ChangedObjects(updated: [id]))
        throw Refused()
      }
    }
    context.processPendingChanges()
    #expect(log.turns.count == 2)
    #expect(log.turns.last?.refreshed == [id])
  }

  @Test func `names nothing that was not reported before`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let log = MessageLog(parent.layer)
    #expect(throws: Refused.self) {
      try parent.withSavepoint {
        _ = ManagedObjectContext(parent: parent)
        parent.city("A")
        throw Refused()
      }
    }
    parent.processPendingChanges()
    #expect(log.turns.isEmpty)
  }

  @Test func `comes after that of the changes before the savepoint`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let log = MessageLog(parent.layer)
    let city = parent.city("A")
    try parent.withSavepoint {
      let child = ManagedObjectContext(parent: parent)
      do {
        child.delete(try child.existingObject(City.self, with: city.objectID))
        try child.save()
      } catch { Issue.record(error) }
    }
    parent.processPendingChanges()
    #expect(log.turns.map(\.inserted) == [[city.objectID], []])
    #expect(log.turns.map(\.deleted) == [[], [city.objectID]])
  }

  @Test func `names an object that a refused save had reported as deleted and not as refreshed`()
    throws
  {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let iran = context.country("IR")
    try context.save()
    let log = MessageLog(context.layer)
    #expect(throws: ContextError.self) {
      try context.withSavepoint {
        let government = Government(context: context)
        government.form = String(repeating: "x", count: 21)
        let iraq = context.country("IQ")
        iraq.neighbours.insert(iran)
        try context.save()
      }
    }
    context.processPendingChanges()
    let turn = try #require(log.turns.last)
    #expect(turn.deleted.count == 2)
    #expect(turn.refreshed == [iran.objectID])
  }

  @Test func `names both ends of links that were reported`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    try context.save()
    let log = MessageLog(context.layer)
    #expect(throws: Refused.self) {
      try context.withSavepoint {
        iran.neighbours.insert(iraq)
        try context.mergeChanges(fromRemoteContextSave: ChangedObjects())
        throw Refused()
      }
    }
    context.processPendingChanges()
    #expect(log.turns.first?.updated == [iran.objectID, iraq.objectID])
    #expect(log.turns.last?.refreshed == [iran.objectID, iraq.objectID])
  }
}
