// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// The content of the store, read by a context past all others.
private func stored(in container: PersistentContainer) throws -> [String] {
  try ContextQueue(parent: container.coordinator).performAndWait { try $0.cityNames() }
}

private func chain(below root: ContextQueue, depth: Int) -> [ContextQueue] {
  var queues = [root]
  for _ in 0..<depth { queues.append(ContextQueue(parent: queues[queues.count - 1])) }
  return queues
}

@Suite struct `A save to the store` {
  @Test func `goes through every level, and saves all changes of each`() async throws {
    let directory = try TemporaryDirectory()
    let container = try geography(in: directory)
    let queues = chain(below: container.root, depth: 7)
    for (level, queue) in queues.enumerated() {
      try await queue.perform { _ = $0.city("\(level)") }
    }
    try await queues[7].save(to: .store)
    #expect(try stored(in: container) == (0...7).map(String.init))
    for queue in queues {
      let hasChanges = try await queue.perform { $0.hasChanges }
      #expect(!hasChanges)
    }
  }

  @Test func `saves the ancestors' changes, also if there is nothing to save below`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    try await container.root.perform { _ = $0.city("A") }
    try await worker.save(to: .store)
    #expect(try stored(in: container) == ["A"])
  }

  @Test func `is refused below a context that is gone, at whatever level it was to end`()
    async throws
  {
    let container = try geography()
    var confined: ManagedObjectContext? = ManagedObjectContext(parent: container.root)
    let worker = ContextQueue(parent: try #require(confined?.layer))
    confined = nil
    try await worker.perform { context in
      context.city("A")
      #expect(throws: ContextError.ancestorUnreachable(level: 1)) { try context.save() }
      #expect(context.hasChanges)
    }
    await #expect(throws: ContextError.ancestorUnreachable(level: 1)) {
      try await worker.save(to: .store)
    }
  }

  @Test func `to the parent goes one level up`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    try await worker.perform { _ = $0.city("A") }
    try await worker.save(to: .parent)
    #expect(try stored(in: container) == [])
    #expect(try await container.root.perform { try $0.cityNames() } == ["A"])
    try await container.root.save(to: .parent)
    #expect(try stored(in: container) == ["A"])
  }

  @Test func `that the store refuses leaves all changes where they were`() async throws {
    let container = try geography()
    let queues = chain(below: container.root, depth: 3)
    try await container.root.perform { context in
      context.country("IR")
      try context.save()
      context.city("of the root")
    }
    try await queues[1].perform { _ = $0.city("between") }
    try await queues[3].perform { context in
      context.country("IR", name: "second")
      context.city("A")
    }
    await #expect { try await queues[3].save(to: .store) } throws: { $0.isUniquenessViolation }
    let counts = try queues.map { try $0.performAndWait { $0.insertedObjects.count } }
    #expect(counts == [1, 1, 0, 2])
    #expect(try stored(in: container) == [])
    #expect(try await container.root.perform { try $0.cityNames() } == ["of the root"])
    // Others can save, and the saver can once it has mended its own.
    try await queues[1].save(to: .store)
    #expect(try stored(in: container) == ["between", "of the root"])
    try await queues[3].perform { context in
      let second = try #require(try context.fetch(Country.where { $0.name == "second" }).first)
      second.iso = "IQ"
    }
    try await queues[3].save(to: .store)
    #expect(try stored(in: container) == ["A", "between", "of the root"])
  }

  @Test func `names the ancestor whose own changes are refused, and saves nothing`() async throws {
    let container = try geography()
    let queues = chain(below: container.root, depth: 2)
    try await container.root.perform { context in
      context.name = "the root"
      context.country("IR")
      try context.save()
      context.country("IR", name: "second")
    }
    try await queues[2].perform { _ = $0.city("A") }
    do {
      try await queues[2].save(to: .store)
      Issue.record("the save went through")
    } catch let error as AncestorSaveError {
      #expect(error.level == 2)
      #expect(error.contextName == "the root")
      #expect(error.underlyingError is StoreError)
      #expect("\(error)".contains("the root"))
    }
    #expect(try await queues[2].perform { $0.insertedObjects.count } == 1)
    #expect(try stored(in: container) == [])
    try await container.root.perform { $0.rollback() }
    try await queues[2].save(to: .store)
    #expect(try stored(in: container) == ["A"])
  }

  @Test func `that is refused on its own level throws the errors of save`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.country("IR")
      context.country("IR")
    }
    await #expect { try await container.root.save(to: .store) } throws: { $0.isUniquenessViolation }
    let worker = container.newBackgroundContext()
    try await container.root.perform { $0.rollback() }
    let (route, ferry) = try await worker.perform { context in
      let route = Route(context: context)
      let ferry = Ferry(context: context)
      route.ferries.insert(ferry)
      try context.save()
      return (route.objectID, ferry.objectID)
    }
    try await worker.perform { context in
      context.delete(try context.existingObject(Route.self, with: route))
      _ = ferry
    }
    await #expect(
      throws: ContextError.deleteDenied([
        .init(objectID: route, entity: "Route", property: "ferries")
      ])
    ) { try await worker.save(to: .store) }
  }

  @Test func `is refused before anything is saved if an ancestor cannot be entered`() async throws {
    let container = try geography()
    let confined = ManagedObjectContext(parent: container.root)
    let layer = confined.layer
    withExtendedLifetime(confined) {}
    let middle = ContextQueue(parent: layer)
    let child = ContextQueue(parent: middle)
    try await child.perform { _ = $0.city("A") }
    await #expect(throws: ContextError.ancestorUnreachable(level: 2)) {
      try await child.save(to: .store)
    }
    #expect(try await child.perform { $0.hasChanges })
    #expect(try await middle.perform { $0.hasChanges } == false)
  }

  @Test func `of a task that is cancelled before it begins saves nothing`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    try await worker.perform { _ = $0.city("A") }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await worker.save(to: .store)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try stored(in: container) == [])
    #expect(try await worker.perform { $0.hasChanges })
  }

  @Test
  func `holds no queue while it waits for another, and is carried through if it is cancelled then`()
    async throws
  {
    let container = try geography()
    let queues = chain(below: container.root, depth: 2)
    try await queues[2].perform { _ = $0.city("A") }
    let busy = HeldThread { thread in
      try container.root.performAndWait { _ in thread.hold() }
    }
    busy.untilHeld()
    let isLeft = Mutex(false)
    try await queues[2].perform { context in
      // It comes to the root and waits there; those that it has left can be entered.
      NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.willSaveNotification, object: context.layer, queue: nil
      ) { _ in isLeft.withLock { $0 = true } }
    }
    let save = Task { try await queues[2].save(to: .store) }
    while !isLeft.withLock({ $0 }) { await Task.yield() }
    for queue in [queues[2], queues[1]] { try await queue.perform { _ in } }
    save.cancel()
    busy.letGo()
    try await save.value
    try busy.finish()
    #expect(try stored(in: container) == ["A"])
  }
}

