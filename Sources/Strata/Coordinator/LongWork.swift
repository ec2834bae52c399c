// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataPrimitives

/// Long work on a new thread.
///
/// The thread releases the work, with all that it captures, and the result before the caller
/// continues. So the caller may release a store then, and destroy its file.
///
/// ## Isolation
/// Sendable: the thread takes the work and leaves the outcome, which the caller takes.
final class LongWork<Value: Sendable>: Sendable {
  /// A closure in a struct: a lock wraps a bare closure once more with each use.
  private struct Work: Sendable { let run: @Sendable () throws -> Value }

  private let work: CountedMutex<Work?>
  private let outcome = CountedMutex<Result<Value, any Error>?>(nil)

  private init(_ work: Work) { self.work = CountedMutex(work) }

  /// Does `work`. A cancelled task cancels `watch`.
  ///
  /// - Throws: the errors of `work`.
  static func run(
    _ watch: BatchWatch, isolation: isolated (any Actor)?,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let long = LongWork(Work(run: work))
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          long.run()
          continuation.resume()
        }
      }
    } onCancel: {
      watch.cancel()
    }
    return try long.result.get()
  }

  private func run() {
    guard let work = work.withLock({ $0.take() }) else { return }
    let result = Result { try work.run() }
    outcome.withLock { $0 = result }
  }

  private var result: Result<Value, any Error> {
    guard let outcome = outcome.withLock({ $0.take() }) else {
      stopProgram("the thread leaves an outcome")
    }
    return outcome
  }
}
