// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Observation
import Strata
import StrataChanges
import StrataTestSupport
import Synchronization
import Testing

/// How many calls of an actor a test makes.
private let callCount =
  ProcessInfo.processInfo.environment["STRATA_ACTOR_CALLS"].flatMap(Int.init) ?? 2_000

/// An actor that counts in a city of its context.
private actor Counter: ContextActor {
  let executor: ContextExecutor
  private var city: City?

  init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

  func insert() -> ObjectID {
    let city = context.city("A")
    self.city = city
    return city.objectID
  }

  func hold(_ id: ObjectID) throws { city = try context.existingObject(City.self, with: id) }

  func set(_ number: Int) { city?.population = number }

  /// Sets the number, and reads it in a child, where the section has ended.
  func set(_ number: Int, readingIn child: ContextQueue) async throws -> Int {
    city?.population = number
    return try await child.number()
  }

  /// Sets two numbers in two sections, and calls `body` between them.
  func set(_ first: Int, _ second: Int, between body: @Sendable () async throws -> Void)
    async throws
  {
    city?.population = first
    try await body()
    city?.population = second
  }

  func number() throws -> Int { try context.number() }

  /// - Returns: the number afterwards.
  func increment() -> Int {
    city?.population += 1
    return city?.population ?? -1
  }

  func fail(with number: Int) throws {
    city?.population = number
    throw CancellationError()
  }

  /// Calls `heard` at the next change of the city's name.
  func observeName(_ heard: @escaping @Sendable () -> Void) {
    context.tracksObservation = true
    withObservationTracking {
      _ = city?.name
    } onChange: {
      heard()
    }
  }
}

/// An actor that is given the executor of another one.
private actor Companion: ContextActor {
  let executor: ContextExecutor

  init(of counter: Counter) { executor = counter.executor }

  func set(_ number: Int) throws {
    try context.fetch(City.all).first?.population = number
  }
}

/// An actor that inserts a city when it is released.
private actor Leaver: ContextActor {
  let executor: ContextExecutor

  init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

  isolated deinit { _ = context.city("Left") }
}

extension ManagedObjectContext {
  /// The population of the only city, from the state now.
  fileprivate func number() throws -> Int {
    try fetch(City.all.select(\.population)).first ?? -1
  }
}

extension ContextQueue {
  fileprivate func number() async throws -> Int { try await perform { try $0.number() } }
}

/// An actor of the ordinary kind, which calls the other one.
private actor Caller {
  func disagreements(of counter: Counter, _ child: ContextQueue) async throws -> Int {
    var count = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try await child.number() != number { count += 1 }
    }
    return count
  }
}

private final class RaisedFlag: Sendable {
  private let value = Atomic(false)
  var isUp: Bool { value.load(ordering: .sequentiallyConsistent) }
  func raise() { value.store(true, ordering: .sequentiallyConsistent) }
}

/// Holds an object of a queue's context.
// Safety: reached only in the queue's blocks.
private final class HeldCity: @unchecked Sendable {
  var city: City?
}

@Suite struct `After a call of an actor with a context` {
  private let container: PersistentContainer
  private let counter: Counter
  private let child: ContextQueue
  private let id: ObjectID

  init() async throws {
    container = try geography()
    counter = Counter(parent: container.root)
    child = ContextQueue(parent: counter.executor)
    id = await counter.insert()
    // The call returns before its section has ended, and a test may wait for another one's end.
    await counter.executor.waitUntilPublished()
  }

