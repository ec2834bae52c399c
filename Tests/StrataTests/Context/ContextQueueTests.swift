// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `A context queue` {
  @Test func `runs its blocks one after the other`() async throws {
    let container = try geography()
    let inside = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          try await container.root.perform { context in
            let count = inside.change(by: 1)
            #expect(count == 1)
            context.city("\(index)")
            inside.change(by: -1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await container.root.perform { try $0.count(City.all) } == 200)
  }

  @Test func `runs a block on the thread that waits for it`() throws {
    let container = try geography()
    let runner = try container.root.performAndWait { _ in ObjectIdentifier(Thread.current) }
    #expect(runner == ObjectIdentifier(Thread.current))
  }

  @Test func `runs a nested performAndWait at once, in the same turn`() async throws {
    let container = try geography()
    let root = container.root
    let count = try await root.perform { context in
      context.city("A")
      return try root.performAndWait { try $0.count(City.all) }
    }
    #expect(count == 1)
  }

  @Test func `is entered from its child and its child from it, within one thread`() async throws {
    let container = try geography()
    let root = container.root
    let worker = container.newBackgroundContext()
    let names = try await worker.perform { context in
      context.city("W")
      try context.save()
      return try root.performAndWait { context in
        context.city("R")
        return try worker.performAndWait { context in
          context.city("W2")
          return try root.performAndWait { try $0.cityNames() } + context.cityNames()
        }
      }
    }
    #expect(names == ["R", "W", "R", "W", "W2"])
  }

  @Test func `is integrated a child's save at once in the turn that the child runs inside`()
    async throws
  {
    let container = try geography()
    let root = container.root
    let worker = container.newBackgroundContext()
    try await root.perform { context in
      context.city("R")
      try worker.performAndWait { child in
        #expect(try child.cityNames() == ["R"])
        child.city("W")
        try child.save()
      }
      #expect(try context.cityNames() == ["R", "W"])
      #expect(context.insertedObjects.count == 2)
    }
  }

  @Test func `refuses a wait that would never end`() async throws {
    let container = try geography()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let bothInside = Barrier(count: 2)
    let refused = Counter()
    func cross(_ first: ContextQueue, _ second: ContextQueue) -> Thread {
      let thread = Thread {
        do {
          try first.performAndWait { _ in
            bothInside.wait()
            try second.performAndWait { _ in }
          }
        } catch ContextError.wouldDeadlock {
          refused.change(by: 1)
        } catch {
          Issue.record(error)
        }
        bothInside.finish()
      }
      thread.start()
      return thread
    }
    let threads = [cross(one, other), cross(other, one)]
    await bothInside.finished()
    withExtendedLifetime(threads) {}
    #expect(refused.value == 1)
  }

  @Test func `does not begin a block of a cancelled task`() async throws {
    let container = try geography()
    let ran = Counter()
    let task = Task {
      try await Task.sleep(for: .seconds(60))
    }
    task.cancel()
    let cancelled = Task {
      _ = try? await task.value
      withUnsafeCurrentTask { $0?.cancel() }
      try await container.root.perform { _ in ran.change(by: 1) }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(ran.value == 0)
    try await container.root.perform { _ = $0.city("The queue goes on") }
  }

  @Test func `keeps the edits of a block that throws`() async throws {
    struct Oops: Error {}
    let container = try geography()
    await #expect(throws: Oops.self) {
      try await container.root.perform { context in
        context.city("A")
        throw Oops()
      }
    }
    #expect(try await container.root.perform { try $0.cityNames() } == ["A"])
  }

  @Test func `never shows half of a turn to another`() async throws {
    let container = try geography()
    let root = container.root
    try await root.perform { context in
      context.city("A", population: 0)
      context.city("B", population: 0)
    }
    let reader = container.newBackgroundContext()
    async let writing: Void = {
      for round in 1...300 {
        try await root.perform { context in
          for city in try context.fetch(City.all) { city.population = round }
        }
      }
    }()
    for _ in 0..<300 {
      let populations = try await reader.perform { context in
        defer { context.reset() }
        return try context.fetch(City.all).map(\.population)
      }
      #expect(Set(populations).count == 1)
    }
    try await writing
  }

  @Test func `is read past while it is busy`() async throws {
    let container = try geography()
    let root = container.root
    try await root.perform { _ = $0.city("A") }
    let entered = Barrier(count: 2)
    let leave = DispatchSemaphore(value: 0)
    let thread = Thread {
      try? root.performAndWait { _ in
        entered.wait()
        leave.wait()
      }
      entered.finish()
      entered.finish()
    }
    thread.start()
    let worker = container.newBackgroundContext()
    try await onOwnThread { entered.wait() }
    try await worker.perform { context in
      #expect(try context.cityNames() == ["A"])
      context.city("B")
      try context.save()
      #expect(try context.cityNames() == ["A", "B"])
    }
    leave.signal()
    await entered.finished()
    #expect(try await root.perform { try $0.cityNames() } == ["A", "B"])
  }
}

/// A number that any thread may change.
private final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  @discardableResult
  func change(by amount: Int) -> Int { count.add(amount, ordering: .relaxed).newValue }
}

/// Lets threads meet, and tells a task when they are done.
private final class Barrier: Sendable {
  private struct State {
    var missing: Int
    var unfinished: Int
    var waiters: [DispatchSemaphore] = []
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  init(count: Int) { state = Mutex(State(missing: count, unfinished: count)) }

  func wait() {
    let semaphore = DispatchSemaphore(value: 0)
    let ready: [DispatchSemaphore] = state.withLock { state in
      state.missing -= 1
      state.waiters.append(semaphore)
      guard state.missing == 0 else { return [] }
      return state.waiters
    }
    for waiter in ready { waiter.signal() }
    semaphore.wait()
  }

  func finish() {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.unfinished -= 1
      return state.unfinished == 0 ? state.continuation.take() : nil
    }
    continuation?.resume()
  }

  func finished() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if state.unfinished == 0 { return true }
        state.continuation = continuation
        return false
      }
      if isDone { continuation.resume() }
    }
  }
}
