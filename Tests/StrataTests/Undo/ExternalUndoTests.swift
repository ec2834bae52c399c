// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `Undo of external attributes` {
  private struct Scene {
    let directory: TemporaryDirectory
    let container: PersistentContainer
    let context: ManagedObjectContext
    let painting: Painting

    /// A saved painting with scan 1.
    init() throws {
      directory = try TemporaryDirectory()
      container = try republic(in: directory)
      let context = undoableContext(container)
      painting = context.turn { context.painting("a", scan: scan(1)) }
      try context.save()
      context.undoManager?.removeAllActions()
      self.context = context
    }

    func expectSound(_ count: Int) throws {
      let audit = try ExternalAudit(directory)
      #expect(try audit.problems() == [])
      #expect(try audit.count() == count)
    }
  }

  @Test func `undoes nothing if bytes that it must keep are damaged, and the next call says so`()
    throws
  {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let context = undoableContext(container)
    let painting = context.turn { context.painting("a", scan: scan(1)) }
    try context.save()
    context.refreshAllObjects()
    context.processPendingChanges()
    try ExternalAudit(directory).damage { _ in nil }
    context.turn { context.undo() }
    #expect { try context.throwWhatWasDeferred() } throws: {
      if case StoreError.damaged = $0 { true } else { false }
    }
    #expect(!painting.isDeleted)
    #expect(painting.title == "a")
    #expect(context.undoManager?.canUndo == true)
  }

  @Test func `brings back the bytes, saved over or not`() throws {
    let scene = try Scene()
    let (context, painting) = (scene.context, scene.painting)
    for isSaved in [false, true] {
      context.turn { painting.scan = scan(2) }
      if isSaved { try context.save() }
      context.turn { context.undo() }
      #expect(painting.scan == scan(1))
      #expect(context.hasChanges == isSaved)
      if isSaved { try context.save() }
      try scene.expectSound(1)
      context.turn { context.redo() }
      #expect(painting.scan == scan(2))
      if isSaved { try context.save() }
      #expect(painting.scan == scan(2))
      context.turn { context.undo() }
      if isSaved { try context.save() }
      #expect(painting.scan == scan(1))
      try scene.expectSound(1)
    }
    #expect(try scene.container.root.scan(of: painting.objectID) == scan(1))
  }

  @Test func `brings back one that was cleared, and of several sets the first`() throws {
    let scene = try Scene()
    let (context, painting) = (scene.context, scene.painting)
    context.turn {
      painting.scan = scan(2)
      _ = context.hasChanges
      painting.scan = scan(3)
      _ = context.hasChanges
      painting.scan = nil
    }
    try context.save()
    try scene.expectSound(0)
    context.turn { context.undo() }
    #expect(painting.scan == scan(1))
    try context.save()
    try scene.expectSound(1)
    context.turn { context.redo() }
    try context.save()
    try scene.expectSound(0)
  }

  @Test func `brings back a deleted object with its bytes`() throws {
    let scene = try Scene()
    let (context, id) = (scene.context, scene.painting.objectID)
    for isSaved in [false, true] {
      context.turn { context.delete(scene.context.registeredObject(for: id)!) }
      if isSaved {
        try context.save()
        try scene.expectSound(0)
      }
      context.turn { context.undo() }
      #expect(try context.scan(of: id) == scan(1))
      try context.save()
      try scene.expectSound(1)
    }
    #expect(try scene.container.root.scan(of: id) == scan(1))
  }

  @Test func `takes an insertion back and does it again`() throws {
    let scene = try Scene()
    let context = scene.context
    let id = context.turn { context.painting("b", scan: scan(5)).objectID }
    try context.save()
    try scene.expectSound(2)
    context.turn { context.undo() }
    try context.save()
    try scene.expectSound(1)
    context.turn { context.redo() }
    #expect(try context.scan(of: id) == scan(5))
    try context.save()
    try scene.expectSound(2)
    #expect(try scene.container.root.scan(of: id) == scan(5))
  }

  @Test func `of a child's save brings back the bytes too`() throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let id = try container.root.performAndWait { context in
      let painting = context.painting("a", scan: scan(1))
      try context.save()
      context.undoManager = ManagedObjectContext.UndoManager()
      return painting.objectID
    }
    try container.newBackgroundContext().performAndWait { context in
      try context.existingObject(Painting.self, with: id).scan = scan(2)
      try context.save()
    }
    try container.root.performAndWait { try $0.save() }
    try container.root.performAndWait { $0.undo() }
    try container.root.performAndWait { try $0.save() }
    #expect(try container.root.scan(of: id) == scan(1))
    #expect(try ExternalAudit(directory).problems() == [])
  }

  @Test func `skips changes that it cannot revert`() throws {
    let scene = try Scene()
    let (context, painting) = (scene.context, scene.painting)
    #expect(painting.title == "a")
    context.processPendingChanges()
    let id = painting.objectID
    try scene.container.root.performAndWait { context in
      try context.existingObject(Painting.self, with: id).scan = scan(2)
      try context.save()
    }
    context.mergePolicy = .overwrite
    // The object is held and does not know; the bytes that it stands for are gone.
    context.turn {
      painting.title = "b"
      painting.scan = scan(3)
    }
    try context.save()
    context.turn { context.undo() }
    #expect(painting.title == "a")
    #expect(painting.scan == scan(3))
    try context.save()
    try scene.expectSound(1)
    #expect(try scene.container.root.scan(of: id) == scan(3))
  }

  @Test func `and a savepoint that throws leave the bytes as they were`() throws {
    let scene = try Scene()
    let (context, painting) = (scene.context, scene.painting)
    struct Enough: Error {}
    painting.scan = scan(2)
    #expect(throws: Enough.self) {
      try context.withSavepoint {
        painting.scan = scan(3)
        _ = context.hasChanges
        painting.scan = scan(4)
        context.delete(painting)
        throw Enough()
      }
    }
    #expect(painting.scan == scan(2))
    try context.save()
    #expect(painting.scan == scan(2))
    #expect(throws: Enough.self) {
      try context.withSavepoint {
        painting.scan = nil
        throw Enough()
      }
    }
    #expect(painting.scan == scan(2))
    #expect(!context.hasChanges)
    painting.scan = scan(5)
    context.rollback()
    #expect(painting.scan == scan(2))
    try scene.expectSound(1)
  }
}
