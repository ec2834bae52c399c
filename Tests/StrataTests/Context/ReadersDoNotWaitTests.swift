// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

/// A root, two children, a grandchild, and another topmost context; a city and a country in the
/// store, and a city pending in each context.
private struct Tree {
  let container: PersistentContainer
  let contexts: [ContextQueue]
  let stored: ObjectID

  init() throws {
    container = try geography()
    let root = container.root
    let child = ContextQueue(parent: root)
    contexts = [
      root, child, ContextQueue(parent: root), ContextQueue(parent: child),
      ContextQueue(parent: container.coordinator),
    ]
    stored = try root.performAndWait { context in
      let city = context.city("stored", in: context.country("X"))
      try context.save()
      return city.objectID
    }
    for (index, queue) in contexts.enumerated() {
      try queue.performAndWait { _ = $0.city("pending \(index)") }
    }
  }

  /// Fires a fault, walks a relationship, fetches and counts in `queue`, on a thread of its own.
  func read(in queue: ContextQueue) throws {
    let stored = stored
    try elsewhere {
      try queue.performAndWait { context in
        let city = try context.object(City.self, with: stored)
        #expect(city.name == "stored")
        #expect(city.country?.cities.count == 1)
        let names = try context.cityNames()
        #expect(names.contains("stored"))
        let count = try context.count(City.where { $0.population == 0 })
        #expect(count == names.count)
      }
    }
  }
}

@Suite struct `A fetch or a fault` {
  @Test func `finishes while every other context sits in a long perform`() throws {
    let tree = try Tree()
    for reader in tree.contexts {
      let others = tree.contexts.filter { $0 !== reader }.map { queue in
        HeldThread { thread in
          try queue.performAndWait { context in
            context.city("not yet")
            _ = try context.count(City.all)
            thread.hold()
            context.rollback()
          }
        }
      }
      for other in others { other.untilHeld() }
      try tree.read(in: reader)
      for other in others { other.letGo() }
      for other in others { try other.finish() }
    }
  }

  #if DEBUG
    /// Holds the store's writer before its commit.
    private final class HeldWriter: Sendable {
      private let stopObserving: @Sendable () -> Void
      private let isReached = DispatchSemaphore(value: 0)
      private let mayGoOn = DispatchSemaphore(value: 0)

      init(_ container: PersistentContainer) {
        let coordinator = container.coordinator
        stopObserving = { PausePoint.observe(coordinator.schema, nil) }
        PausePoint.observe(coordinator.schema) { [weak self] point in
          guard point == .tagged, let self else { return }
          isReached.signal()
          mayGoOn.wait()
        }
      }

      func untilReached() { isReached.wait() }

      func letGo() {
        stopObserving()
        mayGoOn.signal()
      }
    }

    @Test func `finishes while the root sits in a durable save, and so does a save to a parent`()
      throws
    {
      let tree = try Tree()
      let writer = HeldWriter(tree.container)
      defer { writer.letGo() }
      let saving = HeldThread { _ in
        try tree.contexts[0].performAndWait { try $0.save() }
      }
      writer.untilReached()
      for reader in tree.contexts[1...] { try tree.read(in: reader) }
      for queue in [tree.contexts[3], tree.contexts[1], tree.contexts[2]] {
        try elsewhere { try queue.performAndWait { try $0.save() } }
      }
      for reader in tree.contexts[1...] { try tree.read(in: reader) }
      writer.letGo()
      try saving.finish()
      #expect(try tree.contexts[0].performAndWait { try $0.count(City.all) } == 5)
    }

    @Test
    func `finishes in a root whose queue is saved: that gives the queue up while the disk works`()
      async throws
    {
      let tree = try Tree()
      let writer = HeldWriter(tree.container)
      defer { writer.letGo() }
      let root = tree.contexts[0]
      let saving = Task { try await root.save() }
      try await onOwnThread { writer.untilReached() }
      for reader in tree.contexts { try tree.read(in: reader) }
      try elsewhere { try root.performAndWait { _ = $0.city("meanwhile") } }
      writer.letGo()
      try await saving.value
      let (count, hasChanges) = try await root.perform { context in
        (try context.count(City.all), context.hasChanges)
      }
      #expect(count == 3)
      #expect(hasChanges, "what was inserted meanwhile is not saved yet")
      let other = ContextQueue(parent: tree.container.coordinator)
      #expect(try await other.perform { try $0.cityNames() } == ["pending 0", "stored"])
    }
  #endif
}

