// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Testing

@Entity final class Tally: ManagedObject {
  @Attribute(.merges(.sum)) var count: Int = 0
  @Attribute(.merges(.sum)) var small: Int8 = 0
  @Attribute(.merges(.sum)) var amount: Double?
  @Attribute(.merges(.max)) var best: Int = 0
  @Attribute(.merges(.min)) var least: Int?
  @Attribute(.merges(.union)) var tags: Set<String> = []
  @Attribute(.merges(.union)) var visits: [String] = []
  @Attribute(.merges(.custom { (_: Int, ours: Int, theirs: Int) in ours | theirs }))
  var flags: Int = 0
  var note: String = ""

  var state: [String] {
    [
      "\(count)", "\(small)", amount.map { "\($0)" } ?? "-", "\(best)",
      least.map { "\($0)" } ?? "-", "\(tags.sorted())", "\(visits)", "\(flags)", note,
    ]
  }
}

@Entity final class Opinion: ManagedObject {
  @Attribute(.merges(.custom { (_: [Int]?, ours: [Int]?, _: [Int]?) in ours })) var marks: [Int]?
}

@Entity final class Judgement: ManagedObject {
  @Attribute(.merges(.custom { (_: [String], ours: [String], _: [String]) in ours }))
  var marks: [Int]?
}

/// A container with one tally, and two contexts that have read it.
private struct Tallies {
  let container: PersistentContainer
  let id: ObjectID

  init(in folder: TemporaryDirectory? = nil) throws {
    let model = try ManagedObjectModel(Tally.self)
    container =
      try folder.map { try PersistentContainer(at: $0.file("store"), model: model) }
      ?? PersistentContainer(inMemory: model)
    id = try container.root.performAndWait { context in
      let tally = Tally(context: context)
      (tally.count, tally.small, tally.best, tally.least) = (5, 100, 5, 5)
      (tally.tags, tally.visits, tally.flags) = (["a", "b"], ["a", "b"], 1)
      try context.save()
      return tally.objectID
    }
  }

  /// Another coordinator of the same file.
  init(joining other: Tallies, in folder: TemporaryDirectory) throws {
    container = try PersistentContainer(
      at: folder.file("store"), model: ManagedObjectModel(Tally.self))
    id = other.id
  }

  func edit(
    in queue: ContextQueue, saving saves: Bool = true, _ edit: @Sendable (Tally) -> Void
  ) throws {
    let id = id
    try queue.performAndWait { context in
      let tally = try context.existingObject(Tally.self, with: id)
      edit(tally)
      if saves { try context.save() }
    }
  }

  /// One context has our edits and a note that is in conflict with what the other has saved.
  func makeConflict(in one: ContextQueue, savedIn other: ContextQueue) throws {
    try edit(in: one, saving: false) { tally in
      ours(tally)
      tally.note = "ours"
    }
    try edit(in: other) { tally in
      theirs(tally)
      tally.note = "theirs"
    }
  }

  func state(in queue: ContextQueue) throws -> [String] {
    let id = id
    return try queue.performAndWait { try $0.existingObject(Tally.self, with: id).state }
  }

  var stored: [String] {
    get throws { try state(in: ContextQueue(parent: container.coordinator)) }
  }
}

/// One side's edits.
private func ours(_ tally: Tally) {
  tally.count += 2
  tally.small += 20
  tally.amount = 1.5
  tally.best = 7
  tally.least = 3
  tally.tags = ["b", "c"]
  tally.visits = ["b", "c"]
  tally.flags |= 2
}

private func theirs(_ tally: Tally) {
  tally.count += 30
  tally.small += 20
  tally.amount = 2
  tally.best = 6
  tally.least = 4
  tally.tags.insert("d")
  tally.visits.append("d")
  tally.flags |= 4
}

private let both = [
  "37", "127", "3.5", "7", "3", #"["b", "c", "d"]"#, #"["b", "d", "c"]"#, "7", "",
]

/// Where ours and theirs meet.
private enum Meeting: CaseIterable {
  case store, parent, grandparent, automaticMerge, refresh, otherCoordinator, batch
  #if DEBUG
    case saveUnderWay
  #endif
}

