// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Does `work` in a task of its own, which the call that `work` is given cancels.
///
/// - Returns: the result of `work`, whether or not it was cancelled.
/// - Throws: the errors of `work`.
func executingCancellably<Value: Sendable>(
  _ work: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws -> Value
) async throws -> Value {
  let task = Mutex<Task<Value, any Error>?>(nil)
  let mayBegin = AsyncStream<Void>.makeStream()
  let running = Task {
    for await _ in mayBegin.stream { break }
    return try await work { task.withLock { $0?.cancel() } }
  }
  task.withLock { $0 = running }
  mayBegin.continuation.yield()
  return try await running.value
}
