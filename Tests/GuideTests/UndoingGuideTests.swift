// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Undoing.md, part by part.
@Suite struct `The guide to undoing` {
  // begin entity
  @Entity final class Shape: ManagedObject {
    var name: String
    var x: Double = 0
    var y: Double = 0
  }
  // end

  @Test @MainActor func `takes back a turn`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Shape.self))
    // begin manager
    let context = container.viewContext
    context.undoManager = ManagedObjectContext.UndoManager()
    // end

    // begin groups
    let shape = Shape(context: context)
    shape.name = "circle"
    context.undoManager?.setActionName("Draw Circle")
    context.processPendingChanges()  // ends the turn, and with it the group

    (shape.x, shape.y) = (10, 20)
    context.undoManager?.setActionName("Move Circle")

    context.undo()  // shape.x and shape.y are 0
    context.redo()  // 10 and 20
    context.undo()
    context.undo()  // the shape is gone
    // end
    #expect(try context.count(Shape.all) == 0)
    #expect(context.undoManager?.redoActionName == "Draw Circle")
    context.redo()
    let again = try #require(try context.first(Shape.all))
    #expect(again === shape)
    #expect((shape.x, shape.y) == (0, 0))

    // begin several-turns
    let manager = ManagedObjectContext.UndoManager()
    manager.groupsByTurn = false
    context.undoManager = manager

    manager.beginUndoGrouping()
    for step in 1...3 {
      shape.x = Double(step)
      context.processPendingChanges()
    }
    manager.endUndoGrouping()
    context.undo()  // all three steps
    // end
    #expect(shape.x == 0)

    manager.beginUndoGrouping()
    shape.x = 9
    // begin unrecorded
    manager.disableUndoRegistration()
    shape.name = "disc"  // no undo() takes this back
    manager.enableUndoRegistration()
    // end
    manager.endUndoGrouping()
    context.undo()
    #expect((shape.name, shape.x) == ("disc", 0))
  }

  @Test @MainActor func `reaches across a save`() async throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Shape.self))
    let context = container.viewContext
    context.undoManager = ManagedObjectContext.UndoManager()
    let shape = Shape(context: context)
    try context.save()
    // begin across-a-save
    shape.x = 5
    try context.save()
    context.undo()  // shape.x is 0, unsaved
    try context.save()
    // end
    #expect(shape.x == 0)
    let saved = try await container.root.perform { try $0.first(Shape.all)?.x }
    #expect(saved == 0)
  }

  @Test @MainActor func `discards a draft`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Shape.self))
    let context = container.viewContext
    context.undoManager = ManagedObjectContext.UndoManager()
    let shape = Shape(context: context)
    context.processPendingChanges()
    // begin draft
    let draft = ManagedObjectContext(parent: context)
    let edited = try draft.existingObject(Shape.self, with: shape.objectID)
    (edited.name, edited.x) = ("square", 7)
    try draft.save()  // one undo group of the view context
    context.undo()
    // end
    #expect((shape.name, shape.x) == ("", 0))
    #expect(context.undoManager?.canUndo == true)
  }

  @Test func `reverts a part or everything`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Shape.self))
    let context = ManagedObjectContext(parent: container.root)
    let shape = Shape(context: context)
    try context.save()
    struct Refused: Error {}
    // begin without-a-manager
    try? context.withSavepoint {
      shape.x = 100
      throw Refused()  // takes back the changes of this block
    }
    shape.y = 3
    context.rollback()  // takes back all unsaved changes
    // end
    #expect((shape.x, shape.y) == (0, 0))
    #expect(!context.hasChanges)
  }
}
