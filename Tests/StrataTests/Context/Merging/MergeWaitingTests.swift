// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

extension PersistentContainer {
  /// A queue beneath the root, which merges automatically and holds a city in `userInfo`.
  fileprivate func follower(of city: ObjectID) async throws -> ContextQueue {
    let queue = newBackgroundContext()
    try await queue.perform { context in
      context.automaticallyMergesChangesFromParent = true
      context.userInfo["city"] = try context.existingObject(City.self, with: city)
    }
    return queue
  }

  /// Saves a city "A".
  fileprivate func savedCity() async throws -> ObjectID {
    try await root.perform { context in
      let id = context.city("A").objectID
      try context.save()
      return id
    }
  }

  /// Renames a city in another root.
  fileprivate func rename(_ city: ObjectID, to name: String) async throws -> HistoryToken {
    try await ContextQueue(parent: coordinator).perform { context in
      try context.existingObject(City.self, with: city).name = name
      try context.save()
    }
    return try coordinator.currentHistoryToken()
  }
}

extension ManagedObjectContext {
  fileprivate var heldName: String? { (userInfo["city"] as? City)?.name }
}

@Suite struct `Waiting until a context has merged a save` {
  @Test(arguments: [false, true])
  func `returns when held objects have its values, with a history and without`(
    keepsHistory: Bool
  ) async throws {
    let container = try geography()
    if keepsHistory { try await container.coordinator.keepHistory() }
    let city = try await container.savedCity()
    let queue = try await container.follower(of: city)
    for name in ["B", "C"] {
      let token = try await container.rename(city, to: name)
      try await queue.waitUntilMerged(token)
      // A name of the present turn's view would be right without a merge, too: none is read.
      let seen = try await queue.perform { $0.heldName }
      #expect(seen == name)
    }
  }

  @Test func `changes nothing if the save is merged already`() async throws {
    let container = try geography()
    let city = try await container.savedCity()
    let queue = try await container.follower(of: city)
    let token = try await container.rename(city, to: "B")
    try await queue.waitUntilMerged(token)
    let log = MergeLog(queue.layer)
    try await queue.waitUntilMerged(token)
    #expect(log.messages.isEmpty)
  }

  @Test func `notifies observers of the merge before it returns`() async throws {
    let container = try geography()
    let city = try await container.savedCity()
    let queue = try await container.follower(of: city)
    let log = MergeLog(queue.layer, name: ManagedObjectContext.didMergeNotification)
    try await queue.waitUntilMerged(try await container.rename(city, to: "B"))
    #expect(log.refreshed == [city])
  }

  @Test func `serves a confined context and the view context`() async throws {
    let container = try geography()
    let id = try await container.savedCity()
    let context = ManagedObjectContext(parent: container.coordinator)
    context.automaticallyMergesChangesFromParent = true
    let city = try context.existingObject(City.self, with: id)
    try await context.waitUntilMerged(try await container.rename(id, to: "B"))
    #expect(city.name == "B")
    try await inTheViewContext(of: container, id)
  }

  @MainActor
  private func inTheViewContext(of container: PersistentContainer, _ id: ObjectID) async throws {
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true
    let city = try view.existingObject(City.self, with: id)
    try await view.waitUntilMerged(try await container.rename(id, to: "C"))
    #expect(city.name == "C")
  }

