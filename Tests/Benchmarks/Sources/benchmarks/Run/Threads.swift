// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization

/// Work on threads of its own, of which the system runs as many at once as it can.
final class Threads: Sendable {
  private let group = DispatchGroup()
  private let error = Mutex<(any Error)?>(nil)

  /// Starts `body` on the given number of threads.
  init(_ count: Int = 1, _ body: @escaping @Sendable (_ index: Int) throws -> Void) {
    for index in 0..<count {
      group.enter()
      Thread.detachNewThread { [self] in
        do { try body(index) } catch { self.error.withLock { $0 = $0 ?? error } }
        group.leave()
      }
    }
  }

  /// Waits until all are done.
  ///
  /// - Throws: the first error of any.
  func join() throws {
    group.wait()
    if let error = error.withLock({ $0 }) { throw error }
  }
}
