// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A context that holds a painting as it was read, and another save that has changed its scan
/// since.
private struct StaleScene {
  let directory: TemporaryDirectory
  let container: PersistentContainer
  let context: ManagedObjectContext
  let painting: Painting

  /// - Parameters:
  ///   - read: the scan when the painting was read.
  ///   - now: the scan that another save has set then.
  init(read: Data?, now: Data?) throws {
    directory = try TemporaryDirectory()
    container = try republic(in: directory)
    context = undoableContext(container)
    context.mergePolicy = .mergeByPropertyObjectTrump
    painting = context.turn { [context] in context.painting("a", scan: read) }
    try context.save()
    context.undoManager?.removeAllActions()
    try replace(with: now)
  }

  /// Another save sets the scan.
  func replace(with now: Data?) throws {
    let id = painting.objectID
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Painting.self, with: id).scan = now
      try context.save()
    }
    context.processPendingChanges()
  }

  /// The stored value; the file is searched for stamps without bytes.
  func stored() throws -> Data? {
    #expect(try ExternalAudit(directory).problems() == [])
    return try ContextQueue(parent: container.coordinator).scan(of: painting.objectID)
  }
}

@Suite struct `An external attribute that another save has replaced` {
  @Test(arguments: [false, true])
  func `is set back to the value read, and that is a change`(isEdited: Bool) throws {
    for read in [scan(1), nil] {
      let scene = try StaleScene(read: read, now: scan(2))
      if isEdited { scene.painting.title = "b" }
      scene.painting.scan = read
      #expect(scene.painting.scan == read)
      #expect(scene.painting.hasChanges)
      #expect(scene.painting.hasPersistentChangedValues)
      #expect(scene.painting.changedValues()["scan"] == (read.map(PropertyValue.data) ?? .null))
      _ = try scene.context.fetchIDs(Painting.all)
      #expect(scene.painting.scan == read, "encoded")
      #expect(scene.painting.changedValues()["scan"] == (read.map(PropertyValue.data) ?? .null))
      try scene.context.save()
      #expect(scene.painting.scan == read)
      #expect(try scene.stored() == read)
    }
  }

  @Test func `is set back in conflict with that save`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(2))
    scene.context.mergePolicy = .error
    scene.painting.scan = scan(1)
    do {
      try scene.context.save()
      Issue.record("the other save was not seen")
    } catch StoreError.conflicts(let conflicts) {
      #expect(conflicts.map(\.ourChanges) == [["scan"]])
      #expect(conflicts.map(\.theirChanges) == [["scan"]])
    }
  }

  @Test(arguments: [false, true])
  func `is set to its present value, and that is no change`(isEdited: Bool) throws {
    for (read, now) in [(scan(1), scan(2)), (nil, scan(2)), (scan(1), nil)] {
      let scene = try StaleScene(read: read, now: now)
      if isEdited { scene.painting.title = "b" }
      #expect(scene.painting.scan == now)
      scene.painting.scan = now
      #expect(scene.painting.hasChanges == isEdited)
      #expect(scene.painting.changedValues()["scan"] == nil)
      try scene.context.save()
      #expect(try scene.stored() == now)
      #expect(scene.painting.scan == now)
    }
  }

  @Test func `is shown beside other unsaved changes, here and in a child`() throws {
    for (read, now) in [(scan(1), scan(2)), (nil, scan(2)), (scan(1), nil)] {
      let scene = try StaleScene(read: read, now: now)
      scene.painting.title = "b"
      #expect(scene.painting.scan == now, "in a draft")
      scene.context.processPendingChanges()
      #expect(scene.painting.scan == now, "pending")
      let child = ManagedObjectContext(parent: scene.context)
      let painting = try child.existingObject(Painting.self, with: scene.painting.objectID)
      #expect(painting.scan == now)
      #expect(painting.title == "b")
    }
  }

  @Test func `is set by a child to a value that its parent no longer shows`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(1))
    let child = ManagedObjectContext(parent: scene.context)
    let painting = try child.existingObject(Painting.self, with: scene.painting.objectID)
    #expect(painting.scan == scan(1))
    scene.context.turn { scene.painting.scan = scan(3) }
    child.processPendingChanges()
    #expect(painting.scan == scan(3))
    painting.scan = scan(1)
    try child.save()
    #expect(scene.painting.scan == scan(1))
    try scene.context.save()
    #expect(try scene.stored() == scan(1))
  }

  @Test func `stays set back when another change is undone`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(2))
    scene.context.turn { scene.painting.scan = scan(1) }
    scene.context.turn { scene.painting.title = "b" }
    scene.context.turn { scene.context.undo() }
    #expect(scene.painting.title == "a")
    #expect(scene.painting.scan == scan(1))
    #expect(scene.painting.hasChanges)
    try scene.context.save()
    #expect(try scene.stored() == scan(1))
  }

  @Test func `notifies observers when it is set back`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(2))
    scene.context.turn {}
    let log = MessageLog(scene.context.layer)
    scene.context.turn { scene.painting.scan = scan(2) }
    #expect(log.messages.isEmpty)
    scene.context.turn { scene.painting.scan = scan(1) }
    let changed = try #require(log.messages.last).objects
    #expect(changed.changedProperties(of: scene.painting.objectID) == ["scan"])
  }
}