@Suite struct `Attributes with merge rules` {
  @Test func `are merged by functions of their own type, with or without its optional`() throws {
    _ = try ManagedObjectModel(Opinion.self)
    let error = ModelError.unfitMergeRule(
      entity: "Judgement", property: "marks", rule: ".custom")
    #expect(throws: error) { try ManagedObjectModel(Judgement.self) }
  }

  @Test(arguments: Meeting.allCases)
  private func `count both changes wherever they meet`(_ meeting: Meeting) async throws {
    let folder = try TemporaryDirectory()
    let tallies = try Tallies(in: folder)
    let (root, coordinator) = (tallies.container.root, tallies.container.coordinator)
    switch meeting {
    case .store:
      let (one, other) = (ContextQueue(parent: coordinator), ContextQueue(parent: coordinator))
      try tallies.edit(in: one, saving: false, ours)
      try tallies.edit(in: other, theirs)
      try one.performAndWait { try $0.save() }
      #expect(try tallies.state(in: one) == both)
    case .parent:
      let (one, other) = (
        tallies.container.newBackgroundContext(), tallies.container.newBackgroundContext()
      )
      try tallies.edit(in: one, saving: false, ours)
      try tallies.edit(in: other, theirs)
      try one.performAndWait { try $0.save() }
      #expect(try tallies.state(in: one) == both)
    case .grandparent:
      let middle = [
        tallies.container.newBackgroundContext(), tallies.container.newBackgroundContext(),
      ]
      let (one, other) = (ContextQueue(parent: middle[0]), ContextQueue(parent: middle[1]))
      try tallies.edit(in: one, saving: false, ours)
      try tallies.edit(in: other, theirs)
      try one.performAndWait { try $0.save() }
      for queue in middle.reversed() { try queue.performAndWait { try $0.save() } }
    case .automaticMerge:
      try root.performAndWait { $0.automaticallyMergesChangesFromParent = true }
      try tallies.edit(in: root, saving: false, ours)
      try tallies.edit(in: ContextQueue(parent: coordinator), theirs)
      #expect(try tallies.state(in: root) == both)
    case .refresh:
      let id = tallies.id
      try tallies.edit(in: root, saving: false, ours)
      try tallies.edit(in: ContextQueue(parent: coordinator), theirs)
      try root.performAndWait { context in
        let tally = try context.existingObject(Tally.self, with: id)
        context.refresh(tally, mergeChanges: true)
        #expect(tally.state == both)
        #expect(tally.hasChanges)
      }
    case .otherCoordinator:
      let other = try Tallies(joining: tallies, in: folder)
      try tallies.edit(in: root, saving: false, ours)
      try other.edit(in: other.container.root, theirs)
    case .batch:
      try tallies.edit(in: root, saving: false, ours)
      let other = ContextQueue(parent: coordinator)
      try tallies.edit(in: other) { tally in
        tally.tags.insert("d")
        tally.visits.append("d")
      }
      try other.performAndWait { context in
        _ = try context.execute(
          BatchUpdateRequest(Tally.all)
            .setting(\.count) { $0.count + 30 }.setting(\.small) { $0.small + 20 }
            .setting(\.amount, to: 2).setting(\.best, to: 6).setting(\.least, to: 4)
            .setting(\.flags, to: 5))
      }
    #if DEBUG
      case .saveUnderWay:
        let worker = tallies.container.newBackgroundContext()
        try tallies.edit(in: worker, saving: false, ours)
        try tallies.edit(in: root, saving: false, theirs)
        let gate = WriterGate(tallies.container)
        let save = await gate.begin()
        try gate.open { try worker.performAndWait { try $0.save() } }
        try await save.value
    #endif
    }
    try root.performAndWait { try $0.save() }
    let stored = try tallies.stored
    #expect(stored.dropLast() == both.dropLast())
  }

  @Test(arguments: [
    MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    .custom("theirs") { _ in .keepTheirs },
    .custom("a note") { _ in .values(["note": .string("x")], others: .rollback) },
  ])
  func `count both under every policy for the other properties`(policy: MergePolicy) throws {
    let tallies = try Tallies()
    let (one, other) = (
      ContextQueue(parent: tallies.container.coordinator),
      ContextQueue(parent: tallies.container.coordinator)
    )
    try one.performAndWait { $0.mergePolicy = policy }
    try tallies.makeConflict(in: one, savedIn: other)
    try one.performAndWait { try $0.save() }
    let stored = try tallies.stored
    #expect(stored.dropLast() == both.dropLast())
    #expect(try tallies.state(in: one) == stored)
  }

