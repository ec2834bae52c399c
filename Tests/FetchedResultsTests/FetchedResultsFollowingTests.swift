// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Synchronization
import Testing

/// A context, a list of its plants by bed and name, and the list according to its callbacks.
private struct Scene {
  let container: PersistentContainer
  let context: ManagedObjectContext
  let list: FetchedResultsController<Plant>
  let replay: FetchedListReplay

  init(_ plants: [(String, String?)], isChild: Bool = false) throws {
    container = try garden()
    context =
      isChild
      ? ManagedObjectContext.withExplicitTurns(below: container.root)
      : ManagedObjectContext.withExplicitTurns(below: container.coordinator)
    for (name, bed) in plants { context.plant(name, in: bed) }
    try context.save()
    list = FetchedResultsController(
      Plant.all.sorted(by: \.bed).sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.bed })
    try list.performFetch()
    replay = FetchedListReplay(list)
  }

  func plant(_ name: String) throws -> Plant {
    try #require(try context.fetch(Plant.where { $0.name == name }).first)
  }

  /// Ends the turn.
  ///
  /// - Returns: the list, or the list according to its callbacks if that differs.
  func ended() -> String {
    context.processPendingChanges()
    if let complaint = replay.complaint { return complaint }
    let sections = FetchedListReplay.sections(of: list)
    return sections == replay.sections ? text(list) : "\(replay.sections)"
  }
}

@Suite struct `A fetched list follows` {
  @Test func `insertions, deletions and updates of its context at the end of the turn`() throws {
    let scene = try Scene([("a", "x"), ("c", "x"), ("d", "y")])
    scene.context.plant("b", in: "x")
    #expect(text(scene.list) == "[x: a c] [y: d]")
    #expect(scene.ended() == "[x: a b c] [y: d]")
    #expect(scene.replay.takeLog() == ["will", "insert [0, 1]", "did"])
    scene.context.delete(try scene.plant("a"))
    try scene.plant("c").height = 5
    #expect(scene.ended() == "[x: b c] [y: d]")
    #expect(scene.replay.takeLog() == ["will", "delete [0, 0]", "update [0, 2] [0, 1]", "did"])
    try scene.plant("b").name = "z"
    #expect(scene.ended() == "[x: c z] [y: d]")
    #expect(scene.replay.takeLog() == ["will", "move [0, 0] [0, 1]", "did"])
  }

  @Test func `an object that changes its sort key and stays in its place as an update`() throws {
    let scene = try Scene([("a", "x"), ("c", "x"), ("e", "x")])
    try scene.plant("c").name = "d"
    #expect(scene.ended() == "[x: a d e]")
    #expect(scene.replay.takeLog() == ["will", "update [0, 1] [0, 1]", "did"])
  }

