// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataModel
import Synchronization
import Testing

/// A worker whose saves go to a root, and the saves of the root to the disk.
private struct Workers: Sendable {
  let root: ContextQueue
  let worker: ContextQueue

  @discardableResult
  func insert(_ name: String) throws -> ObjectID {
    try worker.performAndWait { context in
      let id = context.plant(name).objectID
      try context.save()
      return id
    }
  }

  func delete(_ id: ObjectID) throws {
    try worker.performAndWait { context in
      context.delete(try context.existingObject(Plant.self, with: id))
      try context.save()
    }
  }

  func save() throws { try root.performAndWait { try $0.save() } }
}

/// A context that merges automatically, with a list of all plants and an audience, and workers
/// beside it.
private struct Scene {
  let container: PersistentContainer
  let workers: Workers
  let view: ManagedObjectContext
  let list: FetchedResultsController<Plant>
  let audience: Audience

  /// - Parameters:
  ///   - parent: what the context is below; the container's root if nil.
  ///   - isConfined: whether the context's turns end by themselves at a fetch.
  init(
    _ container: PersistentContainer, below parent: ContextQueue? = nil, isConfined: Bool = false
  ) throws {
    self.container = container
    workers = Workers(root: container.root, worker: ContextQueue(parent: container.root))
    let parent = parent ?? container.root
    view =
      isConfined
      ? ManagedObjectContext(parent: parent)
      : ManagedObjectContext.withExplicitTurns(below: parent)
    view.automaticallyMergesChangesFromParent = true
    list = FetchedResultsController(Plant.all.sorted(by: \.name), context: view)
    try list.performFetch()
    audience = Audience(
      view.layer, of: ["Plant", "Shrub"], knowing: try view.fetchIDs(Plant.all))
  }

  func merge() { view.processPendingChanges() }

  /// Merges the saves that a log has.
  func merge(_ saves: MessageLog) throws {
    for message in saves.messages(.didSave) { try view.mergeChanges(fromContextDidSave: message) }
  }

  /// Another context beside the view, and the log of its messages.
  func other() -> (context: ManagedObjectContext, log: MessageLog) {
    let context = ManagedObjectContext(parent: container.root)
    return (context, MessageLog(context.layer))
  }

  /// The names that the list shows, once the list, a fetch and the audience agree.
  func names(_ location: SourceLocation = #_sourceLocation) throws -> [String] {
    merge()
    let fetched = Set(try view.fetchIDs(Plant.all))
    let listed = Set(list.fetchedObjects.objectIDs)
    #expect(listed == fetched, "the list and a fetch", sourceLocation: location)
    #expect(audience.ids == fetched, "the messages and a fetch", sourceLocation: location)
    return try view.fetch(Plant.all.sorted(by: \.name)).map(\.name)
  }
}

