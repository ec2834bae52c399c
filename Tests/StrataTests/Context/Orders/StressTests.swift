// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

/// Eight tasks over six contexts: workers push into a root that saves without stopping and is
/// refused now and then, two other roots write to the same store, readers are everywhere. Best run
/// under the thread sanitizer, for longer: `.ci/run tsan`, or STRATA_STRESS_SECONDS.
@Suite struct `Many tasks over many contexts` {
  @Test func `lose no update and see no half of a turn`() async throws {
    let seconds =
      ProcessInfo.processInfo.environment["STRATA_STRESS_SECONDS"].flatMap(Double.init) ?? 2
    let watchdog = Watchdog(silenceSecondsMax: 120)
    let stress = try await Stress(until: .now + .seconds(seconds), watchdog)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await stress.transferInTheWorker() }
      group.addTask { try await stress.countInTheWorker() }
      group.addTask { try await stress.countInTheChild() }
      group.addTask { try await stress.saveTheRoot() }
      group.addTask { try await stress.disturbTheRoot() }
      group.addTask { try await stress.countIn(stress.otherRoots.0, transfers: true) }
      group.addTask { try await stress.countIn(stress.otherRoots.1, transfers: false) }
      group.addTask { try await stress.read() }
      try await group.waitForAll()
    }
    watchdog.end()
    try await stress.worker.save()
    try await stress.container.root.save()
    let fresh = ContextQueue(parent: stress.container.coordinator)
    let counts = await stress.counts.all
    print("stress of \(seconds) s: \(counts.sorted { $0.key < $1.key })")
    for name in ["worker", "child", "shared"] {
      let count = counts[name] ?? 0
      let stored = try await fresh.perform { context in
        try context.fetch(City.where { $0.name == name }).map(\.population)
      }
      #expect(stored == [count], "\(name)")
      #expect(count > 0, "\(name)")
    }
    #expect(counts["transfer"] ?? 0 > 0)
    #expect(counts["read"] ?? 0 > 0)
    #expect(try await fresh.perform { try Stress.sums($0) } == Stress.expectedSums)
  }
}

/// Ends the process after a long time without progress: threads that wait for one another cannot be
/// interrupted, and a test that hangs reports nothing.
private final class Watchdog: Sendable {
  private let lastWord = Mutex<(who: String, Int)>(("nobody", 0))
  private let isOver = DispatchSemaphore(value: 0)

  init(silenceSecondsMax: Int) {
    Thread { [self] in
      var before = 0
      while isOver.wait(timeout: .now() + .seconds(silenceSecondsMax)) == .timedOut {
        let (who, now) = lastWord.withLock { $0 }
        // Before the first word the tasks have not begun: other tests have all the threads.
        if now == before && now > 0 { fatalError("Deadlock: \(who) was the last to be heard of.") }
        before = now
      }
    }.start()
  }

  func hear(_ who: String) { lastWord.withLock { $0 = (who, $0.1 + 1) } }

  func end() { isOver.signal() }
}

private actor Counts {
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
private struct Stress {
  /// The accounts of `left` are changed in the worker alone, those of `right` in one of the other
  /// roots alone: the sum of each never changes.
  static let expectedSums = [1_000, 1_000]

  let container: PersistentContainer
  let worker: ContextQueue
  let child: ContextQueue
  let otherRoots: (ContextQueue, ContextQueue)
  let counts = Counts()
  private let deadline: ContinuousClock.Instant
  private let watchdog: Watchdog
  private let directory = try? TemporaryDirectory()

  init(until deadline: ContinuousClock.Instant, _ watchdog: Watchdog) async throws {
    self.deadline = deadline
    self.watchdog = watchdog
    guard let directory else { throw CocoaError(.fileNoSuchFile) }
    container = try geography(in: directory)
    worker = container.newBackgroundContext()
    child = ContextQueue(parent: worker)
    otherRoots = (
      ContextQueue(parent: container.coordinator), ContextQueue(parent: container.coordinator)
    )
    try await container.root.perform { context in
      for side in ["left", "right"] {
        for _ in 0..<10 { context.city(side, population: 100) }
      }
      for name in ["worker", "child", "shared"] { context.city(name) }
      context.country("unique")
      try context.save()
    }
  }

  /// Each does one round at least, however busy the machine is.
  private var isOver: Bool { ContinuousClock.now >= deadline }

  private func did(_ what: String) async {
    watchdog.hear(what)
    await counts.add(what)
    await Task.yield()
  }

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

  private static func increment(_ name: String, in context: ManagedObjectContext) throws {
    try context.fetch(City.where { $0.name == name }).first?.population += 1
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
        let country = context.country(UUID().uuidString)
        context.city("passing", population: 1, in: country)
        try context.save()
        context.delete(country)
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
      let id = try await container.root.perform { $0.country("unique").objectID }
      try #require(await isRefused())
      try await container.root.perform { context in
        context.delete(try context.existingObject(Country.self, with: id))
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
        _ = try await queue.perform { try $0.count(City.all) }
      }
      await did("read")
    } while !isOver
  }

  @MainActor private func readInTheView() throws {
    let context = container.viewContext
    context.reset()
    let sums = try Self.sums(context)
    try #require(sums == Self.expectedSums)
    try container.root.performAndWait { _ = try $0.count(City.all) }
  }
}
