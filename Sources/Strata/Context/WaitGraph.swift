// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives

/// A thread, by the identity that the system gives it.
struct ThreadID: Hashable, Sendable {
  private let raw: UInt

  /// The calling thread.
  static var current: ThreadID { ThreadID(raw: UInt(strata_thread_id())) }
}

/// The threads and the queues that they wait for, in the whole process: it detects a deadlock
/// before it happens.
///
/// It has blocked threads only. A suspended task holds no queue, because bodies are synchronous, so
/// it cannot be part of a cycle.
enum WaitGraph {
  private static let waits = CountedMutex<[ThreadID: QueueLock]>([:])

  /// Notes that `thread` is about to wait for `lock`.
  ///
  /// - Throws: `ContextError.wouldDeadlock` if the holder of `lock`, or the thread that the holder
  ///   waits for, and so on, is `thread` itself. Then nothing is noted.
  static func willWait(_ thread: ThreadID, for lock: QueueLock) throws(ContextError) {
    let isCycle = waits.withLock { waits in
      var next = lock.holdingThread
      while let holder = next {
        if holder == thread { return true }
        let further = waits[holder]?.holdingThread
        // A thread that was handed the lock a moment ago is still entered here as waiting for it.
        next = further == holder ? nil : further
      }
      waits[thread] = lock
      return false
    }
    if isCycle { throw .wouldDeadlock }
  }

  static func didWait(_ thread: ThreadID) {
    waits.withLock { _ = $0.removeValue(forKey: thread) }
  }
}
