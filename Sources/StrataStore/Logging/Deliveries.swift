// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataLMDB
import StrataPrimitives
import Synchronization

/// Calls the program's handlers of log messages and metrics: one after the other, in the order of
/// the events, on a queue of its own.
///
/// Events happen in the middle of commits and turns. A handler that was called there and used a
/// store would wait for itself, and a slow one would hold up all savers. Here it is within no lock
/// and on no thread of Strata's, so it may fetch and save.
///
/// The last message of a program is often about its end, as the one about a container with unsaved
/// changes. So at the exit of the process handlers have a second for the calls that wait.
///
/// ## Isolation
/// Sendable: static, and the queue is serial.
package enum Deliveries {
  /// How many calls wait at most. Later ones are dropped until one has been made.
  package static let countMax = 16_384

  private static let queue: DispatchQueue = {
    let queue = DispatchQueue(label: "Strata.Deliveries", qos: .utility)
    queue.setSpecific(key: isDelivering, value: true)
    return queue
  }()
  private static let isDelivering = DispatchSpecificKey<Bool>()
  private static let waitingCount = Atomic(0)
  private static let deliversAtExit: Bool = atexit { deliverAtExit() } == 0

  /// Has a handler called soon.
  package static func deliver(_ call: @escaping @Sendable () -> Void) {
    _ = deliversAtExit
    guard waitingCount.add(1, ordering: .relaxed).newValue <= countMax else {
      waitingCount.subtract(1, ordering: .relaxed)
      return
    }
    queue.async {
      call()
      waitingCount.subtract(1, ordering: .relaxed)
    }
  }

  /// Waits until all calls have been made that were waiting. In a handler it returns at once.
  package static func flush() {
    if DispatchQueue.getSpecific(key: isDelivering) == true { return }
    queue.sync {}
  }

  private static func deliverAtExit() {
    // The threads of the queue are the parent's.
    if ForkGuard.isInForkedChild { return }
    // A handler may have ended the process.
    if DispatchQueue.getSpecific(key: isDelivering) == true { return }
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    _ = isDone.wait(timeout: .now() + .seconds(1))
  }
}
