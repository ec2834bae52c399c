// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import Testing

@Suite struct `The updates of a list` {
  /// Lists the plants of a queue by name, and keeps the controller there.
  private func listing(
    _ queue: ContextQueue, limit: Int = 100
  ) async throws -> (FetchedResultsSnapshot, AsyncStream<FetchedResultsUpdate>) {
    try await queue.perform { context in
      let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
      context.userInfo["plants"] = list
      try list.performFetch()
      return (list.snapshot, list.updates(limit: limit))
    }
  }

  @Test func `reach a task elsewhere, which follows the list by their differences`() async throws {
    let container = try garden()
    let queue = container.newBackgroundContext()
    var (shown, updates) = try await listing(queue)
    for name in ["fern", "aloe", "ivy"] { try await queue.perform { _ = $0.plant(name) } }
    try await queue.perform { context in
      for plant in try context.fetch(Plant.where { $0.name == "aloe" }) { plant.name = "reed" }
    }
    var iterator = updates.makeAsyncIterator()
    for number in 1...4 {
      let update = try #require(await iterator.next())
      #expect(update.number == number)
      shown = try #require(shown.applying(update.difference))
      #expect(shown == update.snapshot)
    }
    let ids = shown.objectIDs
    let names = try await queue.perform { context in
      try ids.map { try context.existingObject(Plant.self, with: $0).name }
    }
    #expect(names == ["fern", "ivy", "reed"])
  }

  @Test func `tell of a save that is integrated in an idle context`() async throws {
    let container = try garden()
    let (_, updates) = try await listing(container.root)
    let id = try await container.newBackgroundContext().perform { context in
      let id = context.plant("fern").objectID
      try context.save()
      return id
    }
    var iterator = updates.makeAsyncIterator()
    let update = await iterator.next()
    #expect(update?.snapshot.objectIDs == [id])
  }

  @Test func `tell of a fetch that finds something else than the one before`() async throws {
    let container = try garden()
    let queue = container.newBackgroundContext()
    let updates = try await queue.perform { context in
      let list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
      context.userInfo["plants"] = list
      let updates = list.updates()
      context.plant("fern")
      try list.performFetch()
      return updates
    }
    var iterator = updates.makeAsyncIterator()
    let update = await iterator.next()
    #expect(update?.number == 1)
    #expect(update?.difference.insertions.count == 1)
  }

  @Test func `that are not taken are dropped from the oldest, and the numbers tell`() async throws {
    let container = try garden()
    let queue = container.newBackgroundContext()
    let (_, updates) = try await listing(queue, limit: 2)
    for name in ["a", "b", "c", "d"] { try await queue.perform { _ = $0.plant(name) } }
    try await queue.perform { $0.userInfo = [:] }
    var numbers: [Int] = []
    for await update in updates { numbers.append(update.number) }
    #expect(numbers == [3, 4])
  }

  @Test func `end with the controller, which only the test holds`() async throws {
    let container = try garden()
    var queue: ContextQueue? = container.newBackgroundContext()
    let (_, updates) = try await listing(try #require(queue))
    queue = nil
    for await _ in updates { Issue.record("nothing has changed") }
  }
}

/// A list view's controller, as a program on the main actor has it.
@MainActor private final class PlantScreen: @MainActor FetchedResultsControllerDelegate {
  let list: FetchedResultsController<Plant>
  var names: [String] = []

  init(_ context: ManagedObjectContext) throws {
    list = FetchedResultsController(Plant.all.sorted(by: \.name), context: context)
    list.delegate = self
    try list.performFetch()
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Plant>) {
    names = controller.fetchedObjects.map(\.name)
  }
}

@Suite struct `A list on the main actor` {
  @Test @MainActor func `shows the workers' saves`() async throws {
    let container = try garden()
    let screen = try PlantScreen(container.viewContext)
    container.viewContext.automaticallyMergesChangesFromParent = true
    container.viewContext.plant("fern")
    try await container.newBackgroundContext().perform { context in
      context.plant("aloe")
      try context.save()
    }
    while screen.names.count < 2 { await Task.yield() }
    #expect(screen.names == ["aloe", "fern"])
  }
}