#if DEBUG
  extension Scene {
    /// Does something once, when `body` reaches a pause point.
    ///
    /// - Parameter isHere: whether only this thread's pause point is meant.
    fileprivate func acting(
      at point: PausePoint, isHere: Bool = true, _ act: @escaping @Sendable () throws -> Void,
      during body: () throws -> Void
    ) throws {
      // Safety: only compared.
      nonisolated(unsafe) let thread = Thread.current
      let isDone = Mutex(false)
      PausePoint.observe(container.coordinator.schema) { reached in
        guard reached == point, !isHere || Thread.current === thread else { return }
        let isFirst = isDone.withLock { isDone in
          defer { isDone = true }
          return !isDone
        }
        if isFirst { #expect(throws: Never.self) { try act() } }
      }
      defer { PausePoint.observe(container.coordinator.schema, nil) }
      try body()
      #expect(isDone.withLock { $0 }, "the pause point was not reached")
    }
  }

  @Suite struct `A list beside a save to the disk` {
    @Test func `loses an object that is deleted while the store gets its insertion`() throws {
      let scene = try Scene(garden())
      let workers = scene.workers
      let id = try scene.workers.insert("a")
      #expect(try scene.names() == ["a"])
      try scene.acting(at: .tagged, isHere: false) {
        try workers.delete(id)
      } during: {
        try scene.workers.save()
      }
      try scene.acting(at: .viewTaken) {
        try workers.insert("b")
      } during: {
        scene.merge()
      }
      #expect(try scene.names() == ["b"])
    }

    @Test(arguments: [PausePoint.viewTaken, .snapshotTaken])
    func `loses an object whose insertion a view showed early`(_ point: PausePoint) throws {
      let scene = try Scene(garden())
      let workers = scene.workers
      try scene.workers.insert("b")
      let id = Mutex<ObjectID?>(nil)
      try scene.acting(at: point) {
        let inserted = try workers.insert("a")
        id.withLock { $0 = inserted }
        try workers.save()
      } during: {
        scene.merge()
      }
      try scene.workers.delete(#require(id.withLock { $0 }))
      #expect(try scene.names() == ["b"])
    }

    @Test(arguments: [PausePoint.viewTaken, .snapshotTaken])
    func `shows what comes and goes between two steps of a view, once each`(
      _ point: PausePoint
    ) throws {
      let scene = try Scene(garden())
      let workers = scene.workers
      let gone = try scene.workers.insert("a")
      try scene.workers.save()
      #expect(try scene.names() == ["a"])
      try scene.workers.insert("b")
      try scene.acting(at: point) {
        try workers.delete(gone)
        try workers.insert("c")
        try workers.save()
        try workers.insert("d")
      } during: {
        scene.merge()
      }
      #expect(try scene.names() == ["b", "c", "d"])
    }

    @Test func `names nothing twice that a save beside a view does not change`() throws {
      let scene = try Scene(garden())
      let workers = scene.workers
      let id = try scene.workers.insert("a")
      #expect(try scene.names() == ["a"])
      let log = MergeLog(scene.view.layer)
      try scene.workers.insert("b")
      try scene.acting(at: .viewTaken) {
        try workers.save()
        try workers.insert("c")
      } during: {
        scene.merge()
      }
      #expect(try scene.names() == ["a", "b", "c"])
      #expect(!log.inserted.contains(id))
    }
  }
#endif

@Suite struct `A list loses an object` {
  @Test func `that a delete rule has changed before it was deleted`() throws {
    let scene = try Scene(garden())
    let gardener = try scene.workers.worker.performAndWait { context in
      let id = context.gardener("g").objectID
      try context.save()
      return id
    }
    // Another worker deletes the gardener, and does not know the plant.
    let other = ManagedObjectContext(parent: scene.container.root)
    other.delete(try other.existingObject(Gardener.self, with: gardener))
    other.processPendingChanges()
    let id = try scene.workers.worker.performAndWait { context in
      let gardener = try context.existingObject(Gardener.self, with: gardener)
      let id = context.plant("a", of: gardener).objectID
      try context.save()
      return id
    }
    #expect(try scene.names() == ["a"])
    try other.save()
    try scene.workers.delete(id)
    #expect(try scene.names() == [])
  }

  @Test(arguments: ["rollback", "rollback once the store has it", "save"])
  func `that its parent's unsaved change has hidden the deletion of`(_ end: String) throws {
    let container = try garden()
    let parent = ContextQueue(parent: container.root)
    let scene = try Scene(container, below: parent)
    let id = try scene.workers.insert("a")
    try scene.workers.save()
    #expect(try scene.names() == ["a"])
    try parent.performAndWait { context in
      try context.existingObject(Plant.self, with: id).name = "b"
    }
    #expect(try scene.names() == ["b"])
    try scene.workers.delete(id)
    #expect(try scene.names() == ["b"])
    if end.hasSuffix("store has it") { try scene.workers.save() }
    try parent.performAndWait { context in
      if end == "save" { try context.save() } else { context.rollback() }
    }
    #expect(try scene.names() == [])
  }

  @Test(arguments: ["undo", "change", "child"])
  func `whose last change here was not told of yet`(_ change: String) throws {
    let scene = try Scene(garden())
    scene.view.undoManager = ManagedObjectContext.UndoManager()
    let id = try scene.workers.insert("a")
    #expect(try scene.names() == ["a"])
    let plant = try scene.view.existingObject(Plant.self, with: id)
    switch change {
    case "undo":
      scene.view.delete(plant)
      #expect(try scene.names() == [])
      scene.view.undo()
    case "change": plant.height = 7
    default:
      scene.merge()
      let child = ManagedObjectContext(parent: scene.view.layer)
      try child.existingObject(Plant.self, with: id).height = 7
      try child.save()
      // Integrates the child's save, and tells of it when the turn ends.
      #expect(try scene.view.fetch(Plant.all).map(\.height) == [7])
    }
    let log = MessageLog(scene.view.layer)
    try scene.workers.delete(id)
    #expect(try scene.names() == [])
    let changes = log.messages(.objectsDidChange).map(\.objects)
    #expect(changes.map(\.deleted) == [[id]])
    #expect(changes.allSatisfy { $0.inserted.isEmpty && $0.updated.isEmpty })
  }

  @Test func `that came and went while a savepoint kept merges waiting`() throws {
    let scene = try Scene(garden(), isConfined: true)
    try scene.view.withSavepoint {
      let id = try scene.workers.insert("a")
      try scene.list.performFetch()
      #expect(scene.list.fetchedObjects.count == 1)
      try scene.workers.delete(id)
    }
    #expect(try scene.names() == [])
  }
}

@Suite struct `A list tells of an insertion by others` {
  @Test(arguments: [true, false])
  func `when a child has changed the object before the merge`(isAutomatic: Bool) throws {
    let scene = try Scene(garden())
    scene.view.automaticallyMergesChangesFromParent = isAutomatic
    let (other, saves) = scene.other()
    let id = other.plant("a").objectID
    try other.save()
    let child = ManagedObjectContext(parent: scene.view.layer)
    try child.existingObject(Plant.self, with: id).name = "b"
    try child.save()
    if !isAutomatic { try scene.merge(saves) }
    #expect(try scene.names() == ["b"])
  }

  @Test(arguments: [true, false])
  func `when a savepoint has read the object before the merge`(isKept: Bool) throws {
    struct Refusal: Error {}
    let scene = try Scene(garden())
    scene.merge()
    let id = try scene.workers.insert("a")
    var plant: Plant?
    try? scene.view.withSavepoint {
      plant = try scene.view.existingObject(Plant.self, with: id)
      #expect(plant?.name == "a")
      if !isKept { throw Refusal() }
    }
    #expect(try scene.names() == ["a"])
    #expect(plant?.name == "a")
  }

  @Test(arguments: ["merge", "save", "turn"])
  func `before its deletion in the turn that has read it`(_ end: String) throws {
    let scene = try Scene(garden())
    let (other, saves) = scene.other()
    let log = MessageLog(scene.view.layer)
    scene.merge()
    let id = other.plant("a").objectID
    try other.save()
    scene.view.delete(try scene.view.existingObject(Plant.self, with: id))
    switch end {
    case "merge": try scene.merge(saves)
    case "save": try scene.view.save()
    default: scene.merge()
    }
    #expect(try scene.names() == [])
    let changes = log.messages(.objectsDidChange).map(\.objects)
    #expect(changes.first { $0.inserted.contains(id) || $0.deleted.contains(id) }?.inserted == [id])
  }
}

@Suite struct `A list in a context that merges on request` {
  @Test func `follows what the parent has made of a save`() throws {
    let scene = try Scene(garden())
    scene.view.automaticallyMergesChangesFromParent = false
    let (other, saves) = scene.other()
    let gardener = other.gardener("g")
    try other.save()
    scene.merge()
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.name), context: scene.view,
      sectionNameKeyPath: { $0.gardener.name })
    scene.view.plant(
      "a", of: try scene.view.existingObject(Gardener.self, with: gardener.objectID))
    try list.performFetch()
    #expect(list.sections.map(\.name) == ["g"])
    // The other context does not know the plant; the parent drops its link.
    other.delete(gardener)
    try other.save()
    try scene.view.save()
    try scene.merge(saves)
    scene.merge()
    #expect(list.sections.map(\.name) == [nil])
  }
}