  @Test func `leave the conflict of another property, and are merged once when it is repaired`()
    throws
  {
    let tallies = try Tallies()
    let (one, other) = (
      tallies.container.newBackgroundContext(), tallies.container.newBackgroundContext()
    )
    try tallies.makeConflict(in: one, savedIn: other)
    let id = tallies.id
    try one.performAndWait { context in
      do {
        try context.save()
        Issue.record("saved")
      } catch StoreError.conflicts(let conflicts) {
        #expect(conflicts.first?.theirChanges == ["note"])
        #expect(conflicts.first?.ourValues?["count"] == .int(37))
      }
      let tally = try context.existingObject(Tally.self, with: id)
      #expect(tally.count == 7)
      context.refresh(tally, mergeChanges: true)
      #expect(tally.count == 37)
      try context.save()
    }
    try tallies.container.root.performAndWait { try $0.save() }
    #expect(try tallies.stored.dropLast() == both.dropLast())
    #expect(try tallies.stored.last == "ours")
  }

  #if DEBUG
    @MainActor
    @Test func `of a refused save, an edit and a push meanwhile are all kept`() async throws {
      let tallies = try Tallies()
      let (container, coordinator) = (tallies.container, tallies.container.coordinator)
      let context = ManagedObjectContext(parent: coordinator)
      let worker = ContextQueue(parent: context.layer)
      try worker.performAndWait { $0.mergePolicy = .error }
      let tally = try context.existingObject(Tally.self, with: tallies.id)
      (tally.count, tally.note) = (tally.count + 1, "ours")
      try tallies.edit(in: ContextQueue(parent: coordinator)) { tally in
        (tally.count, tally.note) = (tally.count + 100, "theirs")
      }
      // The save is refused after another one, which the gate holds.
      let other = ManagedObjectContext(parent: coordinator)
      _ = Tally(context: other)
      let gate = WriterGate(container)
      let held = await gate.begin(Task { try await other.save(to: .parent) })
      let refused = Task { try await context.save(to: .parent) }
      await Task.yield()
      try gate.open {
        tally.count += 10
        try tallies.edit(in: worker) { $0.count += 1_000 }
      }
      await #expect { try await refused.value } throws: { $0.isConflict }
      try await held.value
      context.processPendingChanges()
      #expect(tally.count == 5 + 1 + 10 + 1_000)
      context.refresh(tally, mergeChanges: true)
      #expect(tally.count == 5 + 1 + 10 + 1_000 + 100)
      try context.save()
      let stored = try tallies.stored
      #expect(stored[0] == "1116" && stored.last == "ours")
    }
  #endif

  #if DEBUG
    @Test func `in a save under way let no push overwrite what others have saved beside it`()
      async throws
    {
      let tallies = try Tallies()
      let (root, worker) = (tallies.container.root, tallies.container.newBackgroundContext())
      try tallies.edit(in: root, saving: false) { $0.count += 1 }
      try tallies.edit(in: worker, saving: false) { $0.note = "ours" }
      try tallies.edit(in: ContextQueue(parent: tallies.container.coordinator)) { tally in
        tally.note = "theirs"
      }
      let gate = WriterGate(tallies.container)
      let save = await gate.begin()
      try gate.open { try worker.performAndWait { try $0.save() } }
      try await save.value
      await #expect { try await root.save() } throws: { $0.isConflict }
      #expect(try tallies.stored.last == "theirs")
      #expect(try tallies.stored[0] == "6")
    }
  #endif

  @Test func `make no conflict of their own, and do not hide a deletion`() throws {
    let tallies = try Tallies()
    let (one, other) = (
      ContextQueue(parent: tallies.container.coordinator),
      ContextQueue(parent: tallies.container.coordinator)
    )
    let id = tallies.id
    try one.performAndWait { context in
      context.delete(try context.existingObject(Tally.self, with: id))
    }
    try tallies.edit(in: other) { $0.count += 1 }
    #expect { try one.performAndWait { try $0.save() } } throws: { $0.isConflict }
    #expect(try tallies.stored[0] == "6")
  }

