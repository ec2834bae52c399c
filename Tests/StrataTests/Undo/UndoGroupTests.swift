// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `A group of changes to be undone` {
  @Test func `is a turn by default`() throws {
    let container = try geography()
    let root = container.root
    try root.performAndWait { $0.undoManager = ManagedObjectContext.UndoManager() }
    let ids = try root.performAndWait { [$0.city("A").objectID, $0.city("B").objectID] }
    try root.performAndWait { try $0.existingObject(City.self, with: ids[0]).name = "C" }
    try root.performAndWait { context in
      context.undo()
      let names = try context.cityNames()
      #expect(names == ["A", "B"])
    }
    try root.performAndWait { context in
      context.undo()
      let names = try context.cityNames()
      #expect(names == [])
    }
  }

  @Test func `is the work between begin and end, if turns are no groups`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    undoManager.groupsByTurn = false
    undoManager.beginUndoGrouping()
    let city = context.city("A")
    context.processPendingChanges()
    city.name = "B"
    undoManager.endUndoGrouping()
    undoManager.beginUndoGrouping()
    city.name = "C"
    undoManager.endUndoGrouping()
    context.processPendingChanges()
    context.undo()
    #expect(city.name == "B")
    context.undo()
    #expect(city.managedObjectContext == nil)
    #expect(!undoManager.canUndo)
  }

  @Test func `within others is undone with the outermost`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    undoManager.groupsByTurn = false
    let city = context.city("A")
    undoManager.beginUndoGrouping()
    city.name = "B"
    undoManager.beginUndoGrouping()
    #expect(undoManager.groupingLevel == 2)
    city.population = 1
    undoManager.endUndoGrouping()
    #expect(undoManager.groupingLevel == 1)
    undoManager.endUndoGrouping()
    #expect(undoManager.groupingLevel == 0)
    context.undo()
    #expect(city.name == "A")
    #expect(city.population == 0)
  }

  @Test func `begun within a turn's group is part of it`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let city = context.turn { context.city("A") }
    context.turn {
      city.name = "B"
      undoManager.beginUndoGrouping()
      #expect(undoManager.groupingLevel == 2)
      city.population = 1
      undoManager.endUndoGrouping()
      #expect(undoManager.groupingLevel == 1)
    }
    #expect(undoManager.groupingLevel == 0)
    context.undo()
    #expect(city.name == "A")
    #expect(city.population == 0)
  }

  @Test func `is not made of changes outside of groups, if turns are none`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    undoManager.groupsByTurn = false
    let city = context.turn { context.city("A") }
    #expect(!undoManager.canUndo)
    context.undo()
    #expect(city.isInserted)
  }

  @Test func `is not made of changes without effect`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let (iran, persian) = context.turn { (context.country("IR"), Language(context: context)) }
    context.turn { iran.name = "X" }
    context.turn {
      iran.population = 1
      context.encodeByFetching()
      iran.population = 0
      context.encodeByFetching()
      iran.languages.insert(persian)
      context.encodeByFetching()
      iran.languages.remove(persian)
      context.delete(context.city("A"))
      let fetched = context.city("B")
      context.encodeByFetching()
      context.delete(fetched)
    }
    undoManager.undo()
    #expect(iran.name == "IR")
  }

  @Test func `of a child's save is one by itself`() throws {
    let container = try geography()
    let root = container.root
    let id = try root.performAndWait { context in
      context.undoManager = ManagedObjectContext.UndoManager()
      return context.city("A").objectID
    }
    let worker = container.newBackgroundContext()
    for population in 1...2 {
      try worker.performAndWait { context in
        try context.existingObject(City.self, with: id).population = population
        context.city("From below \(population)")
        try context.save()
      }
    }
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      context.undo()
      #expect(city.population == 1)
      var names = try context.cityNames()
      #expect(names == ["A", "From below 1"])
      context.undo()
      #expect(city.population == 0)
      names = try context.cityNames()
      #expect(names == ["A"])
      context.redo()
      context.redo()
      #expect(city.population == 2)
      names = try context.cityNames()
      #expect(names == ["A", "From below 1", "From below 2"])
    }
  }

  @Test func `of a child in the same isolation is one by itself, too`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let child = ManagedObjectContext(parent: context)
    let city = context.turn { context.city("A") }
    try context.turn {
      city.name = "B"
      try child.existingObject(City.self, with: city.objectID).population = 5
      try child.save()
    }
    #expect(city.population == 5)
    context.turn { context.undo() }
    #expect(city.name == "B")
    #expect(city.population == 0)
    context.turn { context.undo() }
    #expect(city.name == "A")
  }

  @Test func `that is done after an undo leaves nothing to redo`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A") }
    context.turn { city.name = "B" }
    context.turn { context.undo() }
    #expect(context.undoManager?.canRedo == true)
    context.turn { city.population = 1 }
    #expect(context.undoManager?.canRedo == false)
    context.redo()
    #expect(city.name == "A")
  }

  @Test func `is forgotten beyond the levels of undo, the oldest first`() throws {
    let container = try geography()
    let context = undoableContext(container)
    context.undoManager?.levelsOfUndo = 2
    let city = context.turn { context.city("0") }
    for number in 1...4 { context.turn { city.name = "\(number)" } }
    for _ in 1...4 { context.turn { context.undo() } }
    #expect(city.name == "2")
    for _ in 1...4 { context.turn { context.redo() } }
    #expect(city.name == "4")
    context.undoManager?.levelsOfUndo = 1
    for _ in 1...4 { context.turn { context.undo() } }
    #expect(city.name == "3")
  }

  @Test func `is not recorded while registration is off`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let city = context.turn { context.city("A") }
    context.turn {
      city.name = "B"
      undoManager.disableUndoRegistration()
      undoManager.disableUndoRegistration()
      city.population = 1
      undoManager.enableUndoRegistration()
      #expect(!undoManager.isUndoRegistrationEnabled)
      city.population = 2
      undoManager.enableUndoRegistration()
      #expect(undoManager.isUndoRegistrationEnabled)
    }
    context.undo()
    #expect(city.name == "A")
    #expect(city.population == 2)
  }

  @Test func `has a name, which goes with it from undo to redo`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let city = context.turn { context.city("A") }
    context.turn {
      undoManager.setActionName("Rename")
      city.name = "B"
    }
    #expect(undoManager.undoActionName == "Rename")
    #expect(undoManager.redoActionName == "")
    context.undo()
    #expect(undoManager.undoActionName == "")
    #expect(undoManager.redoActionName == "Rename")
    context.redo()
    #expect(undoManager.undoActionName == "Rename")
    // A name for nothing is forgotten with the turn.
    context.turn { undoManager.setActionName("Nothing") }
    #expect(undoManager.undoActionName == "Rename")
  }

  @Test func `can be forgotten with all others, and open groups stay open`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let city = context.turn { context.city("A") }
    undoManager.beginUndoGrouping()
    city.name = "B"
    undoManager.removeAllActions()
    city.population = 1
    undoManager.endUndoGrouping()
    context.processPendingChanges()
    context.undo()
    #expect(city.name == "B")
    #expect(city.population == 0)
    #expect(!undoManager.canUndo)
  }

  @Test func `has to be begun before it ends`() async {
    await #expect(processExitsWith: .failure) {
      let context = undoableContext(try geography())
      context.undoManager?.endUndoGrouping()
    }
  }

  @Test func `has to end before an undo`() async {
    await #expect(processExitsWith: .failure) {
      let context = undoableContext(try geography())
      context.undoManager?.beginUndoGrouping()
      context.undo()
    }
  }
}

