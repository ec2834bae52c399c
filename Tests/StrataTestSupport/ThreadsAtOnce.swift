// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// Runs a body on threads of its own, all at the same time, and waits for them. The bodies may wait
/// for each other: those of `concurrentPerform` may run one after the other on a busy machine.
public func performOnThreads(
  _ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void
) {
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    let thread = Thread {
      body(number)
      group.leave()
    }
    // A body may save, and encoding needs more than the default of Darwin's secondary threads.
    thread.stackSize = 8 << 20
    thread.start()
  }
  group.wait()
}
