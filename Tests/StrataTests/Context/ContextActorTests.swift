// SPDX-License-Identifier: Apache-2.0
import Foundation
import Observation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// An actor that knows cities.
private actor Gazetteer: ContextActor {
  let executor: ContextExecutor
  private var held: City?

  init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

  @discardableResult
  func add(_ name: String) -> ObjectID { context.city(name).objectID }

  func save() throws { try context.save() }

  func saveToStore() async throws { try await context.save(to: .store) }

  func names() throws -> [String] { try context.cityNames() }

  var hasChanges: Bool { context.hasChanges }

  /// Holds a city, and follows others' changes of it.
  func follow(_ id: ObjectID) throws {
    context.automaticallyMergesChangesFromParent = true
    held = try context.existingObject(City.self, with: id)
  }

  var heldName: String? { held?.name }

  /// Calls `hear` at the next change of the held city's name.
  func observe(_ hear: @escaping @Sendable () -> Void) {
    context.tracksObservation = true
    withObservationTracking {
      _ = held?.name
    } onChange: {
      hear()
    }
  }

  /// Inserts a city, suspends, and says whether the context is the same one afterwards.
  func addAcrossSuspension(_ name: String, during work: @Sendable () async throws -> Void)
    async throws -> Bool
  {
    let city = context.city(name)
    try await work()
    return city.managedObjectContext === context && city.isInserted
  }

  nonisolated func isIsolated() -> Bool { assumeIsolated { _ in true } }

  func asksItself() -> Bool { isIsolated() }
}

@Suite struct `An actor with a context` {
  @Test func `publishes its unsaved changes to children at the end of each call`() async throws {
    let gazetteer = Gazetteer(parent: try geography().root)
    await gazetteer.add("A")
    let child = ContextQueue(parent: gazetteer.executor)
    #expect(try await child.perform { try $0.cityNames() } == ["A"])
    await gazetteer.add("B")
    #expect(try await child.perform { try $0.cityNames() } == ["A", "B"])
    #expect(await gazetteer.hasChanges)
  }

  @Test func `sees in each call others' earlier saves`() async throws {
    let container = try geography()
    let gazetteer = Gazetteer(parent: container.root)
    #expect(try await gazetteer.names() == [])
    try await container.root.perform { _ = $0.city("A") }
    #expect(try await gazetteer.names() == ["A"])
  }

  @Test func `saves to its parent, and through it to the store`() async throws {
    let container = try geography()
    let gazetteer = Gazetteer(parent: container.root)
    await gazetteer.add("A")
    try await gazetteer.save()
    #expect(try await container.root.perform { try $0.cityNames() } == ["A"])
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.cityNames() } == [])
    await gazetteer.add("B")
    try await gazetteer.saveToStore()
    #expect(try await other.perform { try $0.cityNames() } == ["A", "B"])
    #expect(await !gazetteer.hasChanges)
  }

  @Test func `takes the saves of its children in while it is idle`() async throws {
    let container = try geography()
    let gazetteer = Gazetteer(parent: container.root)
    let child = ContextQueue(parent: gazetteer.executor)
    try await child.perform { context in
      context.city("A")
      try context.save()
    }
    #expect(try await gazetteer.names() == ["A"])
    try await child.perform { _ = $0.city("B") }
    try await child.save(to: .store)
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.cityNames() } == ["A", "B"])
  }

  @Test func `ends its turn where it suspends, and goes on in the next one`() async throws {
    let gazetteer = Gazetteer(parent: try geography().root)
    let child = ContextQueue(parent: gazetteer.executor)
    let isWhole = try await gazetteer.addAcrossSuspension("A") {
      let seenByChild = try await child.perform { try $0.cityNames() }
      let seenByOthers = try await gazetteer.names()
      #expect(seenByChild == ["A"])
      #expect(seenByOthers == ["A"])
    }
    #expect(isWhole)
  }

  @Test func `merges others' saves, and its observers are notified`() async throws {
    let container = try geography()
    let id = try await container.root.perform { $0.city("old").objectID }
    let gazetteer = Gazetteer(parent: container.root)
    try await gazetteer.follow(id)
    let (changes, heard) = AsyncStream.makeStream(of: Void.self)
    await gazetteer.observe { heard.yield() }
    try await container.root.perform { context in
      try context.existingObject(City.self, with: id).name = "new"
    }
    for await _ in changes { break }
    #expect(await gazetteer.heldName == "new")
  }

  @Test func `runs one call at a time`() async throws {
    let gazetteer = Gazetteer(parent: try geography().root)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { await gazetteer.add("\(number)") } }
    }
    #expect(try await gazetteer.names().count == 200)
  }

  @Test func `knows its own code`() async throws {
    let gazetteer = Gazetteer(parent: try geography().root)
    #expect(await gazetteer.asksItself())
  }

  @Test func `keeps no pages of the store from being reused while it is idle`() async throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let id = try await container.root.perform { $0.city("0").objectID }
    try await container.root.save()
    func fileByteCount(after saves: Range<Int>) async throws -> Int {
      for number in saves {
        try await container.root.perform { context in
          try context.existingObject(City.self, with: id).name = "\(number)"
        }
        try await container.root.save()
      }
      let path = directory.file("geography.strata").path
      return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
    let gazetteer = Gazetteer(parent: container.coordinator)
    #expect(try await gazetteer.names() == ["0"])
    let start = try await fileByteCount(after: 1..<50)
    #expect(try await fileByteCount(after: 50..<250) == start)
    // Such growth comes from a turn that does not end.
    let forgotten = ManagedObjectContext(parent: container.coordinator)
    #expect(try forgotten.cityNames() == ["249"])
    #expect(try await fileByteCount(after: 250..<450) > start)
    #expect(try await gazetteer.names() == ["449"])
    forgotten.processPendingChanges()
  }
}
