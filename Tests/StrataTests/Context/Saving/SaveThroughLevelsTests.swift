// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

@Entity private final class Counter: ManagedObject {
  var number: Int = 0
  @Attribute(.merges(.sum)) var sum: Int = 0
  /// At most the number.
  var least: Int = 0

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if least > number { throw Reversed() }
  }

  struct Reversed: Error {}
}

/// A container with one counter.
private struct Counters {
  let container: PersistentContainer
  let id: ObjectID

  init() throws {
    container = try PersistentContainer(inMemory: ManagedObjectModel(Counter.self))
    id = try container.root.performAndWait { context in
      let counter = Counter(context: context)
      counter.number = 5
      try context.save()
      return counter.objectID
    }
  }

  func edit(in queue: ContextQueue, _ edit: @Sendable (Counter) -> Void) async throws {
    try await queue.perform { [id] in edit(try $0.existingObject(Counter.self, with: id)) }
  }

  func read<T: Sendable>(
    in queue: ContextQueue, _ property: @Sendable (Counter) -> T
  ) async throws -> T {
    try await queue.perform { [id] in property(try $0.existingObject(Counter.self, with: id)) }
  }

  var stored: (number: Int, sum: Int) {
    get async throws {
      try await read(in: ContextQueue(parent: container.coordinator)) { ($0.number, $0.sum) }
    }
  }
}

/// Where the workers of a store are.
private enum Station: CaseIterable {
  case container, coordinator, childOfWorker, childOfView

  func queue(_ container: PersistentContainer) async -> ContextQueue {
    switch self {
    case .container: container.newBackgroundContext()
    case .coordinator: ContextQueue(parent: container.coordinator)
    case .childOfWorker: ContextQueue(parent: container.newBackgroundContext())
    case .childOfView:
      await MainActor.run { ContextQueue(parent: container.viewContext.layer) }
    }
  }
}

@Suite struct `Workers that add at the same time and save to the store` {
  private static let workerCount = 8
  private static let environment = ProcessInfo.processInfo.environment
  /// `STRATA_ADDITION_RUNS`: how many runs.
  private static let runCount = environment["STRATA_ADDITION_RUNS"].flatMap(Int.init) ?? 1
  /// `STRATA_ADDITIONS`: how often each worker adds.
  private static let additionCount = environment["STRATA_ADDITIONS"].flatMap(Int.init) ?? 25

