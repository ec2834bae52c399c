// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

@Entity private final class Freight: ManagedObject {
  @Attribute(.unique) var code: String?
  var name: String = ""
  @Attribute(.range(0...)) var weight: Int = 0
  var heap: Heap?
}

@Entity private final class Heap: ManagedObject {
  var name: String = ""
  @Relationship(.count(...2), inverse: \Freight.heap) var freights: ToMany<Freight>
}

/// The reason for which a save is refused.
private enum Cause: CaseIterable {
  case conflict, uniqueness, link, count, laterLevel, closedStore
  #if DEBUG
    case fullDisk
  #endif
}

/// A random tree of contexts with unsaved changes, one of which saves to the store and is refused.
private struct Refusal {
  private let folder: TemporaryDirectory
  private let container: PersistentContainer
  private let queues: [ContextQueue]
  /// The place of each context's parent, which is before it; nil for the root.
  private let parents: [Int?]
  private let saver: Int
  private let cause: Cause
  private let isOnDisk: Bool
  private var random: SeededGenerator

  /// The unsaved changes of a context.
  private struct Unsaved: Equatable {
    var inserted: Set<ObjectID>
    var updated: Set<ObjectID>
    var deleted: Set<ObjectID>
  }

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    cause = Cause.allCases.randomElement(using: &random) ?? .conflict
    #if DEBUG
      isOnDisk = cause == .fullDisk
    #else
      isOnDisk = false
    #endif
    folder = try TemporaryDirectory()
    let model = try ManagedObjectModel(Freight.self, Heap.self)
    container =
      try isOnDisk
      ? PersistentContainer(at: folder.file("store"), model: model, durability: .none)
      : PersistentContainer(inMemory: model)
    try container.root.performAndWait { context in
      let freight = Freight(context: context)
      (freight.name, freight.code) = ("stored", "taken")
      for name in ["full", "gone"] { Heap(context: context).name = name }
      let heaps = try context.fetch(Heap.where { $0.name == "full" })
      for number in 0..<2 {
        let freight = Freight(context: context)
        (freight.name, freight.heap) = ("full \(number)", heaps.first)
      }
      try context.save()
    }
    var (queues, parents) = ([container.root], [Int?.none])
    for _ in 0..<Int.random(in: 1...7, using: &random) {
      let parent = Int.random(in: queues.indices, using: &random)
      let isMade = parent > 0 || Bool.random(using: &random)
      queues.append(
        isMade ? ContextQueue(parent: queues[parent]) : container.newBackgroundContext())
      parents.append(parent)
    }
    saver = Int.random(in: 1..<queues.count, using: &random)
    (self.queues, self.parents) = (queues, parents)
  }

  private func ancestors(of place: Int) -> [Int] {
    parents[place].map { [$0] + ancestors(of: $0) } ?? []
  }

  private func unsaved(_ queue: ContextQueue) async throws -> Unsaved {
    try await queue.perform { context in
      Unsaved(
        inserted: Set(context.insertedObjects.map(\.objectID)),
        updated: Set(context.updatedObjects.map(\.objectID)),
        deleted: Set(context.deletedObjects.map(\.objectID)))
    }
  }

  private var storedNames: Set<String> {
    get async throws {
      try await ContextQueue(parent: container.coordinator).perform {
        Set(try $0.fetch(Freight.all).map { "\($0.name) \($0.weight)" })
      }
    }
  }

  /// Gives contexts unsaved changes, and pushes some of them.
  private mutating func work() async throws {
    for place in queues.indices where Bool.random(using: &random) {
      try await queues[place].perform { Freight(context: $0).name = "of \(place)" }
      if place > 0, Int.random(in: 0..<3, using: &random) == 0 { try await queues[place].save() }
    }
  }

  /// Makes the saver's save one that is refused.
  ///
  /// - Returns: the ancestor that has the cause; nil for the saver.
  private mutating func spoil() async throws -> Int? {
    let (queue, other) = (queues[saver], ContextQueue(parent: container.coordinator))
    switch cause {
    case .conflict:
      try await queue.perform { context in
        try #require(context.fetch(Freight.where { $0.code == "taken" }).first).weight = 5
      }
      try await other.perform { context in
        try #require(context.fetch(Freight.where { $0.code == "taken" }).first).weight = 9
        try context.save()
      }
    case .uniqueness:
      try await queue.perform { context in
        let freight = Freight(context: context)
        (freight.name, freight.code) = ("refused", "taken")
      }
    case .link:
      try await queue.perform { Freight(context: $0).name = "refused" }
      // A save to a parent drops a link to an object that is gone; the store refuses it.
      try await queues[0].perform { context in
        let heap = try context.fetch(Heap.where { $0.name == "gone" }).first
        let freight = Freight(context: context)
        (freight.name, freight.heap) = ("refused", heap)
      }
      try await other.perform { context in
        context.delete(try #require(context.fetch(Heap.where { $0.name == "gone" }).first))
        try context.save()
      }
      return 0
    case .count:
      try await queue.perform { context in
        let heap = try context.fetch(Heap.where { $0.name == "full" }).first
        let freight = Freight(context: context)
        (freight.name, freight.heap) = ("refused", heap)
      }
    case .laterLevel:
      try await queue.perform { Freight(context: $0).name = "refused" }
      let place = ancestors(of: saver).randomElement(using: &random) ?? 0
      try await queues[place].perform { context in
        let freight = Freight(context: context)
        (freight.name, freight.weight) = ("refused", -1)
      }
      return place
    default: try await queue.perform { Freight(context: $0).name = "refused" }
    }
    return nil
  }

  /// Has the save refused, and the others saved.
  ///
  /// - Returns: the broken promise; nil if all were kept.
  mutating func complaint() async throws -> String? {
    try await work()
    let guilty = try await spoil()
    var before: [Unsaved] = []
    for queue in queues { before.append(try await unsaved(queue)) }
    let stored = try await storedNames
    if cause == .closedStore { container.coordinator.store.close() }
    #if DEBUG
      let disk = FullDisk(file: folder.file("store").path)
      if isOnDisk { disk.fill() }
    #endif
    var refusal: (any Error)?
    do { try await queues[saver].save(to: .store) } catch { refusal = error }
    #if DEBUG
      if isOnDisk { disk.free() }
    #endif
    guard let refusal else { return "the save went through" }
    if let guilty {
      let level = ancestors(of: saver).firstIndex(of: guilty).map { $0 + 1 }
      guard let error = refusal as? AncestorSaveError, error.level == level else {
        return "level \(level ?? 0) is not named, but \(refusal)"
      }
    } else if refusal is AncestorSaveError {
      return "the saver has the cause, and an ancestor is named: \(refusal)"
    }
    for place in queues.indices {
      let now = try await unsaved(queues[place])
      if now != before[place] { return "context \(place) has \(now) unsaved after \(refusal)" }
    }
    if cause == .closedStore { return nil }
    if try await storedNames != stored { return "the store has changed" }
    if let guilty { try await queues[guilty].perform { $0.rollback() } }
    return try await savingOthers()
  }

  private mutating func savingOthers() async throws -> String? {
    let others = queues.indices.filter { $0 != saver && !ancestors(of: $0).contains(saver) }
    for place in others.shuffled(using: &random) {
      do { try await queues[place].save(to: .store) } catch {
        return "context \(place) is refused afterwards: \(error)"
      }
    }
    let stored = try await storedNames
    if stored.contains(where: { $0.hasPrefix("refused") }) || stored.contains("stored 5") {
      return "a refused change is in the store: \(stored.sorted())"
    }
    for place in others where try await queues[place].perform({ $0.hasChanges }) {
      return "context \(place) still has changes"
    }
    try await queues[saver].perform { $0.rollback() }
    try await queues[saver].save(to: .store)
    return nil
  }

  var description: String {
    "\(cause), saver \(saver), parents \(parents.dropFirst().map { $0 ?? 0 })"
  }
}

@Suite struct `A refused save through levels` {
  /// `STRATA_REFUSALS`: how many trees.
  private static let count =
    ProcessInfo.processInfo.environment["STRATA_REFUSALS"].flatMap(Int.init) ?? 100

  @Test func `leaves all others able to save, whatever the tree and the cause`() async throws {
    let seed = SeededGenerator.firstSeed()
    for number in 0..<Self.count {
      let seed = seed &+ UInt64(number)
      var refusal = try Refusal(seed: seed)
      if let complaint = try await refusal.complaint() {
        Issue.record("STRATA_MODEL_SEED=\(seed), \(refusal.description): \(complaint)")
        return
      }
    }
  }
}