  @Test func `its children show what it did, to the caller`() async throws {
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try await child.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what it did, from inside of its next section`() async throws {
    var disagreements = 0
    for number in 0..<callCount where try await counter.set(number, readingIn: child) != number {
      disagreements += 1
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what it did, to an actor that called it`() async throws {
    #expect(try await Caller().disagreements(of: counter, child) == 0)
  }

  @MainActor
  @Test func `its children show what it did, to the main actor`() async throws {
    let confined = ManagedObjectContext(parent: counter.executor)
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try confined.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `its descendants show what it did, to the caller`() async throws {
    let below = ContextQueue(parent: child)
    let actorBelow = Counter(parent: below)
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try await actorBelow.number() != number { disagreements += 1 }
      if try below.performAndWait({ try $0.number() }) != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `a child's pin has what it did`() async throws {
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      let shown = try await child.perform { context in
        try context.setQueryGeneration(from: .current)
        defer { try? context.setQueryGeneration(from: nil) }
        return try context.number()
      }
      if shown != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `another task sees what it did when it has waited for the publication`() async throws {
    var disagreements = 0
    for number in 0..<callCount {
      async let isSet: Void = counter.set(number)
      await isSet
      await counter.executor.waitUntilPublished()
      if try await child.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `the wait for the publication ends the section in the actor's own code`() async throws
  {
    let (executor, child) = (counter.executor, child)
    try await counter.set(1, 2) {
      await executor.waitUntilPublished()
      let number = try child.performAndWait { try $0.number() }
      #expect(number == 1)
    }
    #expect(try await child.number() == 2)
  }

  @Test func `an observer may enter the queue in which the caller reads`() async throws {
    let child = child
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.objectsDidChangeNotification, object: counter.executor.layer,
      queue: nil
    ) { _ in try? child.performAndWait { _ = try $0.number() } }
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try await child.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
    NotificationCenter.default.removeObserver(observer)
  }

  // MARK: - Variations

  @Test func `its children show at least what it did, to each of many tasks`() async throws {
    let (counter, child) = (counter, child)
    let disagreements = try await withThrowingTaskGroup(of: Int.self, returning: Int.self) {
      group in
      for _ in 0..<4 {
        group.addTask {
          var count = 0
          for _ in 0..<callCount / 4 {
            let number = await counter.increment()
            if try await child.number() < number { count += 1 }
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what it did, to tasks of each kind`() async throws {
    let (counter, child) = (counter, child)
    let disagreement: @Sendable (Int) async throws -> Int = { number in
      await counter.set(number)
      return try await child.number() == number ? 0 : 1
    }
    var disagreements = 0
    for number in 0..<callCount / 4 {
      async let first = disagreement(4 * number)
      disagreements += try await first
      disagreements += try await Task.detached { try await disagreement(4 * number + 1) }.value
      disagreements += try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await disagreement(4 * number + 2) }
        return try await group.reduce(0, +)
      }
      let cancelled = Task {
        await counter.set(4 * number + 3)
        return try child.performAndWait { try $0.number() } == 4 * number + 3 ? 0 : 1
      }
      cancelled.cancel()
      disagreements += try await cancelled.value
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what it did, to a task whose priority is raised`() async throws {
    let (counter, child) = (counter, child)
    let low = Task(priority: .background) {
      var disagreements = 0
      for number in 0..<callCount {
        await counter.set(number)
        if try await child.number() != number { disagreements += 1 }
      }
      return disagreements
    }
    #expect(try await Task(priority: .high) { try await low.value }.value == 0)
  }

  @Test func `its children show what it did before it threw`() async throws {
    var disagreements = 0
    for number in 0..<callCount {
      await #expect(throws: CancellationError.self) { try await counter.fail(with: number) }
      if try await child.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what another actor did by the same executor`() async throws {
    let companion = Companion(of: counter)
    var disagreements = 0
    for number in 0..<callCount {
      try await companion.set(number)
      if try await child.number() != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `its children show what it did, inside of its parent's queue`() async throws {
    let (root, child) = (container.root, child)
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      let shown = try root.performAndWait { _ in try child.performAndWait { try $0.number() } }
      if shown != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `an actor below it shows what it did, between its sections`() async throws {
    let below = Counter(parent: counter.executor)
    let belowThat = Counter(parent: below.executor)
    try await below.hold(id)
    let disagreements = RaisedFlag()
    for number in 0..<callCount / 2 {
      try await counter.set(3 * number, 3 * number + 2) {
        if try await belowThat.number() != 3 * number { disagreements.raise() }
        if try await below.number() != 3 * number { disagreements.raise() }
      }
      if try await belowThat.number() != 3 * number + 2 { disagreements.raise() }
    }
    await below.set(-5)
    #expect(try await belowThat.number() == -5)
    #expect(!disagreements.isUp)
  }

  @Test func `an object that a child holds and merges shows what it did`() async throws {
    let held = HeldCity()
    let id = id
    try await child.perform { context in
      context.automaticallyMergesChangesFromParent = true
      held.city = try context.existingObject(City.self, with: id)
      _ = held.city?.population
    }
    var disagreements = 0
    for number in 0..<callCount {
      await counter.set(number)
      if try await child.perform({ _ in held.city?.population }) != number { disagreements += 1 }
    }
    #expect(disagreements == 0)
  }

  @Test func `its isolated deinit is a section`() async throws {
    var leaver: Leaver? = Leaver(parent: container.root)
    let executor = try #require(leaver?.executor)
    let below = ContextQueue(parent: executor)
    leaver = nil
    await executor.waitUntilPublished()
    #expect(try await below.perform { try $0.cityNames() } == ["Left"])
  }

  #if DEBUG
    @Test func `an observer of a property may enter the queue in which the caller reads`()
      async throws
    {
      let (child, id) = (child, id)
      let saver = ContextQueue(parent: counter.executor)
      let (isReading, hasHeard) = (DispatchSemaphore(value: 0), RaisedFlag())
      await counter.observeName {
        _ = try? child.performAndWait { try $0.number() }
        hasHeard.raise()
      }
      await counter.executor.waitUntilPublished()
      let isArmed = Atomic(true)
      PausePoint.observe(container.coordinator.schema) { point in
        guard point == .sectionEnded, isArmed.exchange(false, ordering: .relaxed) else { return }
        // A child's save, which the publication integrates, while the caller waits for that.
        try? elsewhere {
          try saver.performAndWait { context in
            try context.existingObject(City.self, with: id).name = "B"
            try context.save()
          }
        }
        isReading.wait()
        for _ in 0..<1_000 { sched_yield() }
      }
      await counter.set(1)
      let number = try await child.perform { context in
        isReading.signal()
        return try context.number()
      }
      PausePoint.observe(container.coordinator.schema, nil)
      await counter.executor.waitUntilPublished()
      #expect(number == 1 && hasHeard.isUp)
    }

    @Test func `only its caller waits for the publication, however long it takes`() async throws {
      await counter.set(1)
      #expect(try await child.number() == 1)
      let (reached, isReached) = AsyncStream.makeStream(of: Void.self)
      let mayGoOn = DispatchSemaphore(value: 0)
      let isArmed = Atomic(true)
      PausePoint.observe(container.coordinator.schema) { point in
        guard point == .sectionEnded, isArmed.exchange(false, ordering: .relaxed) else { return }
        isReached.yield()
        mayGoOn.wait()
      }
      let (counter, child) = (counter, child)
      let reader = ContextQueue(parent: counter.executor)
      let (hasRead, isLetGo) = (RaisedFlag(), RaisedFlag())
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await counter.set(2)
          let number = try await child.number()
          #expect(number == 2)
          #expect(isLetGo.isUp)
          hasRead.raise()
        }
        for await _ in reached { break }
        // A reader of another task does not wait, and cannot know of the end.
        for _ in 0..<100 {
          let number = try reader.performAndWait { try $0.number() }
          #expect(number == 1)
        }
        #expect(!hasRead.isUp)
        isLetGo.raise()
        mayGoOn.signal()
        try await group.waitForAll()
      }
      PausePoint.observe(container.coordinator.schema, nil)
      #expect(try reader.performAndWait { try $0.number() } == 2)
    }

    @Test func `its caller would read too early without waiting`() async throws {
      let schema = container.coordinator.schema
      PlantedFault.plant(.sectionUnawaited, in: schema)
      let mayGoOn = DispatchSemaphore(value: 0)
      let isArmed = Atomic(true)
      PausePoint.observe(schema) { point in
        guard point == .sectionEnded, isArmed.exchange(false, ordering: .relaxed) else { return }
        mayGoOn.wait()
      }
      await counter.set(2)
      let early = try await child.number()
      mayGoOn.signal()
      PlantedFault.plant(nil, in: schema)
      PausePoint.observe(schema, nil)
      #expect(early == 0)
    }
  #endif
}