@Suite struct `A save into a busy parent` {
  @Test func `returns at once and is integrated after the parent's turn`() throws {
    let container = try geography()
    let (root, worker) = (container.root, container.newBackgroundContext())
    let id = try root.performAndWait { $0.city("A", population: 0).objectID }
    let turn = HeldThread { thread in
      try root.performAndWait { context in
        let city = try context.existingObject(City.self, with: id)
        city.population = 1
        thread.hold()
        #expect(city.population == 1, "the push waits for the end of the turn")
        #expect(try context.count(City.all) == 1)
        city.name = "root's"
      }
    }
    turn.untilHeld()
    try elsewhere {
      try worker.performAndWait { context in
        try context.existingObject(City.self, with: id).population = 2
        context.city("B")
        try context.save()
        #expect(!context.hasChanges)
      }
    }
    // Others see it already.
    let reader = container.newBackgroundContext()
    #expect(try elsewhere { try reader.performAndWait { try $0.cityNames() } } == ["A", "B"])
    turn.letGo()
    try turn.finish()
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      #expect(city.population == 2, "it came later than the turn's own")
      #expect(city.name == "root's")
      #expect(try context.count(City.all) == 2)
    }
  }
}

@Suite struct `Entering several queues` {
  @Test func `nests in any order within one thread`() throws {
    let tree = try Tree()
    let queues = Array(tree.contexts[...3])
    for order in permutations(of: [0, 1, 2, 3]) {
      let entered = try elsewhere {
        @Sendable func enter(_ rest: ArraySlice<Int>) throws -> Int {
          guard let first = rest.first else {
            // All are entered: each once more, the outermost first.
            return try order.reduce(0) { sum, index in
              try sum + queues[index].performAndWait { try $0.count(City.all) }
            }
          }
          return try queues[first].performAndWait { _ in try enter(rest.dropFirst()) }
        }
        return try enter(order[...])
      }
      // The root has its own and the stored one, the children one more, the grandchild two.
      #expect(entered == 2 + 3 + 3 + 4)
    }
  }

  private func permutations(of values: [Int]) -> [[Int]] {
    if values.isEmpty { return [[]] }
    return values.flatMap { value in
      permutations(of: values.filter { $0 != value }).map { [value] + $0 }
    }
  }

  @Test(arguments: 2...4)
  func `in a circle of threads is refused to one, and the others get on`(count: Int) throws {
    let container = try geography()
    let queues = (0..<count).map { _ in container.newBackgroundContext() }
    let refusals = Mutex(0)
    let threads = (0..<count).map { index in
      HeldThread { thread in
        do {
          try queues[index].performAndWait { _ in
            thread.hold()
            try queues[(index + 1) % count].performAndWait { _ = $0.city("inner") }
          }
        } catch ContextError.wouldDeadlock {
          refusals.withLock { $0 += 1 }
        }
      }
    }
    for thread in threads { thread.untilHeld() }
    for thread in threads { thread.letGo() }
    for thread in threads { try thread.finish() }
    #expect(refusals.withLock { $0 } == 1)
    for queue in queues { try elsewhere { try queue.performAndWait { _ in } } }
  }

  @Test func `in a circle through parent and child is refused as well`() throws {
    let container = try geography()
    let (root, child) = (container.root, container.newBackgroundContext())
    let refusals = Mutex(0)
    let threads = [(root, child), (child, root)].map { first, second in
      HeldThread { thread in
        do {
          try first.performAndWait { context in
            context.city("outer")
            thread.hold()
            try second.performAndWait { _ in }
          }
        } catch ContextError.wouldDeadlock {
          refusals.withLock { $0 += 1 }
        }
      }
    }
    for thread in threads { thread.untilHeld() }
    for thread in threads { thread.letGo() }
    for thread in threads { try thread.finish() }
    #expect(refusals.withLock { $0 } == 1)
    // Earlier changes of the refused body are pending, as after any error.
    #expect(try root.performAndWait { $0.hasChanges })
    #expect(try child.performAndWait { $0.hasChanges })
  }

