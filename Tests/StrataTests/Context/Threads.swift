// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

// Threads of a test's own, held at a known place while others act. Each wait has a watchdog: an
// event that never comes is a failure, not a hang.

/// Something that should have happened has not, for as long as the watchdog waits.
struct Stuck: Error, CustomStringConvertible {
  let description: String
}

/// How long a watchdog waits: far longer than anything here takes.
private let watchdogSeconds = 60

/// Runs `body` on a thread of its own, and waits for it.
///
/// - Throws: the errors of the body; `Stuck` if it does not end.
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
  func untilHeld() throws {
    guard isHeld.wait(timeout: .now() + .seconds(watchdogSeconds)) == .success else {
      throw Stuck(description: "the thread did not come to the place where it is held")
    }
  }

  func letGo() { mayGoOn.signal() }

  /// Waits for the end of the body.
  @discardableResult
  func finish() throws -> T {
    guard isDone.wait(timeout: .now() + .seconds(watchdogSeconds)) == .success,
      let outcome = result.withLock({ $0 })
    else { throw Stuck(description: "the thread did not end") }
    return try outcome.get()
  }
}
