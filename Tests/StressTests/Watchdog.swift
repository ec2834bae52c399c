// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// Ends the process after a long time without progress: threads that wait for one another cannot be
/// interrupted, and a test that hangs reports nothing.
final class Watchdog: Sendable {
  private let lastWord = Mutex<(who: String, Int)>(("nobody", 0))
  private let isOver = DispatchSemaphore(value: 0)

  init(silenceSecondsMax: Int) {
    Thread { [self] in
      var before = 0
      while isOver.wait(timeout: .now() + .seconds(silenceSecondsMax)) == .timedOut {
        let (who, now) = lastWord.withLock { $0 }
        // Before the first word the tasks have not begun: other tests have all the threads.
        if now == before && now > 0 { fatalError("Deadlock: \(who) was the last to be heard of.") }
        before = now
      }
    }.start()
  }

  func hear(_ who: String) { lastWord.withLock { $0 = (who, $0.1 + 1) } }

  func end() { isOver.signal() }
}
