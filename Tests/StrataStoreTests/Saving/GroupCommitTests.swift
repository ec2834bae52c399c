// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataStore
import Synchronization
import Testing

@Suite struct `Savers at the same time` {
  @Test(arguments: StoreKind.allCases)
  func `get a generation each, in order, and all are written`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let results = Mutex<[Int: UInt64]>([:])
      DispatchQueue.concurrentPerform(iterations: 8) { saver in
        for round in 0..<25 {
          var edit = Edit(store)
          edit.insert(
            Atlas.country, ["iso": .string("\(saver)-\(round)"), "name": .string("\(saver)")])
          guard let result = try? edit.save() else { continue }
          results.withLock { $0[saver * 25 + round] = result.generation }
        }
      }
      let generations = results.withLock { $0 }
      #expect(generations.count == 200)
      #expect(Set(generations.values) == Set(1...200))
      for saver in 0..<8 {
        let own = (0..<25).compactMap { generations[saver * 25 + $0] }
        #expect(own == own.sorted(), "a saver's saves keep their order")
      }
      let written = try store.keys(byIndex: "iso", of: Atlas.country)
      #expect(written.count == 200)
      #expect(try store.snapshot().generation == 200)
    }
  }

  /// All are enqueued while the writer is held, so that they are one group.
  @Test(arguments: StoreKind.allCases)
  func `are refused one by one`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      first.insert(Atlas.country, ["iso": .string("taken")])
      try first.save()
      let isHeld = DispatchSemaphore(value: 0)
      let mayGoOn = DispatchSemaphore(value: 0)
      let isDone = DispatchGroup()
      let outcomes = Mutex<[String: UInt64?]>([:])
      var holding = Edit(store)
      holding.insert(Atlas.country)
      store.commit(holding.changeSet) { _ in
        isHeld.signal()
        mayGoOn.wait()
      }
      isHeld.wait()
      for iso in ["a", "taken", "b", "a", "c"] {
        var edit = Edit(store)
        edit.insert(Atlas.country, ["iso": .string(iso)])
        isDone.enter()
        store.commit(edit.changeSet) { result in
          let generation = try? result.get().generation
          outcomes.withLock { outcomes in
            if outcomes[iso] == nil || generation == nil {
              outcomes[iso == "a" && outcomes["a"] != nil ? "a again" : iso] = .some(generation)
            }
          }
          isDone.leave()
        }
      }
      mayGoOn.signal()
      isDone.wait()
      #expect(
        outcomes.withLock { $0 } == ["a": 3, "taken": nil, "b": 4, "a again": nil, "c": 5])
      #expect(try store.snapshot().generation == 5)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `of one object: the first wins, the others get the conflict`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let key = first.insert(Atlas.city, ["population": .int(0)])
      try first.save()
      let base = try store.stored(key)
      let winners = Mutex<[Int64]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { saver in
        var edit = Edit(store)
        edit.update(key, from: base, ["population": .int(Int64(saver) + 1)])
        if (try? edit.save()) != nil { winners.withLock { $0.append(Int64(saver) + 1) } }
      }
      let winner = winners.withLock { $0 }
      #expect(winner.count == 1)
      #expect(try store.value("population", of: key) == .int(winner[0]))
    }
  }

  /// A counter that every saver raises by reading, and repeating when it was overtaken.
  @Test(arguments: StoreKind.allCases)
  func `lose no update`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      var first = Edit(store)
      let key = first.insert(Atlas.city, ["population": .int(0)])
      try first.save()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<25 {
          while true {
            guard let base = try? store.stored(key),
              case .int(let count)? = try? store.value("population", of: key)
            else { return }
            var edit = Edit(store)
            edit.update(key, from: base, ["population": .int(count + 1)])
            // The value may be newer than the base: then the save is refused.
            if (try? edit.save()) != nil { break }
          }
        }
      }
      #expect(try store.value("population", of: key) == .int(100))
    }
  }
}
