// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

/// Random work in a root, its child and another root, on objects each of which has the same bytes
/// twice: beside it, and in it. Saves, merges, undo and rollback must have the same effect on both;
/// and the file has the bytes of each stamp and no others.
///
/// The contexts are refreshed before the two are compared: an object that is held and outdated
/// shows its own value of the one and the store's of the other, as it should. With undo they are
/// refreshed after each step, because a value that was replaced before a context noticed cannot be
/// restored. Without, there are conflicts.
private struct MirroredWorld: Model {
  var random: ModelRandom
  let directory: TemporaryDirectory
  let container: PersistentContainer
  let queues: [ContextQueue]
  private let hasUndo: Bool
  private let planting: Planting
  private var isFresh = true

  init(_ random: ModelRandom, hasUndo: Bool, fault: PlantedFault? = nil) throws {
    self.random = random
    self.hasUndo = hasUndo
    directory = try TemporaryDirectory()
    container = try republic(in: directory)
    planting = Planting(fault, in: container)
    queues = [
      container.root, ContextQueue(parent: container.root),
      ContextQueue(parent: container.coordinator),
    ]
    let policy = self.random.chance(2) ? MergePolicy.mergeByPropertyStoreTrump : Self.oursFirst
    for queue in queues {
      try queue.performAndWait { context in
        if hasUndo { context.undoManager = ManagedObjectContext.UndoManager() }
        context.mergePolicy = policy
      }
    }
  }

  /// Except for objects that they have deleted: their bytes cannot be restored.
  private static let oursFirst = MergePolicy.custom("ours first") { conflict in
    conflict.theirValues == nil ? .keepTheirs : .apply(.mergeByPropertyObjectTrump)
  }

  private static let names = ["root", "child", "other"]

  static var operations: [ModelOperation<MirroredWorld>] {
    [
      work("insert", weight: 2) { context, _, draw in
        context.painting("\(draw.number)", scan: draw.data).mirror = draw.data
      },
      work("set", weight: 3) { try $2.set($1, in: $0, encodes: false) },
      work("set, and encode in between") { try $2.set($1, in: $0, encodes: true) },
      work("rename") { $1?.title = "t\($2.number)" },
      work("delete") { context, painting, _ in if let painting { context.delete(painting) } },
      work("save", weight: 3) { context, _, _ in try context.save() },
      // A child continues from values that its parent has rolled back, unless it is refreshed.
      work("roll back", refreshes: true) { context, _, _ in context.rollback() },
      work("undo", weight: 2) { context, _, _ in context.undo() },
      work("redo") { context, _, _ in context.redo() },
      work("savepoint that throws") { context, painting, draw in
        struct Enough: Error {}
        try? context.withSavepoint {
          try draw.set(painting, in: context, encodes: false)
          _ = context.hasChanges
          if let painting, draw.number.isMultiple(of: 2) { context.delete(painting) }
          throw Enough()
        }
      },
    ]
  }

  /// The random numbers of a step before it is in its context.
  private struct Draw: Sendable {
    let number: Int
    let data: Data?

    init(_ random: inout ModelRandom) {
      number = random.below(1_000)
      let (seed, count) = (UInt8(random.below(6) + 1), random.pick([0, 10, 3_000, 9_000]) ?? 0)
      data = random.chance(5) ? nil : scan(seed, count)
    }

    /// Setting a value to the shown one is no change. The external attribute shows the present
    /// value and the mirror the object's, so the object is brought up to date first. One that
    /// another context has deleted is gone then, and takes no values.
    func set(_ painting: Painting?, in context: ManagedObjectContext, encodes: Bool) throws {
      guard let painting else { return }
      context.refresh(painting, mergeChanges: true)
      if painting.isDeleted { return }
      painting.scan = data
      try expectSame(painting.scan, data, "what was set")
      if encodes { _ = context.hasChanges }
      painting.mirror = data
    }
  }

