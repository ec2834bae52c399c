// SPDX-License-Identifier: Apache-2.0
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `Deliveries of eight threads at once` {
  @Test func `are made one at a time, each once, in the order of each thread`() {
    // Fewer in a stretch than may wait, so that none is dropped.
    let (threadCount, stretchCount, callCount) = (8, 13, 1_000)
    let expected = Array(repeating: Array(0..<callCount), count: threadCount)
    for _ in 0..<stretchCount {
      let made = Mutex([[Int]](repeating: [], count: threadCount))
      let running = Atomic(0)
      let overlapping = Atomic(0)
      performOnThreads(threadCount) { thread in
        for number in 0..<callCount {
          Deliveries.deliver {
            if running.add(1, ordering: .relaxed).newValue > 1 {
              overlapping.add(1, ordering: .relaxed)
            }
            made.withLock { $0[thread].append(number) }
            running.subtract(1, ordering: .relaxed)
          }
        }
      }
      Deliveries.flush()
      #expect(overlapping.load(ordering: .relaxed) == 0)
      #expect(made.withLock { $0 } == expected)
    }
  }
}