  @Test func `the birth and the death of sections`() throws {
    let scene = try Scene([("a", "x"), ("b", "y")])
    try scene.plant("a").bed = "z"
    scene.context.plant("c")
    #expect(scene.ended() == "[nil: c] [y: b] [z: a]")
    #expect(
      scene.replay.takeLog() == [
        "will", "section delete x 0", "section insert nil 0", "section insert z 2",
        "insert [0, 0]", "move [0, 0] [2, 0]", "did",
      ])
    scene.context.delete(try scene.plant("b"))
    #expect(scene.ended() == "[nil: c] [z: a]")
    #expect(
      scene.replay.takeLog() == ["will", "section delete y 1", "delete [1, 0]", "did"])
  }

  @Test func `sections that the program names past each other`() throws {
    let scene = try Scene([("a", "x"), ("b", "y")])
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.height), context: scene.context, sectionName: \.bed)
    let (a, b) = (try scene.plant("a"), try scene.plant("b"))
    (a.height, b.height) = (1, 2)
    try list.performFetch()
    let replay = FetchedListReplay(list)
    #expect(text(list) == "[x: a] [y: b]")
    a.height = 3
    scene.context.processPendingChanges()
    #expect(text(list) == "[y: b] [x: a]")
    #expect(replay.complaint == nil)
    #expect(replay.sections == FetchedListReplay.sections(of: list))
  }

  @Test func `objects that were inserted and deleted within one turn not at all`() throws {
    let scene = try Scene([("a", "x")])
    scene.context.delete(scene.context.plant("b"))
    #expect(scene.ended() == "[x: a]")
    #expect(scene.replay.takeLog() == [])
  }

  @Test func `the values it was fetched with and those released before the end of the turn`() throws
  {
    let scene = try Scene([("a", "x")])
    let passing = scene.context.plant("b", in: "x")
    try scene.list.performFetch()
    scene.replay.reload(scene.list)
    #expect(text(scene.list) == "[x: a b]")
    scene.context.delete(passing)
    #expect(scene.ended() == "[x: a]")
  }

  @Test func `the deletion of an object that is held`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let held = try scene.plant("a")
    scene.context.delete(held)
    #expect(scene.ended() == "[x: b]")
    #expect(scene.list.indexPath(forObject: held) == nil)
    try scene.context.save()
    #expect(scene.ended() == "[x: b]")
    #expect(scene.list.indexPath(forObject: held) == nil)
  }

  @Test func `saves of children`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let child = ManagedObjectContext(parent: scene.context.layer)
    child.plant("c", in: "x")
    let a = try #require(try child.fetch(Plant.where { $0.name == "a" }).first)
    a.bed = "y"
    child.processPendingChanges()
    #expect(scene.ended() == "[x: a b]")
    try child.save()
    #expect(scene.ended() == "[x: b c] [y: a]")
    let inside = ManagedObjectContext(parent: scene.context)
    inside.plant("d")
    try inside.save()
    #expect(scene.ended() == "[nil: d] [x: b c] [y: a]")
  }

  @Test func `others' saves, once they are merged`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let other = ManagedObjectContext(parent: scene.container.coordinator)
    let log = MessageLog(other.layer)
    func merge() throws {
      let message = try #require(log.messages(.didSave).last)
      try scene.context.mergeChanges(fromContextDidSave: message)
    }
    let a = try #require(try other.fetch(Plant.where { $0.name == "a" }).first)
    a.name = "z"
    other.plant("c", in: "y")
    try other.save()
    // The program does not hold the object, so it shows the saved values; its place is the former
    // one.
    #expect(scene.ended() == "[x: z b]")
    try merge()
    #expect(scene.ended() == "[x: b z] [y: c]")
    let c = try #require(try other.fetch(Plant.where { $0.name == "c" }).first)
    other.delete(c)
    try other.save()
    try merge()
    #expect(scene.ended() == "[x: b z]")
  }

  @Test(arguments: [false, true])
  func `a deletion by others that was found before its notification`(
    isRead: Bool
  ) throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    // Nothing is registered any more, except a fault.
    scene.context.cacheByteBudget = 0
    _ = scene.context.registeredObjects
    let id = try #require(try scene.context.fetchIDs(Plant.where { $0.name == "a" }).first)
    let fault = try scene.context.object(Plant.self, with: id)
    #expect(fault.isFault)
    let other = ManagedObjectContext(parent: scene.container.coordinator)
    let saves = MessageLog(other.layer)
    let theirs = try #require(try other.fetch(Plant.where { $0.name == "a" }).first)
    theirs.height = 7
    try other.save()
    other.delete(theirs)
    try other.save()
    scene.context.processPendingChanges()
    if isRead { #expect(fault.name == "") }
    let told = MergeLog(scene.context.layer)
    for message in saves.messages(.didSave) {
      try scene.context.mergeChanges(fromContextDidSave: message)
    }
    #expect(scene.ended() == "[x: b]")
    #expect(!fault.isFault && fault.isDeleted)
    #expect(told.messages.count { $0.objects.deleted.contains(id) } == 1)
  }

  @Test func `others' saves by itself in a context that merges automatically`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")], isChild: true)
    scene.context.automaticallyMergesChangesFromParent = true
    #expect(scene.ended() == "[x: a b]")
    try scene.container.root.performAndWait { root in
      root.plant("c", in: "x")
      try root.fetch(Plant.where { $0.name == "a" })[0].bed = "y"
    }
    #expect(scene.ended() == "[x: b c] [y: a]")
    try scene.container.root.performAndWait { try $0.save() }
    scene.replay.reload(scene.list)
    #expect(scene.ended() == "[x: b c] [y: a]")
    #expect(scene.replay.takeLog() == [])
  }

  @Test func `changes that were not reported one by one, by comparing everything`() throws {
    let scene = try Scene([("a", "x")], isChild: true)
    // Nothing is registered, so nothing would be merged.
    scene.context.cacheByteBudget = 0
    _ = scene.context.registeredObjects
    try scene.container.root.performAndWait { root in
      root.plant("b", in: "x")
      try root.save()
    }
    #expect(scene.ended() == "[x: a]")
    scene.context.automaticallyMergesChangesFromParent = true
    #expect(scene.ended() == "[x: a b]")
  }

  @Test func `refreshAllObjects, after which it is as if fetched`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let other = ManagedObjectContext(parent: scene.container.coordinator)
    try other.fetch(Plant.where { $0.name == "a" })[0].name = "z"
    other.plant("c", in: "x")
    try other.save()
    scene.context.refreshAllObjects()
    #expect(scene.ended() == "[x: b c z]")
  }

  @Test func `the refreshing of one object`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let a = try scene.plant("a")
    a.name = "z"
    #expect(scene.ended() == "[x: b z]")
    scene.context.refresh(a, mergeChanges: false)
    #expect(scene.ended() == "[x: a b]")
  }

  @Test func `rollback, undo and redo`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    scene.context.undoManager = ManagedObjectContext.UndoManager()
    scene.context.plant("c", in: "y")
    try scene.plant("a").name = "z"
    #expect(scene.ended() == "[x: b z] [y: c]")
    scene.context.undo()
    #expect(scene.ended() == "[x: a b]")
    scene.context.redo()
    #expect(scene.ended() == "[x: b z] [y: c]")
    scene.context.delete(try scene.plant("b"))
    scene.context.rollback()
    #expect(scene.ended() == "[x: a b]")
  }

  @Test func `a savepoint that throws after the list was fetched in it`() throws {
    struct Refusal: Error {}
    let scene = try Scene([("a", "x")])
    try? scene.context.withSavepoint {
      scene.context.plant("b", in: "y")
      try scene.list.performFetch()
      scene.replay.reload(scene.list)
      #expect(text(scene.list) == "[x: a] [y: b]")
      throw Refusal()
    }
    #expect(scene.ended() == "[x: a]")
  }

  @Test func `no reset before the fetch that a delegate makes after it`() throws {
    final class Resetting: FetchedResultsControllerDelegate {
      private var isDone = false

      func controllerDidChangeContent(_ controller: FetchedResultsController<Plant>) {
        if isDone { return }
        isDone = true
        controller.managedObjectContext?.reset()
        #expect(throws: Never.self) { try controller.performFetch() }
      }
    }
    let scene = try Scene([("a", "x")])
    scene.context.automaticallyMergesChangesFromParent = true
    let delegate = Resetting()
    scene.list.delegate = delegate
    try ContextQueue(parent: scene.container.coordinator).performAndWait { context in
      context.plant("b", in: "x")
      try context.save()
    }
    scene.context.processPendingChanges()
    #expect(text(scene.list) == "[x: a b]")
    scene.context.plant("c", in: "x")
    scene.context.processPendingChanges()
    #expect(text(scene.list) == "[x: a b c]")
  }

  @Test func `a reset by being empty until it is fetched again`() throws {
    let scene = try Scene([("a", "x"), ("b", "y")])
    scene.context.reset()
    #expect(scene.ended() == "")
    #expect(!scene.list.isFetched)
    #expect(
      scene.replay.takeLog() == [
        "will", "section delete x 0", "section delete y 1", "delete [0, 0]", "delete [1, 0]",
        "did",
      ])
    scene.context.plant("c", in: "x")
    #expect(scene.ended() == "")
    try scene.list.performFetch()
    scene.replay.reload(scene.list)
    #expect(scene.ended() == "[x: a c] [y: b]")
    scene.context.plant("d", in: "y")
    #expect(scene.ended() == "[x: a c] [y: b d]")
  }

  @Test func `nothing that only others have while it is held here`() throws {
    let scene = try Scene([("a", "x"), ("b", "x")])
    let held = try scene.plant("a")
    let other = ManagedObjectContext(parent: scene.container.coordinator)
    try other.fetch(Plant.where { $0.name == "a" })[0].name = "z"
    try other.save()
    // The object shows "a" still, so that is where it stands: fetched again, too.
    #expect(held.name == "a")
    try scene.list.performFetch()
    scene.replay.reload(scene.list)
    #expect(scene.ended() == "[x: a b]")
    scene.context.refresh(held, mergeChanges: true)
    #expect(scene.ended() == "[x: b z]")
  }

  @Test func `a change of one object by looking at that alone`() throws {
    let scene = try Scene((0..<500).map { ("\($0)", nil) })
    var askedCount = 0
    let list = FetchedResultsController(
      Plant.all.sorted(by: \.height), context: scene.context,
      sectionName: { plant in
        askedCount += 1
        return plant.bed
      })
    try list.performFetch()
    #expect(askedCount == 500)
    let plant = list.object(at: FetchedIndexPath(item: 250, section: 0))
    plant.height = 1
    scene.context.processPendingChanges()
    #expect(askedCount == 501)
    #expect(list.indexPath(forObject: plant) == FetchedIndexPath(item: 499, section: 0))
  }

  @Test func `its delegate's changes during a notification, after it`() throws {
    let scene = try Scene([("a", "x")])
    let context = scene.context
    var isDone = false
    scene.replay.whileTold = {
      if isDone { return }
      isDone = true
      context.plant("c", in: "x")
      try? context.save()
    }
    scene.context.plant("b", in: "x")
    #expect(scene.ended() == "[x: a b c]")
    #expect(
      scene.replay.takeLog()
        == ["will", "insert [0, 1]", "did", "will", "insert [0, 2]", "did"])
  }

  /// As the section "One moment" of FetchedResultsController says.
  @Test func `shows values and places of one moment in a pinned context beside writers`() throws {
    let container = try garden()
    let coordinator = container.coordinator
    let context = ManagedObjectContext.withExplicitTurns(below: coordinator)
    for number in 0..<60 { context.plant("\(number % 2) \(number)").height = number }
    try context.save()
    context.automaticallyMergesChangesFromParent = true
    context.reset()
    try context.setQueryGeneration(from: .current)
    let list = FetchedResultsController(Plant.all.sorted(by: \.height), context: context)
    try list.performFetch()
    let isOver = Mutex(false)
    let runningCount = Mutex(2)
    for writer in 0..<2 {
      Thread {
        defer { runningCount.withLock { $0 -= 1 } }
        var random = SeededGenerator(seed: UInt64(writer))
        while !isOver.withLock({ $0 }) {
          #expect(throws: Never.self) {
            let context = ManagedObjectContext(parent: coordinator)
            let own = try context.fetch(Plant.where { $0.name.hasPrefix("\(writer) ") })
            for plant in own.shuffled(using: &random).prefix(5) {
              plant.height = Int.random(in: 0..<1_000, using: &random)
            }
            try context.save()
          }
        }
      }.start()
    }
    // However seldom the machine lets the writers run.
    var movedCount = 0
    var former: [ObjectID] = []
    while movedCount < 30 {
      try context.setQueryGeneration(from: .current)
      try list.performFetch()
      for _ in 0..<3 {
        context.processPendingChanges()
        let heights = list.fetchedObjects.map(\.height)
        #expect(heights == heights.sorted())
      }
      let order = list.fetchedObjects.map(\.objectID)
      if order != former { movedCount += 1 }
      former = order
    }
    isOver.withLock { $0 = true }
    while runningCount.withLock({ $0 > 0 }) { usleep(1_000) }
  }
}