  /// A step that does something in one of the contexts, with one of its paintings if there is one.
  private static func work(
    _ name: String, weight: Int = 1, refreshes: Bool = false,
    _ body: @escaping @Sendable (ManagedObjectContext, Painting?, Draw) throws -> Void
  ) -> ModelOperation<MirroredWorld> {
    ModelOperation(name, weight: weight) { try $0.work(body, refreshes: refreshes) }
  }

  private mutating func work(
    _ body: @Sendable (ManagedObjectContext, Painting?, Draw) throws -> Void, refreshes: Bool
  ) throws {
    let (place, draw) = (random.below(3), Draw(&random))
    random.note("  in \(Self.names[place]), \(draw.number), \(draw.data?.count ?? -1) bytes")
    let isSound = try queues[place].performAndWait { context in
      let all = try context.fetch(Painting.all.sorted(by: \.title))
      let painting = all.isEmpty ? nil : all[draw.number % all.count]
      try body(context, painting, draw)
      // Setting a value to the shown one changes nothing, however old the object is.
      guard let painting, !painting.isDeleted else { return true }
      let hadChanges = painting.hasChanges
      painting.scan = painting.scan
      return painting.hasChanges == hadChanges
    }
    if !isSound { throw ModelDifference("\(Self.names[place]) changes what is set to what it was") }
    isFresh = refreshes || hasUndo || random.chance(3)
    if !isFresh { return }
    for queue in queues { try queue.performAndWait { $0.refreshAllObjects() } }
  }

  mutating func check() throws {
    try expectNone(try ExternalAudit(directory).problems())
    for (name, queue) in zip(Self.names, queues) where isFresh {
      let differing = try queue.performAndWait { context in
        let differing = try context.fetch(Painting.all).filter { $0.scan != $0.mirror }
        try context.throwWhatWasDeferred()
        return differing.map {
          "\(name): \($0.objectID) has \($0.scan?.count ?? -1), not \($0.mirror?.count ?? -1)"
        }
      }
      try expectNone(differing)
    }
  }
}

@Suite struct `External attributes in random work` {
  private static let stepCount = 60

  @Test(arguments: [true, false])
  func `equal the same bytes in the object`(hasUndo: Bool) async {
    let failure = await ModelTest(
      "external, undo \(hasUndo)", sequences: 40, steps: Self.stepCount, width: 2
    ) { try MirroredWorld($0, hasUndo: hasUndo) }.firstFailure()
    #expect(failure == nil)
  }

  #if DEBUG
    @Test(arguments: [PlantedFault.bytesDropped, .undoForgetsBytes])
    func `show a planted mistake`(fault: PlantedFault) async {
      let failure = await ModelTest(
        "external with a fault", sequences: 80, steps: Self.stepCount, first: 1
      ) { try MirroredWorld($0, hasUndo: true, fault: fault) }.firstFailure(isShrunk: false)
      #expect(failure != nil)
    }
  #endif

  @Test func `are there again when the store is reopened`() throws {
    for seed in UInt64(101)...105 {
      let directory: TemporaryDirectory
      let stored: [ObjectID: Data?]
      do {
        var world = try MirroredWorld(ModelRandom(seed: seed), hasUndo: true)
        for _ in 0..<Self.stepCount { try world.step() }
        for queue in world.queues[...1].reversed() {
          try? queue.performAndWait { try $0.save() }
        }
        directory = world.directory
        stored = try scans(ContextQueue(parent: world.container.coordinator))
      }
      let found = try scans(republic(in: directory).root)
      #expect(found == stored, "seed \(seed)")
      #expect(try ExternalAudit(directory).problems() == [], "seed \(seed)")
    }
  }

  private func scans(_ queue: ContextQueue) throws -> [ObjectID: Data?] {
    try queue.performAndWait { context in
      Dictionary(
        uniqueKeysWithValues: try context.fetch(Painting.all).map { ($0.objectID, $0.scan) })
    }
  }
}
