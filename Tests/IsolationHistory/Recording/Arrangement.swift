// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import Strata
import StrataChanges
import StrataTestSupport
import Synchronization

/// The contexts and threads of one process, which work on a store at the same time and record it.
///
/// ```
///     G H I
///      ╲│╱
///  A B D C     a follower                  a reader
///   ╲ ╲│╱     ╱                               │
///      R     ╱  writers, batches     writers  │
///      │    ╱      │                    │    ╱
///      coordinator ┘        another coordinator of the same file
/// ```
///
/// A, B, D, G, H and I write one half of some objects and save to their parents; R and C only pass
/// on their children's saves. The last of those are never passed on. The other writers save to the
/// store directly, and write the objects that all processes share.
///
/// A and G are the only writers of their halves, and do not check their saves. B and D write the
/// same halves, and so do H and I: a save is refused if the parent has another version of a half
/// than the one that was read.
///
/// A save of R between a read and the save of one of its descendants makes a conflict at the store,
/// whichever halves they set: conflicts concern objects there. So R's policy takes the halves that
/// were set.
///
/// ## Isolation
/// Sendable.
package struct Arrangement: Sendable {
  /// Two, of the same file.
  package let containers: [PersistentContainer]
  private let process: Int
  private let participants: [(name: String, participant: any Participant)]

  /// Creates a store with the cells of some processes.
  package static func makeStore(at url: URL, processCount: Int) throws {
    let container = try open(url)
    try container.root.performAndWait { context in
      for number in 0..<CellRanges(treeCount: processCount).count {
        let cell = Cell(context: context)
        cell.number = number
        // Another number than the first version's: a write sets both properties.
        (cell.leftFormer, cell.rightFormer) = (-1, -1)
      }
      try context.save()
    }
  }

  private static func open(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(at: url, model: ManagedObjectModel(Cell.self), durability: .none)
  }

  private static func scope(on coordinator: PersistentStoreCoordinator) throws -> Scope {
    let ids = try ContextQueue(parent: coordinator).performAndWait { context in
      try context.fetchIDs(Cell.all.sorted(by: \.number))
    }
    return Scope(ids: ids)
  }

  /// - Parameter process: the number of this process, from 0 up to `processCount`.
  package init(storeAt url: URL, process: Int = 0, of processCount: Int = 1) throws {
    self.process = process
    containers = try [Self.open(url), Self.open(url)]
    let ranges = CellRanges(treeCount: processCount)
    let all = CellRanges.fields(0..<ranges.count)
    let shared = CellRanges.fields(ranges.shared)
    let (one, two) = (containers[0].coordinator, containers[1].coordinator)
    let (atOne, atTwo) = (try Self.scope(on: one), try Self.scope(on: two))

    func writer(_ parent: PersistentStoreCoordinator, _ scope: Scope) -> Writer {
      Writer(
        queue: ContextQueue(parent: parent), scope: scope, fields: all, own: shared, guards: true)
    }
    var loose = Writer(
      queue: ContextQueue(parent: two), scope: atTwo, fields: all,
      own: CellRanges.fields(ranges.loose))
    loose.policy = .mergeByPropertyObjectTrump
    loose.checksVersions = false

    let tree = try Tree(number: process, of: ranges, on: one, atOne)
    let follower = ContextQueue(parent: one)
    try follower.performAndWait { context in
      context.automaticallyMergesChangesFromParent = true
      context.userInfo[TurnRecorder.heldKey] = try context.fetch(Cell.all.sorted(by: \.number))
    }
    let readers = Reader(
      places: tree.readers + [
        Reader.Place(queue: follower, scope: atOne, isFollower: true),
        Reader.Place(queue: ContextQueue(parent: one), scope: atOne),
        Reader.Place(queue: ContextQueue(parent: two), scope: atTwo),
      ], fields: all)
    participants =
      tree.participants(all) + [
        ("one", writer(one, atOne)), ("two", writer(two, atTwo)), ("loose", loose),
        ("batch", Batcher(coordinator: one, scope: atOne, own: shared)),
        ("reader", readers), ("observer", readers),
      ]
  }

  /// Lets all threads work at the same time, and waits for them.
  ///
  /// - Parameter rounds: the units of each thread.
  package func run(seed: UInt64, rounds: Int) throws -> History {
    #if DEBUG
      let disturbance = Disturbance()
      for container in containers {
        PausePoint.observe(container.coordinator.schema) { disturbance.reach($0) }
      }
      defer {
        for container in containers { PausePoint.observe(container.coordinator.schema, nil) }
      }
    #endif
    let results = Mutex<[Result<[UnitOfWork], any Error>]>([])
    performOnThreads(participants.count) { [self] number in
      let result = Result { try units(of: number, seed, rounds) }
      results.withLock { $0.append(result) }
    }
    return History(try results.withLock { $0 }.flatMap { try $0.get() })
  }

  private func units(of number: Int, _ seed: UInt64, _ rounds: Int) throws -> [UnitOfWork] {
    var (name, participant) = participants[number]
    let writer = process * participants.count + number + 1
    var random = SeededGenerator(seed: seed &+ UInt64(writer) &* 1_000_003)
    return try (0..<rounds).map { round in
      let first = (writer << 32) | (round << 4)
      return try participant.work(
        "\(process).\(name)#\(round)", versions: first..<first + 16, &random)
    }
  }

  /// The final state of a store, as one more unit.
  package static func finalUnit(ofStoreAt url: URL, processCount: Int) throws -> UnitOfWork {
    let coordinator = try open(url).coordinator
    let fields = CellRanges.fields(0..<CellRanges(treeCount: processCount).count)
    var reader = Reader(
      places: [
        Reader.Place(queue: ContextQueue(parent: coordinator), scope: try scope(on: coordinator))
      ], fields: fields)
    var random = SeededGenerator(seed: 0)
    return try reader.work("final", versions: 1..<1, &random)
  }
}

