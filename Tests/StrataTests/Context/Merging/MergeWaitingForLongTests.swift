// SPDX-License-Identifier: Apache-2.0
import Strata
import Synchronization
import Testing

/// Contexts wait for saves again and again, while another queue saves one population of a city
/// after the other.
@Suite struct `Waiting for merges, for long` {
  private final class Progress: Sendable {
    /// The last population whose save has returned.
    let saved = Atomic(0)
    let isDone = Atomic(false)
  }

  private let container: PersistentContainer
  private let city: ObjectID

  init() async throws {
    container = try geography()
    city = try await container.root.perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
  }

  /// A queue that merges automatically and holds the city in `userInfo`.
  private func follower() async throws -> ContextQueue {
    let queue = container.newBackgroundContext()
    try await queue.perform { [city] context in
      context.automaticallyMergesChangesFromParent = true
      context.userInfo["city"] = try context.existingObject(City.self, with: city)
    }
    return queue
  }

  private func save(_ progress: Progress) async throws {
    let queue = ContextQueue(parent: container.coordinator)
    while !progress.isDone.load(ordering: .acquiring) {
      let population = progress.saved.load(ordering: .relaxed) + 1
      try await queue.perform { [city] context in
        try context.existingObject(City.self, with: city).population = population
        try context.save()
      }
      progress.saved.store(population, ordering: .releasing)
      // A free queue runs the block at once: without this, two such tasks would keep the threads of
      // all others.
      await Task.yield()
    }
  }

  /// - Returns: how often the city had an older value than that of a save that had returned.
  private func wait(
    times count: Int, in queue: ContextQueue, _ progress: Progress
  ) async throws -> Int {
    var staleCount = 0
    for _ in 0..<count {
      let saved = progress.saved.load(ordering: .acquiring)
      try await queue.waitUntilMerged(try container.coordinator.currentHistoryToken())
      let seen = try await queue.perform { ($0.userInfo["city"] as? City)?.population ?? -1 }
      if seen < saved { staleCount += 1 }
    }
    return staleCount
  }

  @Test(arguments: [(1, 20_000), (8, 1_000)])
  func `ends each time, and the held object has the values of each save`(
    queueCount: Int, waitCount: Int
  ) async throws {
    let progress = Progress()
    var queues: [ContextQueue] = []
    for _ in 0..<queueCount { queues.append(try await follower()) }
    let saving = Task { try await save(progress) }
    defer { progress.isDone.store(true, ordering: .releasing) }
    let staleCount = try await withThrowingTaskGroup(of: Int.self) { group in
      for queue in queues {
        group.addTask { try await wait(times: waitCount, in: queue, progress) }
      }
      return try await group.reduce(0, +)
    }
    progress.isDone.store(true, ordering: .releasing)
    try await saving.value
    #expect(staleCount == 0)
    #expect(progress.saved.load(ordering: .relaxed) > 0)
  }
}
