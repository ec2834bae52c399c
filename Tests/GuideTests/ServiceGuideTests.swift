// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of RunningAService.md, part by part.
@Suite struct `The guide to running a service` {
  // begin model
  @Entity final class Item: ManagedObject {
    @Attribute(.unique) var code: String
    @Attribute(.length(1...200)) var title: String
    @Attribute(.range(0...)) var stock: Int = 0
  }
  // end

  // begin service
  /// The store of the service: one for the process, shared by all requests.
  struct Inventory: Sendable {
    let coordinator: PersistentStoreCoordinator

    init(at url: URL) throws {
      coordinator = try PersistentStoreCoordinator(
        at: url, model: try ManagedObjectModel(Item.self), busyTimeout: .seconds(5))
    }

    /// Reads in a context of its own: one snapshot, and no waiting for writers.
    func read<T: Sendable>(
      _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
      try await ContextQueue(parent: coordinator).perform { context in try body(context) }
    }

    /// Changes in a context of its own. When this returns, the changes are on the disk.
    func write<T: Sendable>(
      attempts: Int = 20, _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
      var attempt = 1
      while true {
        let queue = ContextQueue(parent: coordinator)
        let result = try await queue.perform { context in try body(context) }
        do {
          try await queue.save()
          return result
        } catch StoreError.conflicts where attempt < attempts {
          attempt += 1  // another request was first: again, from the newest values
        } catch StoreError.danglingLinks where attempt < attempts {
          attempt += 1  // another request has deleted an object that this one links to
        }
      }
    }
  }
  // end

  // begin requests
  /// The answer to a request for an item: plain values, which may go to any thread.
  struct ItemAnswer: Codable, Sendable, Equatable {
    let code: String
    let title: String
    let stock: Int

    init(_ item: Item) { (code, title, stock) = (item.code, item.title, item.stock) }
  }

  enum RequestError: Error { case notFound, outOfStock }

  func item(_ code: String, in inventory: Inventory) async throws -> ItemAnswer {
    try await inventory.read { context in
      guard let item = try context.first(Item.where { $0.code == code }) else {
        throw RequestError.notFound
      }
      return ItemAnswer(item)
    }
  }

  func take(_ count: Int, of code: String, in inventory: Inventory) async throws -> ItemAnswer {
    try await inventory.write { context in
      guard let item = try context.first(Item.where { $0.code == code }) else {
        throw RequestError.notFound
      }
      guard item.stock >= count else { throw RequestError.outOfStock }
      item.stock -= count
      return ItemAnswer(item)
    }
  }

  /// A page of items after the last code of the page before.
  func page(after code: String, in inventory: Inventory) async throws -> [ItemAnswer] {
    try await inventory.read { context in
      try context.fetch(Item.where { $0.code > code }.sorted(by: \.code).limit(20))
        .map(ItemAnswer.init)
    }
  }
  // end

  // begin health
  struct Health: Codable, Sendable {
    var canRead = false
    var canWrite = false
    var byteCount = 0
    var oldestReaderSeconds = 0.0
  }

  func health(of inventory: Inventory) async -> Health {
    var health = Health()
    if let metadata = try? inventory.coordinator.metadata() {
      (health.canRead, health.byteCount) = (true, metadata.byteCount)
    }
    do {
      try await inventory.coordinator.setMetadata(Date(), forKey: "health")
      health.canWrite = true
    } catch {
      print(error)
    }
    if let reader = try? inventory.coordinator.oldestReader() {
      health.oldestReaderSeconds = Double(reader.age.components.seconds)
    }
    return health
  }
  // end

  @Test func `sells each item once to many buyers`() async throws {
    let folder = try TemporaryDirectory()
    let inventory = try Inventory(at: folder.file("inventory.strata"))
    try await inventory.write { context in
      let item = Item(context: context)
      (item.code, item.title, item.stock) = ("A1", "Lamp", 8)
    }
    let sold = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...12 {
        group.addTask { (try? await take(1, of: "A1", in: inventory)) != nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    let left = try await item("A1", in: inventory).stock
    #expect(sold == 8)
    #expect(left == 0)
    await #expect(throws: RequestError.notFound) { try await item("B2", in: inventory) }
  }

  @Test func `pages through all items`() async throws {
    let folder = try TemporaryDirectory()
    let inventory = try Inventory(at: folder.file("inventory.strata"))
    let codes = (100..<150).map { "C\($0)" }
    try await inventory.write { context in
      for code in codes {
        let item = Item(context: context)
        (item.code, item.title) = (code, "Item \(code)")
      }
    }
    var (found, last): ([String], String) = ([], "")
    while true {
      let page = try await page(after: last, in: inventory)
      guard let end = page.last else { break }
      found += page.map(\.code)
      last = end.code
    }
    #expect(found == codes)
  }

  @Test func `is healthy, and has a backup with what was saved`() async throws {
    let folder = try TemporaryDirectory()
    let inventory = try Inventory(at: folder.file("inventory.strata"))
    try await inventory.write { context in
      let item = Item(context: context)
      (item.code, item.title) = ("A1", "Lamp")
    }
    let health = await health(of: inventory)
    #expect(health.canRead && health.canWrite)
    let backup = folder.file("backup.strata")
    // begin backup
    try await inventory.coordinator.backUp(to: backup)
    // end
    // begin checking
    let copy = try PersistentStoreCoordinator(
      at: backup, model: try ManagedObjectModel(Item.self), isReadOnly: true)
    let count = try await ContextQueue(parent: copy).perform { try $0.count(Item.all) }
    // end
    #expect(count == 1)
  }

  @Test func `hears of each change`() async throws {
    let folder = try TemporaryDirectory()
    let inventory = try Inventory(at: folder.file("inventory.strata"))
    var counts: [Int] = []
    var writing: Task<Void, any Error>?
    // The guide's call. The item is written when the first value has come.
    func print(_ count: Int, _ text: String) {
      counts.append(count)
      if writing != nil { return }
      writing = Task {
        try await inventory.write { context in
          let item = Item(context: context)
          (item.code, item.title) = ("A1", "Lamp")
        }
      }
    }
    // begin live
    let empty = Item.where { $0.stock == 0 }.select(\.code, \.title)
    for try await rows in inventory.coordinator.values(of: empty) {
      print(rows.count, "items are out of stock")
      if Task.isCancelled || !rows.isEmpty { break }
    }
    // end
    try await writing?.value
    #expect(counts == [0, 1])
  }
}