@MainActor
@Suite struct `A save to the store from the main actor` {
  @Test func `goes from the view context through the root`() async throws {
    let container = try geography()
    container.viewContext.city("A")
    try await container.viewContext.save(to: .store)
    #expect(!container.viewContext.hasChanges)
    #expect(try stored(in: container) == ["A"])
  }

  @Test func `goes through contexts made in the same isolation`() async throws {
    let container = try geography()
    let scratch = ManagedObjectContext(parent: container.viewContext)
    let inner = ManagedObjectContext(parent: scratch)
    inner.city("A")
    scratch.city("B")
    try await inner.save(to: .store)
    #expect(try stored(in: container) == ["A", "B"])
    inner.city("C")
    try await inner.save(to: .parent)
    #expect(scratch.hasChanges && !container.viewContext.hasChanges)
  }

  @Test func `names the level at which it stopped`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.name = "root"
      context.country("IR")
      try context.save()
    }
    let scratch = ManagedObjectContext(parent: container.viewContext)
    scratch.city("A")
    try await container.root.perform { _ = $0.country("IR") }
    do {
      try await scratch.save(to: .store)
      Issue.record("the save went through")
    } catch let error as AncestorSaveError {
      #expect(error.level == 2)
      #expect(error.contextName == "root")
    }
    #expect(scratch.hasChanges && !container.viewContext.hasChanges)
  }

  @Test func `passes through the view context from a child elsewhere`() async throws {
    let container = try geography()
    container.viewContext.name = "view"
    container.viewContext.city("V")
    let child = ContextQueue(parent: container.viewContext.layer)
    try await child.perform { _ = $0.city("A") }
    try await Task.detached { try await child.save(to: .store) }.value
    #expect(try stored(in: container) == ["A", "V"])
    #expect(!container.viewContext.hasChanges)
    #expect(try container.viewContext.cityNames() == ["A", "V"])
  }
}
