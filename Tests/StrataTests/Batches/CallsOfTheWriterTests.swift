// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// An entity that the store does not have yet.
@Entity private final class Reminder: ManagedObject {
  var text: String = ""
}

@Suite struct `Code that the store's writer calls` {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  let calls: WaitingCalls

  init() throws {
    folder = try TemporaryDirectory()
    let (url, model) = (folder.file("store.strata"), try geographyModel())
    container = try PersistentContainer(at: url, model: model, durability: .none)
    calls = WaitingCalls(
      container: container, url: url, model: model,
      otherModel: try ManagedObjectModel(
        Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self,
        Album.self, Track.self, Genre.self, Hall.self, Play.self, Reminder.self),
      insertsMany: true)
    try container.root.performAndWait { context in
      context.city("A")
      try context.save()
    }
  }

  private func expectRefusals(_ results: WaitingCalls.Results) {
    let refused: Set = [
      "save", "save in a queue", "batch insert", "batch insert of dictionaries", "batch update",
      "batch delete", "backup", "compaction", "an opening", "an opening with another model",
      // The tree of the history is not open yet.
      "history",
    ]
    for (name, result) in results.names {
      #expect(result == (refused.contains(name) ? "refused" : "done"), "\(name)")
    }
    #expect(refused.isSubset(of: results.names.keys))
  }

  @Test func `is refused calls that wait for the writer, in a batch on the caller's thread`()
    throws
  {
    let results = WaitingCalls.Results()
    try container.coordinator.execute(BatchInsertRequest(City.self), rows: ["X"]) { city, name in
      calls.makeAll(results)
      city.name = name
    }
    expectRefusals(results)
    try expectGoodStore(names: ["A", "X"])
  }

  @Test func `is refused calls that wait for the writer, in a batch on the writer's thread`()
    async throws
  {
    let results = WaitingCalls.Results()
    try await container.coordinator.execute(
      BatchInsertRequest(City.self), rows: ["X"]
    ) { city, name in
      calls.makeAll(results)
      city.name = name
    }
    expectRefusals(results)
    try expectGoodStore(names: ["A", "X"])
  }

  @Test func `is refused calls that wait for the writer, in a merge policy`() throws {
    let results = WaitingCalls.Results()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try #require(try context.fetch(City.all).first)
    city.population = 1
    try container.root.performAndWait { context in
      try context.fetch(City.all).first?.population = 2
      try context.save()
    }
    context.mergePolicy = .custom("all calls") { _ in
      calls.makeAll(results)
      return .takeOurs
    }
    try context.save()
    expectRefusals(results)
    try expectGoodStore(names: ["A"])
  }

  /// Has a batch's closure wait for a queue whose thread waits for the writer. Whichever of the two
  /// waits first, the closure is refused.
  private func waitForEachOther(
    _ queue: ContextQueue, _ round: Int, _ results: WaitingCalls.Results
  ) async throws {
    let (isInside, isBlocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let saver = Thread {
      isInside.wait()
      results.note("save \(round)") {
        try queue.performAndWait { context in
          context.city("Y")
          isBlocked.signal()
          try context.save()
        }
      }
    }
    saver.start()
    try await container.coordinator.execute(
      BatchInsertRequest(City.self), rows: ["X"]
    ) { city, name in
      isInside.signal()
      isBlocked.wait()
      results.note("enter \(round)") { try queue.performAndWait { _ in } }
      city.name = name
    }
    while results.names["save \(round)"] == nil { await Task.yield() }
    #expect(results.names["save \(round)"] == "done")
  }

  @Test func `is refused a wait for a queue that waits for the writer`() async throws {
    let results = WaitingCalls.Results()
    try await waitForEachOther(ContextQueue(parent: container.coordinator), 0, results)
    #expect(results.names == ["enter 0": "refused", "save 0": "done"])
    try expectGoodStore(names: ["A", "X", "Y"])
  }

  /// A thread that comes to the queue finds the waits of the two others, which go round.
  @Test func `is refused a wait for a queue while other threads wait for that, too`() async throws {
    let results = WaitingCalls.Results()
    let queue = ContextQueue(parent: container.coordinator)
    let isOver = Mutex(false)
    // The threads of the pool are for the other tests: one that waits here may wait for them.
    async let bystanders: Void = onOwnThread {
      performOnThreads(6) { _ in
        while !isOver.withLock({ $0 }) { try? queue.performAndWait { _ in } }
      }
    }
    defer { isOver.withLock { $0 = true } }
    for round in 0..<200 { try await waitForEachOther(queue, round, results) }
    isOver.withLock { $0 = true }
    try await bystanders
    let count = try ManagedObjectContext(parent: container.coordinator).count(City.all)
    #expect(count == 1 + 2 * 200)
  }

  private func expectGoodStore(names: [String]) throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    #expect(try context.cityNames() == names)
    context.city("Z")
    try context.save()
    #expect(try context.cityNames() == names + ["Z"])
  }
}
