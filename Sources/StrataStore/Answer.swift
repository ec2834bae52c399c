// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataPrimitives

/// A result that one thread waits for and another gives, once.
///
/// ## Isolation
/// Sendable: a lock guards the result.
final class Answer<Value: Sendable>: Sendable {
  private let result = CountedMutex<Result<Value, any Error>?>(nil)
  private let given = DispatchSemaphore(value: 0)

  func give(_ result: Result<Value, any Error>) {
    self.result.withLock { $0 = result }
    given.signal()
  }

  func wait() throws -> Value {
    given.wait()
    guard let result = result.withLock({ $0 }) else {
      stopProgram("an answer is given before it is signalled")
    }
    return try result.get()
  }
}