extension ManagedObjectContext {
  /// Encodes the edits so far, as any fetch does.
  fileprivate func encodeByFetching() { _ = try? count(City.all) }
}

@Suite struct `A group of changes in a long history` {
  /// Groups are linked, each to the one before it.
  @Test func `is released without the stack of as many calls, however many there are`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let undoManager = try #require(context.undoManager)
    let city = context.city("A")
    let count = 100_000
    for number in 1...count { context.turn { city.population = number } }
    context.undo()
    #expect(city.population == count - 1)
    undoManager.removeAllActions()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
  }

  @Test(arguments: [1, 3, 7])
  func `is kept if it is among the newest, also in a savepoint that throws`(_ count: Int) throws {
    struct Refusal: Error {}
    let context = undoableContext(try geography())
    let undoManager = try #require(context.undoManager)
    let city = context.city("A")
    for number in 1...20 { context.turn { city.population = number } }
    undoManager.levelsOfUndo = count
    #expect(throws: Refusal.self) {
      try context.withSavepoint {
        while undoManager.canUndo { undoManager.undo() }
        for number in 100...120 { context.turn { city.population = number } }
        throw Refusal()
      }
    }
    #expect(city.population == 20)
    var undone: [Int] = []
    while undoManager.canUndo {
      undoManager.undo()
      undone.append(city.population)
    }
    #expect(undone == (0..<count).map { 19 - $0 })
    var redone: [Int] = []
    while undoManager.canRedo {
      undoManager.redo()
      redone.append(city.population)
    }
    #expect(redone == undone.reversed().dropFirst() + [20])
  }
}