  @Test func `knows the saves of another process`() async throws {
    let folder = try TemporaryDirectory()
    let container = try geography(in: folder)
    let city = try await container.savedCity()
    let queue = try await container.follower(of: city)
    await #expect(processExitsWith: .success) { [url = folder.file("geography.strata") as URL] in
      let other = try PersistentContainer(at: url, model: geographyModel(), durability: .none)
      try await other.root.perform { context in
        try #require(try context.first(City.all)).name = "B"
        try context.save()
      }
    }
    try await queue.waitUntilMerged(try container.coordinator.currentHistoryToken())
    let seen = try await queue.perform { $0.heldName }
    #expect(seen == "B")
  }

  @Test func `knows the saves to each of several stores`() async throws {
    let folder = try TemporaryDirectory()
    let stores = try TwoStores(in: folder)
    defer { stores.close() }
    let queue = ContextQueue(parent: stores.coordinator)
    try await queue.perform { $0.automaticallyMergesChangesFromParent = true }
    #expect {
      try stores.coordinator.currentHistoryToken()
    } throws: {
      if case StoreError.severalStores = $0 { true } else { false }
    }
    for store in stores.coordinator.stores {
      try await ContextQueue(parent: stores.coordinator).perform { context in
        try context.city("A", in: store)
        try context.save()
      }
      let alone = try stores.coordinator.coordinator(for: store)
      try await queue.waitUntilMerged(try alone.currentHistoryToken())
    }
  }

  // MARK: - Refusals

  @Test func `is refused to a context that does not merge automatically`() async throws {
    let container = try geography()
    let token = try await container.rename(try await container.savedCity(), to: "B")
    await #expect(throws: ContextError.notMergingAutomatically) {
      try await container.newBackgroundContext().waitUntilMerged(token)
    }
  }

  @Test func `is refused to a pinned context and its children`() async throws {
    let container = try geography()
    let city = try await container.savedCity()
    let parent = ContextQueue(parent: container.root)
    try await parent.perform { try $0.setQueryGeneration(from: .current) }
    let child = ContextQueue(parent: parent)
    for queue in [parent, child] {
      try await queue.perform { $0.automaticallyMergesChangesFromParent = true }
    }
    let token = try await container.rename(city, to: "B")
    for queue in [parent, child] {
      await #expect(throws: ContextError.pinnedToQueryGeneration) {
        try await queue.waitUntilMerged(token)
      }
    }
    try await parent.perform { try $0.setQueryGeneration(from: nil) }
    for queue in [parent, child] { try await queue.waitUntilMerged(token) }
  }

  @Test(arguments: [false, true])
  func `refuses the token of another store, and of a save that a restored backup has not`(
    keepsHistory: Bool
  ) async throws {
    let folder = try TemporaryDirectory()
    let backup = folder.file("backup")
    let container = try geography(in: folder)
    if keepsHistory { try await container.coordinator.keepHistory() }
    let city = try await container.savedCity()
    try await container.coordinator.backUp(to: backup)
    let copy = try PersistentContainer(at: backup, model: geographyModel(), durability: .none)
    let queue = try await copy.follower(of: city)
    let lost = try await container.rename(city, to: "B")
    let foreign = try geography().coordinator.currentHistoryToken()
    for token in [foreign, lost] {
      await #expect {
        try await queue.waitUntilMerged(token)
      } throws: {
        if case StoreError.foreignHistoryToken = $0 { true } else { false }
      }
    }
    // Without a history, only the number of the save is known.
    let own = try await copy.rename(city, to: "C")
    try await queue.waitUntilMerged(own)
    if keepsHistory {
      await #expect { try await queue.waitUntilMerged(lost) } throws: {
        if case StoreError.foreignHistoryToken = $0 { true } else { false }
      }
    } else {
      try await queue.waitUntilMerged(lost)
    }
  }
}

#if DEBUG
  /// A save of another root has changed a city that the waiting queue is just saving.
  ///
  /// The main actor takes its place in line before it leaves: what it awaits of a queue runs in the
  /// order of the calls.
  @MainActor
  @Suite struct `Waiting for the merge of an object that is being saved` {
    private let container: PersistentContainer
    private let queue: ContextQueue
    private let gate: WriterGate
    private let save: Task<Void, any Error>
    private let token: HistoryToken

    init() async throws {
      container = try geography()
      let city = try await container.savedCity()
      queue = ContextQueue(parent: container.coordinator)
      try await queue.perform { context in
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = .mergeByPropertyObjectTrump
        let held = try context.existingObject(City.self, with: city)
        held.population = 5
        context.userInfo["city"] = held
      }
      let other = ContextQueue(parent: container.coordinator)
      try await other.perform { try $0.existingObject(City.self, with: city).name = "B" }
      gate = WriterGate(container)
      let otherSave = await gate.begin(Task { try await other.save() })
      // The queue's save is frozen when this returns, and waits behind the other.
      let began = queue.messages(.willSave)
      save = Task { [queue] in try await queue.save() }
      for await _ in began { break }
      try await queue.perform { _ in }
      gate.letOneCommit()
      try await otherSave.value
      token = try container.coordinator.currentHistoryToken()
      await gate.begin(save)
    }

    /// Begins to wait, and returns after the first turn of that.
    private func beginWaiting() async throws -> Task<Void, any Error> {
      var hasBegun = false
      let waiting = Task { [queue, token] in
        hasBegun = true
        try await queue.waitUntilMerged(token)
      }
      while !hasBegun { await Task.yield() }
      try await queue.perform { _ in }
      return waiting
    }

    @Test func `lasts until the save has ended`() async throws {
      var isMerged = false
      let waiting = try await beginWaiting()
      let noting = Task {
        try await waiting.value
        isMerged = true
      }
      for _ in 0..<10 { await Task.yield() }
      #expect(!isMerged)
      gate.open()
      try await noting.value
      try await save.value
      let seen = try await queue.perform { context in
        (context.userInfo["city"] as? City).map { "\($0.name) \($0.population)" }
      }
      #expect(seen == "B 5")
    }

    @Test func `ends when its task is cancelled`() async throws {
      let waiting = try await beginWaiting()
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      gate.open()
      try await save.value
    }

    @Test func `ends when the context no longer merges automatically`() async throws {
      let waiting = try await beginWaiting()
      try await queue.perform { $0.automaticallyMergesChangesFromParent = false }
      await #expect(throws: ContextError.notMergingAutomatically) { try await waiting.value }
      gate.open()
      try await save.value
    }
  }
#endif
