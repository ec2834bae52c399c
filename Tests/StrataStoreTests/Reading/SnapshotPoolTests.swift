// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `Snapshots that many threads take and release` {
  /// Each save adds one city, so the number of cities tells a snapshot's generation: a transaction
  /// that two threads had at once would be renewed by one while the other counts.
  @Test func `are each used by one thread, and show what was saved before`() throws {
    let store = try LMDBStore.inMemory(model: Atlas.model())
    let city = store.schema.of(Atlas.city).number
    let first = try store.snapshot().generation
    let saved = Atomic(first)
    let isOver = Atomic(false)
    let wrongCount = Atomic(0)
    performOnThreads(9) { number in
      do {
        guard number > 0 else {
          defer { isOver.store(true, ordering: .releasing) }
          for _ in 0..<200 {
            var edit = Edit(store)
            edit.insert(Atlas.city)
            let generation = try edit.save().generation
            saved.store(generation, ordering: .releasing)
          }
          return
        }
        var last = first
        repeat {
          let before = saved.load(ordering: .acquiring)
          let snapshot = try store.snapshot()
          // Two at a time, so that a thread does not always find its own.
          let next = try store.snapshot()
          for view in [snapshot, next] {
            let count = try view.count(of: city)
            if view.generation < max(before, last) || count != Int(view.generation - first) {
              wrongCount.add(1, ordering: .relaxed)
            }
            last = view.generation
          }
        } while !isOver.load(ordering: .acquiring)
      } catch {
        Issue.record(error)
      }
    }
    #expect(wrongCount.load(ordering: .relaxed) == 0)
    #expect(saved.load(ordering: .relaxed) == first + 200)
  }
}

@Suite struct `A store whose snapshots were used` {
  /// Whether nobody has the file open any more: all who have must agree on the durability.
  private func isClosed(_ path: String) -> Bool {
    (try? LMDBStore.open(at: path, model: Atlas.model(), durability: .full)) != nil
  }

  private func expectClosed(_ store: LMDBStore) {
    do {
      _ = try store.snapshot()
      Issue.record("a closed store gives a snapshot")
    } catch StoreError.closed {} catch { Issue.record(error) }
  }

  @Test func `lets the file go when it is closed and the last snapshot is released`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    var snapshots = try (0..<3).map { _ in try store.snapshot() }
    snapshots.removeLast(2)
    #expect(!isClosed(path))
    store.close()
    expectClosed(store)
    #expect(!isClosed(path))
    snapshots = []
    withExtendedLifetime(store) { #expect(isClosed(path)) }
  }

  @Test func `lets the file go when it is released`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    var store: LMDBStore? = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    _ = try (0..<3).map { _ in try store?.snapshot() }
    #expect(!isClosed(path))
    store = nil
    #expect(isClosed(path))
  }

  @Test func `lets the file go when threads take snapshots while it is closed`() throws {
    let folder = try TemporaryDirectory()
    for round in 0..<20 {
      let path = folder.file("store \(round)").path
      let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
      let takenCount = Atomic(0)
      performOnThreads(5) { number in
        if number == 0 {
          while takenCount.load(ordering: .relaxed) < 20 { Thread.sleep(forTimeInterval: 0) }
          return store.close()
        }
        while (try? store.snapshot()) != nil { takenCount.add(1, ordering: .relaxed) }
      }
      expectClosed(store)
      withExtendedLifetime(store) { #expect(isClosed(path)) }
    }
  }
}