  @Test func `let a value be lowered, cleared and emptied that nobody else has changed`() throws {
    let tallies = try Tallies()
    for parent in [true, false] {
      let queue =
        parent
        ? tallies.container.newBackgroundContext()
        : ContextQueue(parent: tallies.container.coordinator)
      try tallies.edit(in: queue) { tally in
        (tally.best, tally.least, tally.count) = (1, 90, -3)
        (tally.tags, tally.amount) = ([], nil)
      }
      try tallies.container.root.performAndWait { try $0.save() }
      let state = try tallies.stored
      #expect(state[0] == "-3" && state[3] == "1" && state[4] == "90" && state[5] == "[]")
    }
  }

  @Test func `of inserted objects are merged as well`() throws {
    let tallies = try Tallies()
    let root = tallies.container.root
    let id = try root.performAndWait { context in
      let tally = Tally(context: context)
      tally.count = 1
      return tally.objectID
    }
    let workers = [
      tallies.container.newBackgroundContext(), tallies.container.newBackgroundContext(),
    ]
    for worker in workers {
      try worker.performAndWait { context in
        try context.existingObject(Tally.self, with: id).count += 10
      }
    }
    for worker in workers { try worker.performAndWait { try $0.save() } }
    try root.performAndWait { try $0.save() }
    let count = try ContextQueue(parent: tallies.container.coordinator).performAndWait {
      try $0.existingObject(Tally.self, with: id).count
    }
    #expect(count == 21)
  }
}

@Suite struct `Saves of a random tree of contexts that add, raise, lower and insert` {
  /// Each context has the policy error, and reads, edits and saves at random. In the end all save.
  private func difference(seed: UInt64, planting fault: PlantedFault? = nil) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let tallies = try Tallies()
    #if DEBUG
      PlantedFault.plant(fault, in: tallies.container.coordinator.schema)
    #endif
    var contexts: [(context: ManagedObjectContext, depth: Int)] = []
    for _ in 0..<6 {
      let parent = contexts.randomElement(using: &random)
      let isTop = parent == nil || Int.random(in: 0..<3, using: &random) == 0
      let context =
        if let parent, !isTop {
          ManagedObjectContext(parent: parent.context.layer)
        } else {
          ManagedObjectContext(parent: tallies.container.coordinator)
        }
      context.mergePolicy = .error
      contexts.append((context, isTop ? 0 : (parent?.depth ?? 0) + 1))
    }
    var (sum, best, least, tags) = (5, 5, 5, Set(["a", "b"]))
    var held: [Tally] = []
    for _ in 0..<40 {
      guard let (context, _) = contexts.randomElement(using: &random) else { break }
      if Int.random(in: 0..<3, using: &random) == 0 {
        try context.save()
        continue
      }
      let tally = try context.existingObject(Tally.self, with: tallies.id)
      if Bool.random(using: &random) { held.append(tally) }
      let number = Int.random(in: -9...9, using: &random)
      tally.count += number
      tally.best = max(tally.best, number)
      tally.least = min(tally.least ?? .max, number)
      tally.tags.insert("\(number)")
      sum += number
      (best, least) = (max(best, number), min(least, number))
      tags.insert("\(number)")
    }
    for (context, _) in contexts.sorted(by: { $0.depth > $1.depth }) { try context.save() }
    let stored = try tallies.stored
    let expected = ["\(sum)", "\(best)", "\(least)", "\(tags.sorted())"]
    let found = [stored[0], stored[3], stored[4], stored[5]]
    return found == expected ? nil : "seed \(seed): \(found), expected \(expected)"
  }

  /// How many trees: `STRATA_MERGE_TREES`. Each has some 30 edits of four attributes.
  private static let count =
    ProcessInfo.processInfo.environment["STRATA_MERGE_TREES"].flatMap(UInt64.init) ?? 300

  @Test func `give the same value in any order`() throws {
    let first = SeededGenerator.firstSeed()
    for seed in first..<first + Self.count {
      let difference = try difference(seed: seed)
      #expect(difference == nil)
    }
  }

  #if DEBUG
    @Test func `differ if a rule is applied to its own result`() throws {
      let differs = try (0..<20).contains {
        try difference(seed: $0, planting: .mergedTwice) != nil
      }
      #expect(differs)
    }
  #endif
}