@Suite struct `A list in a queue that merges automatically` {
  /// Lets go of the queue's isolation.
  // Safety: used in the queue's turns only.
  private final class Shown: @unchecked Sendable {
    var list: FetchedResultsController<Plant>?
    var audience: Audience?
  }

  @Test func `agrees with a fetch after workers and saves to the disk beside each other`()
    async throws
  {
    let container = try garden()
    let root = container.root
    let view = ContextQueue(parent: root)
    let shown = Shown()
    try await view.perform { context in
      context.automaticallyMergesChangesFromParent = true
      let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
      try list.performFetch()
      shown.list = list
      shown.audience = Audience(context.layer, of: ["Plant", "Shrub"], knowing: [])
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        let worker = ContextQueue(parent: root)
        group.addTask {
          var ids: [ObjectID] = []
          for round in 0..<120 {
            ids = try await worker.perform { [ids] context in
              var ids = ids
              for _ in 0..<3 { ids.append(context.plant("\(number) \(round)").objectID) }
              while ids.count > 9 {
                context.delete(try context.existingObject(Plant.self, with: ids.removeFirst()))
              }
              try context.save()
              return ids
            }
          }
        }
      }
      group.addTask { for _ in 0..<60 { try await root.save() } }
      try await group.waitForAll()
    }
    try await view.perform { context in
      let fetched = Set(try context.fetchIDs(Plant.all))
      #expect(fetched.count == 18)
      #expect(shown.list.map { Set($0.fetchedObjects.objectIDs) } == fetched)
      #expect(shown.audience?.ids == fetched)
      shown.list = nil
      shown.audience = nil
    }
  }
}