  @Test
  func `is left by a task that is cancelled while it waits, before its body begins`() async throws {
    let container = try geography()
    let root = container.root
    let busy = HeldThread { thread in try root.performAndWait { _ in thread.hold() } }
    busy.untilHeld()
    let hasBegun = Atomic(false)
    let isWaiting = Atomic(false)
    let waiting = Task {
      isWaiting.store(true, ordering: .relaxed)
      try await root.perform { _ in hasBegun.store(true, ordering: .relaxed) }
    }
    while !isWaiting.load(ordering: .relaxed) { await Task.yield() }
    waiting.cancel()
    busy.letGo()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let bodyHasRun = hasBegun.load(ordering: .relaxed)
    #expect(!bodyHasRun)
    try busy.finish()
    try await root.perform { _ = $0.city("The queue goes on") }
  }
}

@Suite struct `Half of a turn` {
  /// Sets one of two cities, and reads, so that the edits are encoded; then the other.
  private func turn(
    in queue: ContextQueue, _ ids: [ObjectID], throwing error: (any Error)? = nil
  ) -> HeldThread<Void> {
    HeldThread { thread in
      try queue.performAndWait { context in
        for id in ids {
          try context.existingObject(City.self, with: id).population = 1
          _ = try context.count(City.where { $0.population == 1 })
          thread.hold()
        }
        if let error { throw error }
      }
    }
  }

  private func populations(_ queue: ContextQueue, _ ids: [ObjectID]) throws -> [Int] {
    try elsewhere {
      try queue.performAndWait { context in
        context.reset()
        return try ids.map { try context.existingObject(City.self, with: $0).population }
      }
    }
  }

  @Test(arguments: [false, true])
  func `is never visible to another isolation, also if the body throws`(isThrowing: Bool) throws {
    struct Oops: Error {}
    let container = try geography()
    let worker = container.newBackgroundContext()
    let readers = [
      ContextQueue(parent: worker), ContextQueue(parent: ContextQueue(parent: worker)),
    ]
    let ids = try worker.performAndWait { context in
      ["A", "B"].map { context.city($0).objectID }
    }
    let turn = turn(in: worker, ids, throwing: isThrowing ? Oops() : nil)
    for _ in 0..<2 {
      turn.untilHeld()
      for reader in readers { #expect(try populations(reader, ids) == [0, 0]) }
      turn.letGo()
    }
    if isThrowing {
      #expect(throws: Oops.self) { try turn.finish() }
    } else {
      try turn.finish()
    }
    for reader in readers { #expect(try populations(reader, ids) == [1, 1]) }
  }

  @MainActor
  @Test func `of the main actor is not visible before one of its ends`() throws {
    let container = try geography()
    let view = container.viewContext
    let child = ContextQueue(parent: view.layer)
    let published: @Sendable () throws -> [String] = {
      try elsewhere { try child.performAndWait { try $0.cityNames() } }
    }
    view.city("A")
    #expect(try view.cityNames() == ["A"])
    #expect(try published() == [])
    view.processPendingChanges()
    #expect(try published() == ["A"])
    view.city("B")
    #expect(try published() == ["A"])
    try view.save()
    #expect(try published() == ["A", "B"])
    view.city("C")
    #expect(try published() == ["A", "B"])
    // Entering any queue ends it: the body must see its changes.
    #expect(try child.performAndWait { try $0.cityNames() } == ["A", "B", "C"])
  }

  @Test func `of a confined context is not visible before a fetch, its processing or a save`()
    throws
  {
    let container = try geography()
    let confined = ManagedObjectContext(parent: container.root)
    let child = ContextQueue(parent: confined.layer)
    let published: () throws -> [String] = {
      try elsewhere { try child.performAndWait { try $0.cityNames() } }
    }
    confined.city("A")
    #expect(try published() == [])
    confined.processPendingChanges()
    #expect(try published() == ["A"])
    confined.city("B")
    _ = try confined.cityNames()
    #expect(try published() == ["A", "B"])
    confined.city("C")
    try confined.save()
    #expect(try published() == ["A", "B", "C"])
  }
}
