// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

actor Counts {
  private(set) var all: [String: Int] = [:]
  func add(_ name: String) { all[name, default: 0] += 1 }
}

/// ```
///     child
///       │
///     worker    view
///         ╲     ╱
///          root      two other roots
/// ```
struct Stress {
  /// The accounts of `left` are changed in the worker alone, those of `right` in one of the other
  /// roots alone: the sum of each never changes.
  static let expectedSums = [1_000, 1_000]

  let container: PersistentContainer
  let worker: ContextQueue
  let child: ContextQueue
  let otherRoots: (ContextQueue, ContextQueue)
  let counts = Counts()
  private let rounds: Rounds
  private let directory = try? TemporaryDirectory()

  /// - Parameter roundCountMin: the rounds that all tasks together do at least.
  init(roundCountMin: Int) async throws {
    rounds = Rounds(countMin: roundCountMin)
    guard let directory else { throw CocoaError(.fileNoSuchFile) }
    container = try PersistentContainer(
      at: directory.file("bank.strata"), model: ManagedObjectModel(Account.self, Bank.self),
      durability: .none)
    worker = container.newBackgroundContext()
    child = ContextQueue(parent: worker)
    otherRoots = (
      ContextQueue(parent: container.coordinator), ContextQueue(parent: container.coordinator)
    )
    try await container.root.perform { context in
      for side in ["left", "right"] {
        for _ in 0..<10 { Account.insert(side, balance: 100, into: context) }
      }
      for name in ["worker", "child", "shared"] { Account.insert(name, into: context) }
      Bank.insert("unique", into: context)
      try context.save()
    }
  }

  /// Rounds are counted, because a clock would end the work of a busy machine too early. Each task
  /// does at least one.
  private final class Rounds: Sendable {
    private let countMin: Int
    private let count = Atomic(0)

    init(countMin: Int) { self.countMin = countMin }

    var areDone: Bool { count.load(ordering: .relaxed) >= countMin }

    func add() { count.add(1, ordering: .relaxed) }
  }

  private var isOver: Bool { rounds.areDone }

  private func did(_ what: String) async {
    rounds.add()
    await counts.add(what)
    await Task.yield()
  }

  static func sums(_ context: ManagedObjectContext) throws -> [Int] {
    try ["left", "right"].map { side in
      try context.fetch(Account.where { $0.name == side }).map(\.balance).reduce(0, +)
    }
  }

  private static func transfer(_ side: String, in context: ManagedObjectContext) throws {
    let accounts = try context.fetch(Account.where { $0.name == side })
    guard let one = accounts.randomElement(), let other = accounts.randomElement() else { return }
    let amount = Int.random(in: 1...10)
    one.balance -= amount
    other.balance += amount
  }

  private static func increment(_ name: String, in context: ManagedObjectContext) throws {
    try context.fetch(Account.where { $0.name == name }).first?.balance += 1
  }

  // MARK: - Writers

  func transferInTheWorker() async throws {
    repeat {
      try await worker.perform { context in
        try Self.transfer("left", in: context)
        try context.save()
      }
      await did("transfer")
    } while !isOver
  }

  /// Counts, and inserts and deletes beside that.
  func countInTheWorker() async throws {
    repeat {
      try await worker.perform { context in
        try Self.increment("worker", in: context)
        let bank = Bank.insert(UUID().uuidString, into: context)
        Account.insert("passing", balance: 1, of: bank, into: context)
        try context.save()
        context.delete(bank)
        try context.save()
      }
      await did("worker")
    } while !isOver
  }

  /// Counts in a grandchild of the root; now and then inside its parent's turn.
  func countInTheChild() async throws {
    var round = 0
    repeat {
      round += 1
      let child = child
      if round % 3 == 0 {
        try await worker.perform { context in
          try child.performAndWait { child in
            try Self.increment("child", in: child)
            try child.save()
          }
          try context.save()
        }
      } else {
        try await child.perform { context in
          try Self.increment("child", in: context)
          try context.save()
        }
        if round % 3 == 1 { try await worker.save() }
      }
      await did("child")
    } while !isOver
  }

  func saveTheRoot() async throws {
    repeat {
      do { try await container.root.save() } catch StoreError.uniquenessViolations {
        // `disturbTheRoot` mends it.
        await Task.yield()
      }
      await did("root save")
    } while !isOver
  }

  /// Puts something into the root that no store takes, and takes it out again.
  func disturbTheRoot() async throws {
    repeat {
      let id = try await container.root.perform { Bank.insert("unique", into: $0).objectID }
      try #require(await isRefused())
      try await container.root.perform { context in
        context.delete(try context.existingObject(Bank.self, with: id))
      }
      try await container.root.save()
      await did("refusal")
    } while !isOver
  }

  private func isRefused() async -> Bool {
    do { try await container.root.save() } catch StoreError.uniquenessViolations {
      return true
    } catch {
      Issue.record(error)
    }
    return false
  }

  /// Raises the shared counter in a root of its own, again whenever the other was faster.
  func countIn(_ root: ContextQueue, transfers: Bool) async throws {
    repeat {
      do {
        try await root.perform { context in
          context.reset()
          try Self.increment("shared", in: context)
          if transfers { try Self.transfer("right", in: context) }
        }
        try await root.save()
        await did("shared")
      } catch StoreError.conflicts {
        // Once more.
        await did("conflict")
      }
    } while !isOver
  }

  // MARK: - A reader

  /// Reads in the main actor's context, in the others and in fresh ones above each of them.
  func read() async throws {
    repeat {
      try await readInTheView()
      for layer in [container.root.layer, worker.layer, child.layer] {
        let sums = try Self.sums(ManagedObjectContext(parent: layer))
        try #require(sums == Self.expectedSums)
      }
      let sums = try Self.sums(ManagedObjectContext(parent: container.coordinator))
      try #require(sums == Self.expectedSums)
      for queue in [container.root, worker, child] {
        _ = try await queue.perform { try $0.count(Account.all) }
      }
      await did("read")
    } while !isOver
  }

  @MainActor private func readInTheView() throws {
    let context = container.viewContext
    context.reset()
    let sums = try Self.sums(context)
    try #require(sums == Self.expectedSums)
    try container.root.performAndWait { _ = try $0.count(Account.all) }
  }
}
