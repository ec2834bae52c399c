// SPDX-License-Identifier: Apache-2.0

/// Ends the waiting of savers when another process keeps LMDB's lock of writers for too long,
/// because it has much to write, or was stopped in the middle.
///
/// LMDB waits for that lock without a limit, and a thread that waits there cannot be called back.
/// So the writer thread goes on waiting, and a thread of this object tells the savers.
///
/// ## States
/// - calm → waiting: `beginWait`.
/// - waiting → calm: `endWait`, when LMDB has the lock.
///
/// ## Invariants
/// - I1: savers are given up only while waiting, when the limit has passed both since they came and
///   since the wait began.
/// - I2: while waiting, the thread looks at the clock at the latest when a saver's limit passes.
///
/// The thread sleeps for the limit after a wait has begun, whether or not the wait ends before
/// that. So processes that take turns wake it once in that time, and not with each turn.
///
/// ## Lifetime
/// The thread keeps the object until `stop`. It is started at the first wait: a process that has
/// the file for itself has none.
///
/// ## Isolation
/// Sendable. `beginWait` and `endWait` are called by the thread that runs a writer's job.
final class WriterPatience: Sendable {
  /// Gives up the savers that came at `arrivedUpTo` or before.
  ///
  /// - Returns: when the first of the others came; nil if there are no others.
  typealias GiveUp = @Sendable (_ arrivedUpTo: SuspendingClock.Instant) -> SuspendingClock.Instant?

  private struct State {
    var limit: Duration?
    /// When the wait began; nil while calm.
    var start: SuspendingClock.Instant?
    /// Whether the thread will look at the clock. Otherwise it sleeps until the next wait.
    var isWatching = false
    var isStarted = false
    var isStopping = false
  }

  private let state = Monitor(State())

  private static var stackByteCount: Int { 512 << 10 }
  /// The thread sleeps this long at least.
  private static var pauseMin: Duration { .milliseconds(1) }

  /// How long savers wait for another process; nil for ever.
  var limit: Duration? { state.withLock { $0.limit } }

  /// Sets `limit`, before the first wait.
  func setLimit(_ limit: Duration?) { state.withLock { $0.limit = limit.map { max($0, .zero) } } }

  /// - Parameter giveUp: the same function at each wait.
  /// - Throws: `io(EAGAIN)` when the system gives no more threads.
  func beginWait(givingUpBy giveUp: @escaping GiveUp) throws(LMDBError) {
    let wakes = try state.withLock { state throws(LMDBError) in
      guard state.limit != nil else { return false }
      if !state.isStarted {
        try SystemThread.start(stackByteCount: Self.stackByteCount) { [self] in run(giveUp) }
        state.isStarted = true
      }
      state.start = .now
      defer { state.isWatching = true }
      return !state.isWatching
    }
    if wakes { state.wake() }
  }

  func endWait() { state.withLock { $0.start = nil } }

  /// Lets the thread end. Does not wait for it.
  func stop() { state.change { $0.isStopping = true } }

  // MARK: - The thread

  private func run(_ giveUp: GiveUp) {
    while var pause = firstPause() {
      while true {
        let isStopping = state.wait(atMost: max(pause, Self.pauseMin)) { $0.isStopping }
        if isStopping { return }
        guard let next = look(giveUp) else { break }
        pause = next
      }
    }
  }

  /// Waits for a wait to begin.
  ///
  /// - Returns: nil if the thread is to end.
  private func firstPause() -> Duration? {
    state.wait { state -> Duration?? in
      if state.isStopping { return .some(nil) }
      return state.isWatching ? .some(state.limit ?? .zero) : nil
    }
  }

  /// - Returns: the time until the next look; nil if no wait is under way.
  private func look(_ giveUp: GiveUp) -> Duration? {
    let wait = state.withLock { state -> (start: SuspendingClock.Instant, limit: Duration)? in
      if let start = state.start, let limit = state.limit { return (start, limit) }
      state.isWatching = false
      return nil
    }
    guard let (start, limit) = wait else { return nil }
    let now = SuspendingClock.now
    if start + limit > now { return now.duration(to: start + limit) }
    let first = giveUp(now - limit) ?? now
    return now.duration(to: first + limit)
  }
}
