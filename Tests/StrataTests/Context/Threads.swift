// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

// Threads of a test's own, held at a known place while others act. Waits have no limit, because a
// busy machine would reach any. A test whose event never comes hangs: the output has it as started.

/// Runs `body` on a thread of its own, and waits for it.
///
/// - Throws: the errors of the body.
@discardableResult
func elsewhere<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
  let thread = HeldThread { _ in try body() }
  return try thread.finish()
}

/// A thread that stops where its body says `hold()`, until it is let go.
final class HeldThread<T: Sendable>: Sendable {
  private let result = Mutex<Result<T, any Error>?>(nil)
  private let isHeld = DispatchSemaphore(value: 0)
  private let mayGoOn = DispatchSemaphore(value: 0)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable (HeldThread) throws -> T) {
    Thread { [self] in
      let outcome = Result { try body(self) }
      result.withLock { $0 = outcome }
      isDone.signal()
      isHeld.signal()
    }.start()
  }

  /// Called in the body: stops the thread until `letGo()`.
  func hold() {
    isHeld.signal()
    mayGoOn.wait()
  }

  /// Waits until the thread is held, or has ended.
  func untilHeld() { isHeld.wait() }

  func letGo() { mayGoOn.signal() }

  /// Waits for the end of the body.
  @discardableResult
  func finish() throws -> T {
    isDone.wait()
    guard let outcome = result.withLock({ $0 }) else { preconditionFailure("The body has ended.") }
    return try outcome.get()
  }
}
