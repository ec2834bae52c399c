// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives
import StrataStore

/// A thread, by the identity that the system gives it.
struct ThreadID: Hashable, Sendable {
  private let raw: UInt

  /// The calling thread.
  static var current: ThreadID { ThreadID(raw: UInt(strata_thread_id())) }

  init(raw: UInt) { self.raw = raw }
}

/// A queue, or the writers of stores, for which a blocked thread waits.
protocol Awaited: Sendable {
  /// The threads that have it: one for each writer that is at work.
  var holdingThreads: [ThreadID] { get }
}

extension QueueLock: Awaited {}

/// The writers of a coordinator's stores, which call code of the program: closures of batches,
/// merge policies, instruments, log handlers.
struct StoreWriter: Awaited {
  let store: any PersistentStore

  var holdingThreads: [ThreadID] { store.writingThreads.map(ThreadID.init) }

  /// - Throws: `StoreError.wouldDeadlock` on the thread of a writer, which calls the caller.
  func checkIsElsewhere() throws(StoreError) {
    if isHere { throw .wouldDeadlock }
  }

  /// Whether the caller is code that a writer calls.
  var isHere: Bool { holdingThreads.contains(.current) }

  /// Waits for a result of the writer. In the meantime, its code that waits for a queue of this
  /// thread gets an error.
  func wait<T>(_ body: () throws -> T) rethrows -> T {
    let thread = ThreadID.current
    WaitGraph.willWait(thread, for: self)
    defer { WaitGraph.didWait(thread) }
    return try body()
  }
}

/// The threads and the queues and writers that they wait for, in the whole process: it detects a
/// deadlock before it happens, and refuses one of the waits for a queue.
///
/// It has blocked threads only. A suspended task holds no queue, because bodies are synchronous, so
/// it cannot be part of a cycle.
enum WaitGraph {
  private static let waits = CountedMutex<[ThreadID: any Awaited]>([:])

  /// Notes that `thread` is about to wait for `lock`.
  ///
  /// - Throws: `ContextError.wouldDeadlock` if the holder of `lock`, or the thread that the holder
  ///   waits for, and so on, is `thread` itself. Then nothing is noted.
  static func willWait(_ thread: ThreadID, for lock: QueueLock) throws(ContextError) {
    let isCycle = waits.withLock { waits in
      if leads(lock, to: thread, waits) { return true }
      waits[thread] = lock
      return false
    }
    if isCycle { throw .wouldDeadlock }
  }

  /// Notes that `thread` is about to wait for a writer. If the writer's code waits for `thread`,
  /// its wait for a queue is refused: the request of `thread` cannot be taken back.
  static func willWait(_ thread: ThreadID, for writer: StoreWriter) {
    waits.withLock { waits in
      waits[thread] = writer
      for writing in writer.holdingThreads where writing != thread {
        guard let lock = waits[writing] as? QueueLock, leads(lock, to: thread, waits) else {
          continue
        }
        // It waits no longer: there is no cycle when the next thread asks.
        waits[writing] = nil
        lock.refuse(writing)
      }
    }
  }

  static func didWait(_ thread: ThreadID) {
    waits.withLock { _ = $0.removeValue(forKey: thread) }
  }

  /// Whether a thread that has `awaited`, or one that such a thread waits for, and so on, is
  /// `thread`.
  private static func leads(
    _ awaited: any Awaited, to thread: ThreadID, _ waits: [ThreadID: any Awaited]
  ) -> Bool {
    var next = awaited.holdingThreads
    var passed: Set<ThreadID> = []
    while let holder = next.popLast() {
      if holder == thread { return true }
      guard passed.insert(holder).inserted, let further = waits[holder]?.holdingThreads else {
        continue
      }
      // A thread that was handed the lock a moment ago is still entered here as waiting for it.
      if !further.contains(holder) { next += further }
    }
    return false
  }
}
