// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Strata
import Synchronization
import Testing

/// An executor that can be late: from `hold` on it runs nothing before it is let go.
private final class LateExecutor: TaskExecutor {
  private struct State {
    var held: [UnownedJob] = []
    var isLate = false
  }

  private let state = Mutex(State())
  private let runner = DispatchQueue(label: "LateExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let runsNow = state.withLock { state in
      if state.isLate { state.held.append(job) }
      return !state.isLate
    }
    if runsNow { run(job) }
  }

  var holdsJob: Bool { state.withLock { !$0.held.isEmpty } }

  func hold() { state.withLock { $0.isLate = true } }

  /// Runs the held code, up to its next suspension, before it returns.
  func letGo() {
    let held = state.withLock { state in
      state.isLate = false
      return state.held
    }
    for job in held { run(job) }
    runner.sync {}
  }

  private func run(_ job: UnownedJob) {
    runner.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

private final class Names: Sendable {
  private let state = Mutex<[String]>([])

  var all: [String] { state.withLock { $0 } }

  func append(_ name: String) { state.withLock { $0.append(name) } }
}

/// A task that has asked for a block from the main actor and gets no thread to run it on.
private struct LateAsker {
  let task: Task<Void, any Error>
  let executor = LateExecutor()

  @MainActor
  init(_ name: String, in queue: ContextQueue, to names: Names) async {
    task = Task(executorPreference: executor) { [executor] in
      try await Self.ask(name, in: queue, to: names, executor)
    }
    while !executor.holdsJob { await Task.yield() }
  }

  @MainActor
  private static func ask(
    _ name: String, in queue: ContextQueue, to names: Names, _ executor: LateExecutor
  ) async throws {
    executor.hold()
    try await queue.perform { _ in names.append(name) }
  }
}

@MainActor @Suite struct `Blocks that the main actor asks for` {
  private let queue: ContextQueue
  private let names = Names()

  init() throws { queue = try geography().newBackgroundContext() }

  @Test func `run in the order of asking, whichever of their tasks gets a thread first`()
    async throws
  {
    let first = await LateAsker("first", in: queue, to: names)
    let second = await LateAsker("second", in: queue, to: names)
    let third = await LateAsker("third", in: queue, to: names)
    for asker in [third, second, first] { asker.executor.letGo() }
    for asker in [third, second, first] { try await asker.task.value }
    #expect(names.all == ["first", "second", "third"])
  }

  @Test func `are overtaken by a thread that waits, before they have begun`() async throws {
    let asker = await LateAsker("task", in: queue, to: names)
    try elsewhere { [queue, names] in try queue.performAndWait { _ in names.append("thread") } }
    asker.executor.letGo()
    try await asker.task.value
    #expect(names.all == ["thread", "task"])
  }

  @Test func `let the next one pass if their task is cancelled before its turn`() async throws {
    let cancelled = await LateAsker("cancelled", in: queue, to: names)
    let next = await LateAsker("next", in: queue, to: names)
    cancelled.task.cancel()
    next.executor.letGo()
    cancelled.executor.letGo()
    await #expect(throws: CancellationError.self) { try await cancelled.task.value }
    try await next.task.value
    #expect(names.all == ["next"])
  }
}
