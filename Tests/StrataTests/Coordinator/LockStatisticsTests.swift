// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataPrimitives
import Testing

@Suite struct `Waits for locks` {
  @Test func `are none for a reader that is alone`() throws {
    let container = try geography()
    let ui = container.newBackgroundContext()
    for _ in 0..<10 { try ui.performAndWait { _ = try $0.fetch(City.all) } }
    let statistics = container.coordinator.lockStatistics
    // Other tests have the entities too, so the key paths' tables are not this one's alone.
    #expect(statistics.layers == LockWaits())
    #expect(statistics.store == LockWaits())
    #expect(ui.waits == LockWaits())
  }

  @Test func `are counted for a reader that finds the layers taken`() throws {
    let container = try geography()
    // New each time: a context that has read before compares revisions instead.
    var ui = container.newBackgroundContext()
    try untilTrue {
      container.coordinator.lockStatistics.layers.count > 0
    } retrying: {
      let done = DispatchSemaphore(value: 0)
      let reader = container.newBackgroundContext()
      ui = reader
      container.coordinator.layerLock.withLock {
        Thread.detachNewThread {
          _ = try? reader.performAndWait { try $0.count(City.all) }
          done.signal()
        }
        for _ in 0..<100 { sched_yield() }
      }
      done.wait()
    }
    #expect(container.coordinator.lockStatistics.all.longest > .zero)
    #expect(ui.waits == LockWaits())
  }

  @Test func `are counted for a caller who finds the queue taken`() throws {
    let queue = try geography().newBackgroundContext()
    try untilTrue {
      queue.waits.count > 0
    } retrying: {
      let done = DispatchSemaphore(value: 0)
      try queue.performAndWait { _ in
        Thread.detachNewThread {
          _ = try? queue.performAndWait { _ in }
          done.signal()
        }
        for _ in 0..<100 { sched_yield() }
      }
      done.wait()
    }
    #expect(queue.waits.total > .zero)
  }

  /// That another thread was about to wait shows only when it has waited: try until it has.
  private func untilTrue(_ condition: () -> Bool, retrying attempt: () throws -> Void) throws {
    var attempts = 0
    while !condition() {
      attempts += 1
      try #require(attempts < 10_000)
      try attempt()
    }
  }
}
