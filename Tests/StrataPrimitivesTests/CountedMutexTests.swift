// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives
import Testing

@Suite struct `A counted lock` {
  private final class Counter: Sendable {
    let lock = CountedMutex(0)
  }

  @Test func `counts nothing while no thread waits`() {
    let counter = Counter()
    for _ in 0..<1_000 { counter.lock.withLock { $0 += 1 } }
    #expect(counter.lock.withLock { $0 } == 1_000)
    #expect(counter.lock.waits == LockWaits())
  }

  @Test func `counts waits, and their time`() throws {
    let counter = Counter()
    // That the other thread has found the lock taken shows when it has it: try until it has.
    var attempts = 0
    while counter.lock.waits.count == 0 {
      attempts += 1
      try #require(attempts < 10_000)
      let done = DispatchSemaphore(value: 0)
      counter.lock.withLock { state in
        Thread.detachNewThread {
          counter.lock.withLock { $0 += 1 }
          done.signal()
        }
        for _ in 0..<100 { sched_yield() }
        state += 1
      }
      done.wait()
    }
    let waits = counter.lock.waits
    #expect(waits.total > .zero)
    #expect(waits.longest > .zero && waits.longest <= waits.total)
    #expect(counter.lock.withLock { $0 } == 2 * attempts)
  }

  @Test func `adds up with others`() {
    let sum =
      LockWaits(count: 2, total: .seconds(3), longest: .seconds(2))
      + LockWaits(count: 1, total: .seconds(1), longest: .seconds(1))
    #expect(sum == LockWaits(count: 3, total: .seconds(4), longest: .seconds(2)))
  }

  @Test func `throws its body's error, and is free again`() {
    struct Failure: Error {}
    let counter = Counter()
    #expect(throws: Failure.self) { try counter.lock.withLock { _ in throw Failure() } }
    #expect(counter.lock.withLock { $0 } == 0)
  }
}