@Suite struct `The undo of an unsaved deletion` {
  private func undoDeletion(in scene: StaleScene, replacingWith now: Data? = nil) throws {
    scene.context.turn { scene.context.delete(scene.painting) }
    if let now { try scene.replace(with: now) }
    scene.context.turn { scene.context.undo() }
  }

  @Test func `leaves values that another save has replaced before`() throws {
    for read in [scan(1), nil] {
      let scene = try StaleScene(read: read, now: scan(2))
      try undoDeletion(in: scene)
      #expect(scene.painting.scan == scan(2))
      #expect(!scene.painting.hasChanges)
      #expect(!scene.context.hasChanges)
      try scene.context.save()
      #expect(try scene.stored() == scan(2))
      scene.context.turn { scene.context.redo() }
      #expect(scene.painting.isDeleted)
      scene.context.turn { scene.context.undo() }
      #expect(scene.painting.scan == scan(2))
      #expect(!scene.context.hasChanges)
    }
  }

  @Test func `leaves values that another save replaces during it`() throws {
    for read in [scan(1), nil] {
      let scene = try StaleScene(read: read, now: read)
      try undoDeletion(in: scene, replacingWith: scan(2))
      #expect(scene.painting.scan == scan(2))
      #expect(!scene.context.hasChanges)
    }
  }

  @Test func `brings back the other unsaved changes alone`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(2))
    scene.context.turn { scene.painting.title = "b" }
    // Enough objects to keep the deletion from being merged with the change.
    scene.context.turn { for number in 0..<50 { scene.context.painting("\(number)") } }
    try undoDeletion(in: scene)
    #expect(scene.painting.title == "b")
    #expect(scene.painting.scan == scan(2))
    #expect(Set(scene.painting.changedValues().keys) == ["title"])
    try scene.context.save()
    #expect(try scene.stored() == scan(2))
  }

  @Test func `restores the values set here`() throws {
    for ours in [scan(3), scan(1)] {
      let scene = try StaleScene(read: scan(1), now: scan(2))
      scene.context.turn { scene.painting.scan = ours }
      try undoDeletion(in: scene)
      #expect(scene.painting.scan == ours)
      #expect(scene.painting.hasChanges)
      try scene.context.save()
      #expect(try scene.stored() == ours)
    }
  }
}

@Suite struct `An external attribute of a deleted object` {
  @Test func `is the state beneath, whatever was set here`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(1))
    scene.context.turn {
      scene.painting.scan = scan(3)
      // Enough objects to keep the deletion from being merged with the change.
      for number in 0..<50 { scene.context.painting("\(number)") }
    }
    scene.context.delete(scene.painting)
    #expect(scene.painting.scan == scan(1), "not encoded")
    scene.context.processPendingChanges()
    #expect(scene.painting.scan == scan(1))
    try scene.replace(with: scan(2))
    #expect(scene.painting.scan == scan(2))
  }

  @Test func `is none in a child of the context that has deleted it`() throws {
    let scene = try StaleScene(read: scan(1), now: scan(1))
    let child = ManagedObjectContext(parent: scene.context)
    let painting = try child.existingObject(Painting.self, with: scene.painting.objectID)
    scene.context.turn {
      scene.painting.scan = scan(3)
      for number in 0..<50 { scene.context.painting("\(number)") }
    }
    child.processPendingChanges()
    #expect(painting.scan == scan(3))
    scene.context.turn { scene.context.delete(scene.painting) }
    child.processPendingChanges()
    #expect(painting.scan == nil)
  }
}
