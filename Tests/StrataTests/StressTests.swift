// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataStore
import StrataTestSupport
import Testing

/// Workers push into a root that saves without stopping and is refused now and then; two other roots
/// write to the same store; readers everywhere. Best run under the thread sanitizer, for longer:
/// STRATA_STRESS_SECONDS.
@Suite struct `Many tasks over many contexts` {
  @Test func `lose no update and see no half of a turn`() async throws {
    let seconds =
      ProcessInfo.processInfo.environment["STRATA_STRESS_SECONDS"].flatMap(Double.init) ?? 2
    let stress = try await Stress(until: .now + .seconds(seconds))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await stress.transferInAWorker() }
      group.addTask { try await stress.countInAWorker("worker 1") }
      group.addTask { try await stress.countInAWorker("worker 2") }
      group.addTask { try await stress.saveTheRoot() }
      group.addTask { try await stress.disturbTheRoot() }
      group.addTask { try await stress.countInARoot(transfers: true) }
      group.addTask { try await stress.countInARoot(transfers: false) }
      group.addTask { try await stress.readInTheView() }
      group.addTask { try await stress.readInFreshContexts() }
      try await group.waitForAll()
    }
    try await stress.container.root.save()
    let other = ContextQueue(parent: stress.container.coordinator)
    for (name, count) in await stress.counts.all {
      let stored = try await other.perform { context in
        try context.fetch(City.where { $0.name == name }).map(\.population)
      }
      #expect(stored == [count], "\(name)")
      #expect(count > 0, "\(name)")
    }
    #expect(try await other.perform { try Stress.sums($0) } == Stress.expectedSums)
  }
}

private actor Counts {
  private(set) var all: [String: Int] = [:]
  func add(_ name: String) { all[name, default: 0] += 1 }
}

private struct Stress {
  /// The accounts of `left` are changed through the container's root alone, those of `right` through
  /// another one alone: the sum of each stays what it is.
  static let expectedSums = [1_000, 1_000]

  let container: PersistentContainer
  let counts = Counts()
  let deadline: ContinuousClock.Instant
  private let directory = try? TemporaryDirectory()

  init(until deadline: ContinuousClock.Instant) async throws {
    self.deadline = deadline
    guard let directory else { throw CocoaError(.fileNoSuchFile) }
    container = try geography(in: directory)
    try await container.root.perform { context in
      for side in ["left", "right"] {
        for _ in 0..<10 { context.city(side, population: 100) }
      }
      for name in ["worker 1", "worker 2", "shared"] { context.city(name) }
      context.country("unique")
      try context.save()
    }
  }

  private var isOver: Bool { ContinuousClock.now >= deadline }

  static func sums(_ context: ManagedObjectContext) throws -> [Int] {
    try ["left", "right"].map { side in
      try context.fetch(City.where { $0.name == side }).map(\.population).reduce(0, +)
    }
  }

  private static func transfer(_ side: String, in context: ManagedObjectContext) throws {
    let accounts = try context.fetch(City.where { $0.name == side })
    guard let one = accounts.randomElement(), let other = accounts.randomElement() else { return }
    let amount = Int.random(in: 1...10)
    one.population -= amount
    other.population += amount
  }

  // MARK: - Writers

  func transferInAWorker() async throws {
    let worker = container.newBackgroundContext()
    while !isOver {
      try await worker.perform { context in
        try Self.transfer("left", in: context)
        try context.save()
      }
    }
  }

  /// Counts in a grandchild or a child, and inserts and deletes beside that.
  func countInAWorker(_ name: String) async throws {
    let worker = container.newBackgroundContext()
    let child = ContextQueue(parent: worker)
    while !isOver {
      let context = name == "worker 1" ? worker : child
      try await context.perform { context in
        let cities = try context.fetch(City.where { $0.name == name })
        cities.first?.population += 1
        let country = context.country(UUID().uuidString)
        context.city("passing", population: 1, in: country)
        try context.save()
        context.delete(country)
        try context.save()
      }
      if name != "worker 1" { try await worker.save() }
      await counts.add(name)
    }
  }

  func saveTheRoot() async throws {
    while !isOver {
      do { try await container.root.save() } catch StoreError.uniquenessViolations {
        // `disturbTheRoot` mends it.
        await Task.yield()
      }
    }
  }

  /// Puts something into the root that no store takes, and takes it out again.
  func disturbTheRoot() async throws {
    while !isOver {
      let id = try await container.root.perform { $0.country("unique").objectID }
      #expect(await isRefused())
      try await container.root.perform { context in
        context.delete(try context.existingObject(Country.self, with: id))
      }
      try await Task.sleep(for: .milliseconds(5))
    }
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
  func countInARoot(transfers: Bool) async throws {
    let root = ContextQueue(parent: container.coordinator)
    while !isOver {
      do {
        try await root.perform { context in
          context.reset()
          try context.fetch(City.where { $0.name == "shared" }).first?.population += 1
          if transfers { try Self.transfer("right", in: context) }
        }
        try await root.save()
        await counts.add("shared")
      } catch StoreError.conflicts {
        // Once more.
      }
    }
  }

  // MARK: - Readers

  @MainActor func readInTheView() async throws {
    while !isOver {
      let context = container.viewContext
      context.reset()
      #expect(try Self.sums(context) == Self.expectedSums)
      try container.root.performAndWait { _ = try $0.count(for: City.all) }
      await Task.yield()
    }
  }

  func readInFreshContexts() async throws {
    let below = container.newBackgroundContext()
    while !isOver {
      for queue in [below, ContextQueue(parent: container.coordinator)] {
        let sums = try await queue.perform { context in
          context.reset()
          return try Self.sums(context)
        }
        #expect(sums == Self.expectedSums)
      }
      let sums = try Self.sums(ManagedObjectContext(parent: container.root.layer))
      #expect(sums == Self.expectedSums)
    }
  }
}
