// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataPrimitives
import Testing

/// An executor that knows whose job it runs.
private final class Recorder: SerialExecutor {
  private let jobs = DispatchQueue(label: "TaskIdentityTests")
  /// The task of the job that runs.
  let running = CountedMutex<TaskIdentity?>(nil)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.async { [self] in
      running.withLock { $0 = TaskIdentity(of: job) }
      job.runSynchronously(on: asUnownedSerialExecutor())
      running.withLock { $0 = nil }
    }
  }
}

private actor Clerk {
  let recorder = Recorder()

  nonisolated var unownedExecutor: UnownedSerialExecutor { recorder.asUnownedSerialExecutor() }

  /// Whether the running job and the current task are one, here and in each section after a wait.
  func isKnown() async -> Bool {
    var isKnown = isKnownHere
    for _ in 0..<10 {
      await Task.yield()
      isKnown = isKnown && isKnownHere
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume() }
      }
      isKnown = isKnown && isKnownHere
    }
    return isKnown
  }

  private var isKnownHere: Bool {
    recorder.running.withLock { $0 } == TaskIdentity.current && TaskIdentity.current != nil
  }
}

// The contexts of actors depend on it: see `ContextSection` in Strata.
@Suite struct `The identity of a task` {
  private let clerk = Clerk()

  @Test func `is that of the jobs that run it`() async {
    #expect(await clerk.isKnown())
  }

  @Test func `is that of the jobs that run it, for tasks of each kind`() async {
    let clerk = clerk
    for _ in 0..<100 {
      #expect(await Task.detached { await clerk.isKnown() }.value)
      async let isChildKnown = clerk.isKnown()
      #expect(await isChildKnown)
      let isEachKnown = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<4 { group.addTask { await clerk.isKnown() } }
        return await group.reduce(true) { $0 && $1 }
      }
      #expect(isEachKnown)
    }
  }

  @Test func `is that of the jobs that run it, for a task whose priority is raised`() async {
    let clerk = clerk
    for _ in 0..<100 {
      let low = Task(priority: .background) { await clerk.isKnown() }
      #expect(await Task(priority: .high) { await low.value }.value)
    }
  }

  @Test func `is that of the jobs that run it, for a task that was cancelled`() async {
    let clerk = clerk
    let task = Task { await clerk.isKnown() }
    task.cancel()
    #expect(await task.value)
  }

  @Test @MainActor func `is that of the jobs that run it, from the main actor`() async {
    #expect(await clerk.isKnown())
  }

  @Test func `differs from that of a task that runs at the same time`() async {
    let mine = TaskIdentity.current
    async let other = TaskIdentity.current
    #expect(await other != mine)
    #expect(mine != nil && TaskIdentity.current == mine)
  }

  @Test func `is none outside of tasks`() async {
    let identity = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: TaskIdentity.current) }
    }
    #expect(identity == nil)
  }
}
