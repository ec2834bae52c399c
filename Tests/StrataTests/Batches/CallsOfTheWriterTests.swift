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

/// The results of calls that code of the program makes while the store's writer waits for it.
private final class Results: Sendable {
  private let all = Mutex<[String: String]>([:])

  var names: [String: String] { all.withLock { $0 } }

  func note(_ name: String, _ call: () throws -> Void) {
    var result = "done"
    do {
      try call()
    } catch StoreError.wouldDeadlock {
      result = "refused"
    } catch ContextError.wouldDeadlock {
      result = "refused"
    } catch {
      result = "\(error)"
    }
    all.withLock { $0[name] = result }
  }
}

@Suite struct `Code that the store's writer calls` {
  let folder: TemporaryDirectory
  let container: PersistentContainer
  let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store.strata")
    container = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    try container.root.performAndWait { context in
      context.city("A")
      try context.save()
    }
  }

  /// Makes every call that waits for the writer.
  private func callAll(_ results: Results) {
    let (coordinator, root) = (container.coordinator, container.root)
    results.note("save") {
      let context = ManagedObjectContext(parent: coordinator)
      context.city("B")
      try context.save()
    }
    results.note("save in a queue") {
      try ContextQueue(parent: coordinator).performAndWait { context in
        context.city("B")
        try context.save()
      }
    }
    results.note("batch insert") {
      try coordinator.execute(BatchInsertRequest(City.self), rows: ["B"]) { $0.name = $1 }
    }
    results.note("batch update") {
      try coordinator.execute(BatchUpdateRequest(City.all).setting(\.name, to: "B"))
    }
    results.note("batch delete") {
      try ManagedObjectContext(parent: coordinator).execute(BatchDeleteRequest(City.all))
    }
    results.note("backup") { try coordinator.backUp(to: folder.file("backup \(UUID())")) }
    results.note("compaction") { try coordinator.compact() }
    results.note("an opening") {
      _ = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
    }
    results.note("an opening with another model") {
      let model = try ManagedObjectModel(
        Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self,
        Album.self, Track.self, Genre.self, Hall.self, Play.self, Reminder.self)
      _ = try PersistentContainer(at: url, model: model, durability: .none)
    }
    results.note("a push to the parent") {
      let child = ManagedObjectContext(parent: root)
      child.city("C")
      try child.save()
    }
    results.note("a read") {
      let count = try ManagedObjectContext(parent: coordinator).count(City.all)
      #expect(count == 1)
    }
    results.note("a compacted backup") {
      try coordinator.backUp(to: folder.file("backup \(UUID())"), compacting: true)
    }
    results.note("many insertions") {
      let context = ManagedObjectContext(parent: coordinator)
      // More than two blocks of serials.
      var ids: Set<ObjectID> = []
      for _ in 0..<140_000 { ids.insert(City(context: context).objectID) }
      #expect(ids.count == 140_000)
    }
  }

  private func expectRefusals(_ results: Results) {
    let refused = [
      "save", "save in a queue", "batch insert", "batch update", "batch delete", "backup",
      "compaction", "an opening", "an opening with another model",
    ]
    let done = ["a push to the parent", "a read", "a compacted backup", "many insertions"]
    for name in refused { #expect(results.names[name] == "refused", "\(name)") }
    for name in done { #expect(results.names[name] == "done", "\(name)") }
  }

  @Test func `is refused calls that wait for the writer, in a batch on the caller's thread`()
    throws
  {
    let results = Results()
    try container.coordinator.execute(BatchInsertRequest(City.self), rows: ["X"]) { city, name in
      callAll(results)
      city.name = name
    }
    expectRefusals(results)
    try expectGoodStore(names: ["A", "X"])
  }

  @Test func `is refused calls that wait for the writer, in a batch on the writer's thread`()
    async throws
  {
    let results = Results()
    try await container.coordinator.execute(
      BatchInsertRequest(City.self), rows: ["X"]
    ) { city, name in
      callAll(results)
      city.name = name
    }
    expectRefusals(results)
    try expectGoodStore(names: ["A", "X"])
  }

  @Test func `is refused calls that wait for the writer, in a merge policy`() throws {
    let results = Results()
    let context = ManagedObjectContext(parent: container.coordinator)
    let city = try #require(try context.fetch(City.all).first)
    city.population = 1
    try container.root.performAndWait { context in
      try context.fetch(City.all).first?.population = 2
      try context.save()
    }
    context.mergePolicy = .custom("all calls") { _ in
      callAll(results)
      return .takeOurs
    }
    try context.save()
    expectRefusals(results)
    try expectGoodStore(names: ["A"])
  }

  /// The queue's thread waits for the writer, and the writer's code for the queue.
  @Test func `is refused a wait for a queue that waits for the writer`() async throws {
    let results = Results()
    let queue = ContextQueue(parent: container.coordinator)
    let (isInside, isBlocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let saver = Thread {
      isInside.wait()
      results.note("save behind the batch") {
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
      // Whichever of the two waits first, this one is refused.
      results.note("enter the queue") { try queue.performAndWait { _ in } }
      city.name = name
    }
    while results.names["save behind the batch"] == nil { await Task.yield() }
    #expect(results.names == ["enter the queue": "refused", "save behind the batch": "done"])
    try expectGoodStore(names: ["A", "X", "Y"])
  }

  /// A thread that comes to the queue finds the waits of the two others, which go round.
  @Test func `is refused a wait for a queue while other threads wait for that, too`() async throws {
    let results = Results()
    let queue = ContextQueue(parent: container.coordinator)
    let isOver = Mutex(false)
    let bystanders = Task.detached {
      performOnThreads(6) { _ in
        while !isOver.withLock({ $0 }) { try? queue.performAndWait { _ in } }
      }
    }
    for round in 0..<200 {
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
    isOver.withLock { $0 = true }
    await bystanders.value
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
