// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Waits for Control-C or a request of the system to end, which then do not end the process by
/// themselves. A second one does.
///
/// ## Isolation
/// The thread that waits. The signals arrive on a queue of the system.
final class Interruption {
  static let signals = [SIGINT, SIGTERM]

  private let semaphore = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  /// From now on, the signals are waited for.
  init() {
    sources = Self.signals.map { [semaphore] number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { semaphore.signal() }
      source.resume()
      return source
    }
  }

  func wait() {
    semaphore.wait()
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }
}
