// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

/// Random work in a root, its child and another root, on objects of which each has the same bytes twice:
/// beside it, and in it. Whatever saves, merges, undo and rollback make of the one, they must make of the
/// other; and the file has the bytes of each stamp and no others.
///
/// The contexts are refreshed before the two are compared: an object that is held and out of date shows
/// its own value of the one and the store's of the other, as it should. With undo they are refreshed after
/// each step, for what was replaced before a context heard of it cannot be brought back. Without, there are
/// conflicts.
private struct MirroredWorld {
  let directory: TemporaryDirectory
  let container: PersistentContainer
  let queues: [ContextQueue]
  var random: SeededGenerator
  var trace: [String] = []
  private var unsound: String?

  private let hasUndo: Bool
  private var isFresh = true

  init(seed: UInt64, hasUndo: Bool) throws {
    self.hasUndo = hasUndo
    random = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory()
    container = try gallery(in: directory)
    queues = [
      container.root, ContextQueue(parent: container.root),
      ContextQueue(parent: container.coordinator),
    ]
    let policy = seed % 2 == 0 ? MergePolicy.mergeByPropertyStoreTrump : Self.oursFirst
    for queue in queues {
      try queue.performAndWait { context in
        if hasUndo { context.undoManager = ManagedObjectContext.UndoManager() }
        context.mergePolicy = policy
      }
    }
  }

  /// But for objects that they have deleted: of those the bytes cannot come back.
  private static let oursFirst = MergePolicy.custom("ours first") { conflict in
    conflict.theirValues == nil ? .keepTheirs : .apply(.mergeByPropertyObjectTrump)
  }

  private static let names = ["root", "child", "other"]

  private mutating func bytes() -> Data? {
    if Int.random(in: 0..<5, using: &random) == 0 { return nil }
    let count = [0, 10, 3_000, 9_000].randomElement(using: &random) ?? 0
    return scan(UInt8.random(in: 1...6, using: &random), count)
  }

  mutating func step() throws {
    let place = Int.random(in: 0..<3, using: &random)
    let operation = Int.random(in: 0..<16, using: &random)
    let (data, other) = (bytes(), bytes())
    let pick = Int.random(in: 0..<1_000, using: &random)
    trace.append("\(Self.names[place]) \(operation) \(pick) \(data?.count ?? -1)")
    let isSound = try queues[place].performAndWait { context in
      var isShown = true
      let all = try context.fetch(Painting.all.sorted(by: \.title))
      let painting = all.isEmpty ? nil : all[pick % all.count]
      switch operation {
      case 0, 1:
        let painting = context.painting("\(pick)", scan: data)
        painting.mirror = data
      case 2...5:
        painting?.scan = data
        if let painting { isShown = painting.scan == data }
        if operation == 3 { _ = context.hasChanges }
        painting?.mirror = data
      case 6: painting?.title = "t\(pick)"
      case 7: if let painting { context.delete(painting) }
      case 8...10: try context.save()
      case 11: context.rollback()
      case 12, 13: context.undo()
      case 14: context.redo()
      default:
        struct Enough: Error {}
        try? context.edit {
          painting?.scan = other
          painting?.mirror = other
          _ = context.hasChanges
          if let painting, pick % 2 == 0 { context.delete(painting) }
          throw Enough()
        }
      }
      // What is shown, however old the object is, can be set without changing anything.
      guard let painting, !painting.isDeleted else { return isShown }
      let hadChanges = painting.hasChanges
      painting.scan = painting.scan
      return isShown && painting.hasChanges == hadChanges
    }
    if !isSound { unsound = "\(Self.names[place]) does not show what was set, or changes it" }
    // A child goes on from what its parent has rolled back, if nobody tells it.
    isFresh = hasUndo || operation == 11 || Int.random(in: 0..<3, using: &random) == 0
    if !isFresh { return }
    for queue in queues { try queue.performAndWait { $0.refreshAllObjects() } }
  }

  /// What is wrong; nil if nothing is.
  func difference() throws -> String? {
    var found = try ExternalAudit(directory).problems() + [unsound].compactMap { $0 }
    for (name, queue) in zip(Self.names, queues) where isFresh {
      found += try queue.performAndWait { context in
        let differing = try context.fetch(Painting.all).filter { $0.scan != $0.mirror }
        try context.throwWhatWasDeferred()
        return differing.map {
          "\(name): \($0.objectID) has \($0.scan?.count ?? -1), not \($0.mirror?.count ?? -1)"
        }
      }
    }
    return found.isEmpty ? nil : "\(found) after \(trace.suffix(12))"
  }

  /// Does `count` steps, or fewer: until something is wrong.
  mutating func run(_ count: Int) throws -> String? {
    for _ in 0..<count {
      try step()
      if let difference = try difference() { return difference }
    }
    return nil
  }

  /// What the store has, by ID.
  func stored() throws -> [ObjectID: Data?] {
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      Dictionary(
        uniqueKeysWithValues: try context.fetch(Painting.all).map { ($0.objectID, $0.scan) })
    }
  }
}

@Suite struct `External attributes in random work` {
  private static let stepCount = 60

  @Test(arguments: UInt64(1)...40, [true, false])
  func `are what the same bytes in the object are`(seed: UInt64, hasUndo: Bool) throws {
    var world = try MirroredWorld(seed: seed, hasUndo: hasUndo)
    let difference = try world.run(Self.stepCount)
    #expect(difference == nil, "seed \(seed)")
  }

  #if DEBUG
    @Test(arguments: [PlantedFault.bytesDropped, .undoForgetsBytes])
    func `show a planted mistake`(fault: PlantedFault) throws {
      for seed in UInt64(1)...20 {
        var world = try MirroredWorld(seed: seed, hasUndo: true)
        let schema = world.container.coordinator.schema
        PlantedFault.plant(fault, in: schema)
        defer { PlantedFault.plant(nil, in: schema) }
        if try world.run(Self.stepCount) != nil { return }
      }
      Issue.record("\(fault) is not found")
    }
  #endif

  @Test func `are there again when the store is reopened`() throws {
    for seed in UInt64(101)...105 {
      let directory: TemporaryDirectory
      let stored: [ObjectID: Data?]
      do {
        var world = try MirroredWorld(seed: seed, hasUndo: true)
        for _ in 0..<Self.stepCount { try world.step() }
        for queue in world.queues[...1].reversed() {
          try? queue.performAndWait { try $0.save() }
        }
        (directory, stored) = (world.directory, try world.stored())
      }
      let again = try gallery(in: directory)
      let found = try again.root.performAndWait { context in
        Dictionary(
          uniqueKeysWithValues: try context.fetch(Painting.all).map { ($0.objectID, $0.scan) })
      }
      #expect(found == stored, "seed \(seed)")
      #expect(try ExternalAudit(directory).problems() == [], "seed \(seed)")
    }
  }
}