  /// Has each worker add 1 many times.
  ///
  /// - Parameter add: adds once, and returns whether the store has it.
  /// - Returns: how many additions were acknowledged.
  private func run(
    _ counters: Counters, at station: Station,
    _ add: @escaping @Sendable (ContextQueue) async throws -> Bool
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.workerCount {
        let queue = await station.queue(counters.container)
        group.addTask {
          var count = 0
          for _ in 0..<Self.additionCount where try await add(queue) { count += 1 }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }

  @Test(arguments: Station.allCases)
  private func `lose none and meet no error under the rule sum`(station: Station) async throws {
    for _ in 0..<Self.runCount {
      let counters = try Counters()
      let acknowledged = try await run(counters, at: station) { queue in
        try await counters.edit(in: queue) { $0.sum += 1 }
        try await queue.save(to: .store)
        return true
      }
      #expect(acknowledged == Self.workerCount * Self.additionCount)
      #expect(try await counters.stored.sum == acknowledged)
    }
  }

  @Test(arguments: Station.allCases)
  private func `store what is acknowledged and nothing else`(station: Station) async throws {
    for _ in 0..<Self.runCount {
      let counters = try Counters()
      let acknowledged = try await run(counters, at: station) { queue in
        try await counters.edit(in: queue) { $0.number += 1 }
        do {
          try await queue.save(to: .store)
          return true
        } catch StoreError.conflicts {
          try await queue.perform { $0.rollback() }
          return false
        }
      }
      #expect(try await counters.stored.number == 5 + acknowledged)
    }
  }

  @Test(arguments: Station.allCases)
  private func `lose none if they refresh and add again`(station: Station) async throws {
    for _ in 0..<Self.runCount {
      let counters = try Counters()
      let acknowledged = try await run(counters, at: station) { queue in
        while true {
          do {
            try await counters.edit(in: queue) { $0.number += 1 }
            try await queue.save(to: .store)
            return true
          } catch StoreError.conflicts {
            try await queue.perform { [id = counters.id] context in
              let counter = try context.existingObject(Counter.self, with: id)
              context.refresh(counter, mergeChanges: false)
            }
          }
        }
      }
      #expect(acknowledged == Self.workerCount * Self.additionCount)
      #expect(try await counters.stored.number == 5 + acknowledged)
    }
  }

  /// Half of them save to the store, and the others to the root, which saves from time to time.
  @Test func `leave no conflict to the root if others save to the root beside them`()
    async throws
  {
    for _ in 0..<Self.runCount {
      let counters = try Counters()
      let root = counters.container.root
      let turn = Mutex(0)
      let acknowledged = try await run(counters, at: .container) { queue in
        let number = turn.withLock { turn in
          turn += 1
          return turn
        }
        while true {
          do {
            try await counters.edit(in: queue) { $0.number += 1 }
            try await queue.save(to: number.isMultiple(of: 2) ? .store : .parent)
            break
          } catch StoreError.conflicts {
            try await queue.perform { $0.rollback() }
          }
        }
        if number.isMultiple(of: 7) { try await root.save() }
        return true
      }
      #expect(acknowledged == Self.workerCount * Self.additionCount)
      try await root.save()
      #expect(try await counters.stored.number == 5 + acknowledged)
    }
  }
}

@Suite struct `A save through all levels` {
  private let counters: Counters
  private let middle: ContextQueue
  private let saver: ContextQueue
  private var container: PersistentContainer { counters.container }
  private var root: ContextQueue { container.root }

  init() throws {
    counters = try Counters()
    middle = counters.container.newBackgroundContext()
    saver = ContextQueue(parent: middle)
  }

  /// Has a context keep the counter with its values.
  private func hold(in queue: ContextQueue) async throws {
    try await queue.perform { [id = counters.id] context in
      let counter = try context.existingObject(Counter.self, with: id)
      _ = counter.number
      context.userInfo["held"] = counter
    }
  }

  @Test func `is read by contexts beside the levels that have read before`() async throws {
    let others = [container.newBackgroundContext(), ContextQueue(parent: root)]
    for queue in others { #expect(try await counters.read(in: queue) { $0.number } == 5) }
    try await counters.edit(in: saver) { $0.number = 6 }
    try await saver.save(to: .store)
    for queue in others { #expect(try await counters.read(in: queue) { $0.number } == 6) }
    try await counters.edit(in: others[0]) { $0.number += 1 }
    try await others[0].save(to: .store)
    #expect(try await counters.stored.number == 7)
  }

  @Test(arguments: [false, true])
  func `is shown by held objects of each level that it has gone through`(
    mergesAutomatically: Bool
  ) async throws {
    for queue in [middle, root] {
      try await queue.perform { $0.automaticallyMergesChangesFromParent = mergesAutomatically }
      try await hold(in: queue)
    }
    let logs = [middle, root].map { MessageLog($0.layer) }
    let new = try await saver.perform { [id = counters.id] context in
      try context.existingObject(Counter.self, with: id).number = 6
      return Counter(context: context).objectID
    }
    try await saver.save(to: .store)
    for (queue, log) in zip([middle, root], logs) {
      let number = try await queue.perform { ($0.userInfo["held"] as? Counter)?.number }
      #expect(number == 6)
      #expect(try await queue.perform { $0.hasChanges } == false)
      let changes = log.messages(.objectsDidChange).map(\.objects)
      #expect(changes.contains { $0.inserted.contains(new) })
      #expect(changes.contains { $0.refreshed.contains(counters.id) })
    }
  }

  @Test func `is shown by no ancestor before it is in the store`() async throws {
    try await counters.edit(in: saver) { $0.number = 6 }
    let seen = Mutex<[Int]>([])
    // The last moment before the commit.
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.willSaveNotification, object: root.layer, queue: nil
    ) { [counters, root] _ in
      let child = ContextQueue(parent: root)
      let number = try? child.performAndWait {
        try $0.existingObject(Counter.self, with: counters.id).number
      }
      seen.withLock { $0.append(number ?? 0) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try await root.perform { _ = Counter(context: $0) }
    try await saver.save(to: .store)
    #expect(seen.withLock { $0 } == [5])
    #expect(try await counters.read(in: root) { $0.number } == 6)
  }

  @Test func `is refused if a rule is broken by two levels together, with the saver to blame`()
    async throws
  {
    try await counters.edit(in: middle) { $0.number = 3 }
    try await counters.edit(in: saver) { $0.least = 3 }
    try await counters.edit(in: middle) { $0.number = 2 }
    do {
      try await saver.save(to: .store)
      Issue.record("the save went through")
    } catch ContextError.validationFailed(let failures) {
      #expect(failures.map(\.objectID) == [counters.id])
    }
    for queue in [saver, middle] { #expect(try await queue.perform { $0.hasChanges }) }
    #expect(try await root.perform { $0.hasChanges } == false)
    #expect(try await counters.stored.number == 5)
    try await counters.edit(in: saver) { $0.least = 2 }
    try await saver.save(to: .store)
    #expect(try await counters.stored.number == 2)
  }

  @Test func `in conflict with the store says whose change it is`() async throws {
    try await counters.edit(in: root) { $0.number = 7 }
    try await counters.edit(in: saver) { $0.least = 1 }
    let other = ContextQueue(parent: container.coordinator)
    try await counters.edit(in: other) { $0.number = 8 }
    try await other.save(to: .store)
    do {
      try await saver.save(to: .store)
      Issue.record("the save went through")
    } catch let error as AncestorSaveError {
      #expect(error.level == 2)
    }
    try await root.perform { $0.rollback() }
    try await counters.edit(in: other) { $0.least = 2 }
    try await other.save(to: .store)
    await #expect { try await saver.save(to: .store) } throws: {
      if case StoreError.conflicts = $0 { true } else { false }
    }
  }

  /// Begins the save while the root is busy.
  ///
  /// - Parameter body: called when the middle context has frozen a change of its own.
  private func saveSlowly(_ body: () async throws -> Void) async throws {
    try await counters.edit(in: saver) { $0.number = 6 }
    try await middle.perform { _ = Counter(context: $0) }
    let busy = HeldThread { [root] thread in
      try root.performAndWait { _ in thread.hold() }
    }
    busy.untilHeld()
    let isMiddleSaving = Mutex(false)
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.willSaveNotification, object: middle.layer, queue: nil
    ) { _ in isMiddleSaving.withLock { $0 = true } }
    defer { NotificationCenter.default.removeObserver(observer) }
    let save = Task { [saver] in try await saver.save(to: .store) }
    while !isMiddleSaving.withLock({ $0 }) { await Task.yield() }
    try await body()
    busy.letGo()
    try await save.value
    try busy.finish()
    #expect(try await counters.stored.number == 6)
  }

  @Test func `is begun again if a level saves by itself in between`() async throws {
    // It does not wait for the root.
    try await saveSlowly { try await middle.perform { try $0.save() } }
    let count = try await ContextQueue(parent: container.coordinator).perform {
      try $0.count(Counter.all)
    }
    #expect(count == 2)
    for queue in [saver, middle, root] {
      #expect(try await queue.perform { $0.hasChanges } == false)
    }
  }

  @Test func `is a conflict with an edit that a level makes in between`() async throws {
    try await saveSlowly { try await counters.edit(in: middle) { $0.number = 8 } }
    #expect(try await counters.read(in: middle) { $0.number } == 8)
    await #expect { try await middle.save(to: .store) } throws: {
      if case StoreError.conflicts = $0 { true } else { false }
    }
    #expect(try await counters.stored.number == 6)
  }

  @Test func `can be undone in the context that saved, and saved again`() async throws {
    try await saver.perform { $0.undoManager = ManagedObjectContext.UndoManager() }
    try await counters.edit(in: middle) { $0.least = 1 }
    try await counters.edit(in: saver) { $0.number = 6 }
    try await saver.save(to: .store)
    try await saver.perform { $0.undo() }
    #expect(try await counters.read(in: saver) { $0.number } == 5)
    #expect(try await counters.read(in: middle) { $0.number } == 6)
    try await saver.save(to: .store)
    #expect(try await counters.read(in: middle) { "\($0.number) \($0.least)" } == "5 1")
    #expect(try await counters.stored.number == 5)
  }

  @Test func `refused by rules on several levels together leaves the topmost changes unsaved`()
    async throws
  {
    try await counters.edit(in: saver) { $0.number = 3 }
    try await counters.edit(in: root) { $0.least = 4 }
    await #expect(throws: (any Error).self) { try await saver.save(to: .store) }
    let isFrozen = root.layer.current.published.segments.contains { $0.isFrozen }
    #expect(!isFrozen)
    try await root.perform { $0.rollback() }
    try await saver.save(to: .store)
    #expect(try await counters.stored.number == 3)
  }

  @Test(arguments: [0, 1, 2])
  func `moves the pins of all levels that it goes through`(pinnedLevel: Int) async throws {
    let queue = [saver, middle, root][pinnedLevel]
    try await queue.perform { try $0.setQueryGeneration(from: .current) }
    try await counters.edit(in: saver) { $0.number = 6 }
    try await saver.save(to: .store)
    for queue in [saver, middle, root] {
      #expect(try await counters.read(in: queue) { $0.number } == 6)
    }
    try await counters.edit(in: saver) { $0.number = 5 }
    try await saver.save(to: .store)
    #expect(try await counters.stored.number == 5)
  }

  @Test func `shows an object again that had come and gone in a level`() async throws {
    let id = try await middle.perform { context in
      let counter = Counter(context: context)
      context.processPendingChanges()
      return counter.objectID
    }
    try await saver.perform { context in
      context.mergePolicy = .overwrite
      try context.existingObject(Counter.self, with: id).number = 7
    }
    try await middle.perform { $0.delete(try $0.existingObject(Counter.self, with: id)) }
    try await saver.save(to: .store)
    for queue in [saver, middle, root] {
      let number = try await queue.perform { try $0.existingObject(Counter.self, with: id).number }
      #expect(number == 7)
    }
  }

  @Test func `names the ancestor whose object others have changed in other properties`()
    async throws
  {
    try await counters.edit(in: root) { $0.number = 7 }
    try await saver.perform { _ = Counter(context: $0) }
    let other = ContextQueue(parent: container.coordinator)
    try await counters.edit(in: other) { $0.least = 1 }
    try await other.save(to: .store)
    await #expect { try await saver.save(to: .store) } throws: {
      ($0 as? AncestorSaveError)?.level == 2
    }
  }

  #if DEBUG
    @Test func `shows an edit that an ancestor has made on its way, in all contexts below`()
      async throws
    {
      let below = [middle, saver, ContextQueue(parent: saver)]
      try await counters.edit(in: saver) { $0.number = 6 }
      let gate = WriterGate(container)
      let save = await gate.begin(Task { [saver] in try await saver.save(to: .store) })
      try await counters.edit(in: root) { $0.number = 9 }
      for (queue, number) in zip(below, [9, 6, 6]) {
        #expect(try await counters.read(in: queue) { $0.number } == number)
      }
      gate.open()
      try await save.value
      for queue in below { #expect(try await counters.read(in: queue) { $0.number } == 9) }
    }

    @Test(arguments: [false, true])
    func `on its way to the disk makes a push of the same object wait, and then be a conflict`(
      isOfSameProperty: Bool
    ) async throws {
      let worker = container.newBackgroundContext()
      try await counters.edit(in: saver) { $0.number = 6 }
      try await counters.edit(in: worker) { counter in
        if isOfSameProperty { counter.number = 7 } else { counter.least = 1 }
      }
      let gate = WriterGate(container)
      let save = await gate.begin(Task { [saver] in try await saver.save(to: .store) })
      let push = HeldThread { thread in
        thread.hold()
        try worker.performAndWait { try $0.save() }
      }
      push.untilHeld()
      push.letGo()
      gate.open()
      try await save.value
      if isOfSameProperty {
        #expect { try push.finish() } throws: {
          if case StoreError.conflicts = $0 { true } else { false }
        }
        try await worker.perform { $0.rollback() }
        try await counters.edit(in: worker) { $0.number += 1 }
        try await worker.save()
      } else {
        try push.finish()
      }
      try await root.save()
      let stored = try await counters.read(in: ContextQueue(parent: container.coordinator)) {
        "\($0.number) \($0.least)"
      }
      #expect(stored == (isOfSameProperty ? "7 0" : "6 1"))
    }
  #endif

  @Test func `keeps no level alive`() async throws {
    weak var layer: ContextLayer?
    do {
      let worker = container.newBackgroundContext()
      let saver = ContextQueue(parent: worker)
      try await counters.edit(in: worker) { $0.least = 1 }
      try await counters.edit(in: saver) { $0.number = 6 }
      try await saver.save(to: .store)
      layer = worker.layer
    }
    #expect(layer == nil)
  }

  @Test func `waits for another one through the same levels`() async throws {
    try await middle.perform { _ = Counter(context: $0) }
    let savers = (0..<16).map { _ in ContextQueue(parent: middle) }
    for saver in savers {
      try await counters.edit(in: saver) { $0.sum += 1 }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for saver in savers { group.addTask { try await saver.save(to: .store) } }
      try await group.waitForAll()
    }
    #expect(try await counters.stored.sum == 16)
  }
}
