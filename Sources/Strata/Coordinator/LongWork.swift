// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataPrimitives

/// Long work on a new thread.
///
/// The thread releases the input and the result before the caller continues. So the caller may
/// release a store then, and destroy its file.
///
/// ## Isolation
/// Sendable: the thread takes the input and leaves the outcome, which the caller takes.
final class LongWork<Input: Sendable, Value: Sendable>: Sendable {
  private let input: CountedMutex<Input?>
  private let outcome = CountedMutex<Result<Value, any Error>?>(nil)
  private let work: @Sendable (Input) throws -> Value

  private init(_ input: Input, _ work: @escaping @Sendable (Input) throws -> Value) {
    self.input = CountedMutex(input)
    self.work = work
  }

  /// Does `work` with `input`. A cancelled task cancels `watch`.
  ///
  /// - Throws: the errors of `work`.
  static func run(
    with input: Input, _ watch: BatchWatch, isolation: isolated (any Actor)?,
    _ work: @escaping @Sendable (Input) throws -> Value
  ) async throws -> Value {
    let long = LongWork(input, work)
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
    guard let input = input.withLock({ $0.take() }) else { return }
    let result = Result { try work(input) }
    outcome.withLock { $0 = result }
  }

  private var result: Result<Value, any Error> {
    guard let outcome = outcome.withLock({ $0.take() }) else {
      stopProgram("the thread leaves an outcome")
    }
    return outcome
  }
}