/// A root with children and grandchildren.
private struct Tree {
  private let root: ContextQueue
  private let carrier: ContextQueue
  private let coordinator: PersistentStoreCoordinator
  private let outside: Scope
  /// The scope of the root and its children.
  private let above: Scope
  /// The scope of the carrier and its children.
  private let below: Scope
  private let upper: [Field]
  private let lower: [Field]

  init(
    number: Int, of ranges: CellRanges, on coordinator: PersistentStoreCoordinator,
    _ scope: Scope
  ) throws {
    root = ContextQueue(parent: coordinator)
    try root.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
    carrier = ContextQueue(parent: root)
    self.coordinator = coordinator
    outside = scope
    var (above, below) = (scope, scope)
    for cell in ranges.upper(number) {
      above.levels[cell] = "R\(number)"
      below.levels[cell] = "R\(number)"
    }
    for cell in ranges.lower(number) {
      above.levels[cell] = "R\(number)"
      below.levels[cell] = "C\(number)"
    }
    (self.above, self.below) = (above, below)
    upper = CellRanges.fields(ranges.upper(number))
    lower = CellRanges.fields(ranges.lower(number))
  }

  /// Contexts that nothing is written in, one at each level, and the root itself.
  var readers: [Reader.Place] {
    [
      Reader.Place(queue: root, scope: above),
      Reader.Place(queue: ContextQueue(parent: root), scope: above),
      Reader.Place(queue: ContextQueue(parent: carrier), scope: below),
    ]
  }

  func participants(_ all: [Field]) -> [(name: String, participant: any Participant)] {
    func writer(
      _ parent: ContextQueue, _ scope: Scope, _ own: [Field], _ policy: MergePolicy
    ) -> Writer {
      // Mostly its own tree's, because they change at the same time.
      Writer(
        queue: ContextQueue(parent: parent), scope: scope, fields: upper + lower + all, own: own,
        policy: policy)
    }
    let unchecked = MergePolicy.mergeByPropertyObjectTrump
    return [
      ("A", writer(root, above, upper.filter(\.isLeft), unchecked)),
      ("B", writer(root, above, upper.filter { !$0.isLeft }, .error)),
      ("D", writer(root, above, upper.filter { !$0.isLeft }, .error)),
      ("G", writer(carrier, below, lower.filter(\.isLeft), unchecked)),
      ("H", writer(carrier, below, lower.filter { !$0.isLeft }, .error)),
      ("I", writer(carrier, below, lower.filter { !$0.isLeft }, .error)),
      (
        "C", Carrier(carrier, to: root.layer, scope: below, outside: above, fields: lower)
      ),
      (
        "R",
        Carrier(root, to: coordinator, scope: above, outside: outside, fields: upper + lower)
      ),
    ]
  }
}
