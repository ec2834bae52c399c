// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Foundation
  import InMemoryLogging
  import Logging
  import MetricsTestKit
  import Strata
  import StrataObservability
  import StrataTestSupport
  import Synchronization
  import Testing

  extension ManagedObjectContext {
    @discardableResult
    func town(_ name: String, population: Int = 0) -> Town {
      let town = Town(context: self)
      (town.name, town.population) = (name, population)
      return town
    }
  }

  @Suite struct `The metrics of a store` {
    private let store: ObservedStore

    init() throws { store = try ObservedStore(vaultModel()) }

    @Test func `count saves by their destination, and commits`() throws {
      let worker = store.container.newBackgroundContext()
      try worker.performAndWait { context in
        context.town("A")
        try context.save()
      }
      #expect(store.total("strata.saves", ["destination": "parent", "outcome": "ok"]) == 1)
      #expect(store.total("strata.commits") == 0, "nothing is on the disk")
      try store.container.root.performAndWait { try $0.save() }
      #expect(store.total("strata.saves", ["destination": "store", "outcome": "ok"]) == 1)
      #expect(store.total("strata.commits", ["kind": "save", "outcome": "ok"]) == 1)
      #expect(store.timingCount("strata.save.duration", ["destination": "parent"]) == 1)
      #expect(store.timingCount("strata.save.duration", ["destination": "store"]) == 1)
      #expect(store.timingCount("strata.commit.duration", ["kind": "save"]) == 1)
    }

    @Test func `count each level of a save to the store`() async throws {
      let worker = store.container.newBackgroundContext()
      try await worker.perform { _ = $0.town("A") }
      try await worker.save(to: .store)
      #expect(store.total("strata.saves", ["destination": "parent"]) == 1)
      #expect(store.total("strata.saves", ["destination": "store"]) == 1)
      #expect(store.total("strata.commits") == 1)
    }

    @Test func `count a refused save as an error, and the objects in conflict`() throws {
      let (first, second) = (store.newContext(), store.newContext())
      let town = first.town("A")
      try first.save()
      let other = try second.existingObject(Town.self, with: town.objectID)
      other.population = 1
      try second.save()
      town.population = 2
      #expect { try first.save() } throws: {
        if case StoreError.conflicts = $0 { true } else { false }
      }
      #expect(store.total("strata.saves", ["outcome": "error"]) == 1)
      #expect(store.total("strata.commits", ["outcome": "error"]) == 1)
      #expect(store.total("strata.conflicts", ["decision": "refused"]) == 1)
      #expect(store.total("strata.conflicts", ["decision": "merged"]) == 0)
      first.mergePolicy = .mergeByPropertyStoreTrump
      try first.save()
      #expect(store.total("strata.conflicts", ["decision": "merged"]) == 1)
    }

    @Test func `count a save that validation refuses, and no commit`() throws {
      let context = store.newContext()
      let vault = Vault(context: context)
      vault.fill(code: "1")
      vault.text = String(repeating: "x", count: 50)
      #expect { try context.save() } throws: {
        if case ContextError.validationFailed = $0 { true } else { false }
      }
      #expect(store.total("strata.saves", ["destination": "store", "outcome": "error"]) == 1)
      #expect(store.total("strata.commits") == 0)
    }

    @Test func `count batches as commits`() async throws {
      let coordinator = store.container.coordinator
      let rows: [[String: Any?]] = [["name": "A"]]
      _ = try await coordinator.execute(BatchInsertRequest(Town.self), dictionaries: rows)
      _ = try await coordinator.execute(BatchDeleteRequest(Town.all))
      #expect(store.total("strata.commits", ["kind": "batch", "outcome": "ok"]) == 2)
      #expect(store.timingCount("strata.commit.duration", ["kind": "batch"]) == 2)
      #expect(store.total("strata.saves") == 0)
    }

    @Test func `count fetches by entity and operation`() throws {
      let context = store.newContext()
      for name in ["A", "B"] { context.town(name) }
      _ = try context.fetch(Town.all)
      _ = try context.first(Town.where { $0.name == "A" })
      _ = try context.fetchIDs(Town.all)
      _ = try context.count(Street.all)
      _ = try context.fetch(Town.all.select(\.name))
      _ = try context.sum(Town.all, of: \.population)
      func expect(_ count: Int64, _ entity: String, _ operation: String) {
        let target = ["entity": entity, "operation": operation]
        #expect(store.total("strata.fetches", target) == count, "\(target)")
        #expect(store.timingCount("strata.fetch.duration", target) == Int(count), "\(target)")
      }
      expect(2, "Town", "fetch")
      expect(1, "Town", "fetch ids")
      expect(1, "Street", "count")
      expect(2, "Town", "fetch rows")
      #expect(store.total("strata.fetches.slow") == 0)
    }

    @Test func `count a fetch that fails`() throws {
      let context = store.newContext()
      #expect {
        try context.fetch(Town.where { $0.name.matches("(") })
      } throws: { if case QueryError.invalidPattern = $0 { true } else { false } }
      #expect(store.total("strata.fetches", ["entity": "Town", "outcome": "error"]) == 1)
    }

    @Test func `count the objects that a context had in memory, and those that it read`() throws {
      let writer = store.newContext()
      for number in 0..<5 { writer.town("\(number)") }
      try writer.save()
      let queue = ContextQueue(parent: store.container.coordinator)
      let held = try queue.performAndWait { context in
        let towns = try context.fetch(Town.where { $0.name < "3" })
        context.userInfo["towns"] = towns
        return towns.count
      }
      #expect(store.total("strata.cache.misses") == Int64(held))
      #expect(store.total("strata.cache.hits") == 0)
      try queue.performAndWait { _ = try $0.fetch(Town.all) }
      #expect(store.total("strata.cache.hits") == 3)
      #expect(store.total("strata.cache.misses") == 5)
      try queue.performAndWait { context in
        guard let town = (context.userInfo["towns"] as? [Town])?.first else { return }
        context.refresh(town, mergeChanges: false)
        _ = town.name
      }
      #expect(store.total("strata.cache.misses") == 6, "a fault has fired")
    }

    @Test func `count an object as read whose fetch has reset the context`() throws {
      let writer = store.newContext()
      for number in 0..<40 { writer.town("\(number)") }
      writer.town("resetting")
      try writer.save()
      let queue = ContextQueue(parent: store.container.coordinator)
      try queue.performAndWait { context in
        _ = try context.fetch(Town.where { $0.name < "r" })
        _ = try context.fetch(Town.where { $0.name == "resetting" })
      }
      #expect(store.total("strata.cache.misses") == 41)
      #expect(store.total("strata.cache.hits") == 0)
    }

    @Test func `show the size of the file and the oldest reader after each commit`() throws {
      let reader = store.newContext()
      try reader.setQueryGeneration(from: .current)
      let writer = store.newContext()
      for number in 0..<3 {
        writer.town("\(number)")
        try writer.save()
      }
      let oldest = try #require(try store.container.coordinator.oldestReader())
      #expect(store.gauge("strata.oldest_reader.commits") == Double(oldest.commitLag))
      #expect(try #require(store.gauge("strata.oldest_reader.seconds")) >= 0)
      let size = try store.container.coordinator.metadata().byteCount
      #expect(store.gauge("strata.file.size.bytes") == Double(size))
      try reader.setQueryGeneration(from: nil)
      writer.town("last")
      try writer.save()
      #expect(store.gauge("strata.oldest_reader.commits") == 0)
    }

    @Test func `may be received by a handler that saves to the same store`() throws {
      let saved = Mutex(false)
      let container = store.container
      Systems.shared.metrics.addHook { [name = store.name] label, store in
        guard label == "strata.commits", store == name else { return }
        let isFirst = saved.withLock { saved in
          defer { saved = true }
          return !saved
        }
        guard isFirst else { return }
        try? container.root.performAndWait { context in
          context.town("of the handler")
          try context.save()
        }
      }
      try container.root.performAndWait { context in
        context.town("A")
        try context.save()
        // The handler waits for this block, and this block for no handler.
      }
      Observability.flush()
      #expect(try store.newContext().count(Town.all) == 2)
    }
  }

  @Suite struct `A slow fetch` {
    @Test func `is counted and logged with its plan, without values`() throws {
      let store = try ObservedStore(vaultModel(), slowFetchThreshold: .zero)
      let context = store.newContext()
      _ = try context.fetch(Town.where { $0.name == "Lavasan" && $0.population > 31_337 }.limit(9))
      #expect(store.total("strata.fetches.slow", ["entity": "Town", "operation": "fetch"]) == 1)
      let entry = try #require(store.logEntries.first)
      #expect(entry.level == .notice)
      #expect(entry.metadata["entity"] == "Town" && entry.metadata["operation"] == "fetch")
      #expect(entry.metadata["rows"] == "0")
      #expect(
        entry.metadata["plan"]
          == "Town: index on name (values); filter: population >; in order; limit 9")
    }

    @Test func `is neither counted nor logged below the threshold, or without one`() throws {
      for threshold in [Duration.seconds(3_600), nil] {
        let store = try ObservedStore(vaultModel(), slowFetchThreshold: threshold)
        _ = try store.newContext().fetch(Town.all)
        #expect(store.total("strata.fetches") == 1)
        #expect(store.total("strata.fetches.slow") == 0)
        #expect(store.logEntries.isEmpty)
      }
    }
  }

  @Suite struct `A store's observation` {
    @Test func `has the names of several stores together for contexts, and each for commits`()
      async throws
    {
      // In a process of its own, because it stops observing.
      await #expect(processExitsWith: .success) {
        _ = Systems.shared
        Observability.start()
        let folder = try TemporaryDirectory()
        let coordinator = try PersistentStoreCoordinator(
          stores: [
            PersistentStoreDescription(at: folder.file("one.strata")),
            PersistentStoreDescription(at: folder.file("two.strata")),
          ], model: vaultModel())
        let context = ManagedObjectContext(parent: coordinator)
        context.town("A")
        try context.save()
        Observability.flush()
        let counters = Systems.shared.metrics.recorded.counters
        func stores(_ label: String) -> Set<String> {
          let dimensions = counters.filter { $0.label == label }.flatMap(\.dimensions)
          return Set(dimensions.filter { $0.0 == "store" }.map(\.1))
        }
        #expect(stores("strata.saves") == ["one.strata+two.strata"])
        #expect(stores("strata.commits") == ["one"])
      }
    }

    @Test func `begins with stores that are opened after the start, and ends with the stop`()
      async throws
    {
      await #expect(processExitsWith: .success) {
        _ = Systems.shared
        let earlier = try PersistentContainer(inMemory: vaultModel())
        Observability.start()
        let observed = try PersistentContainer(inMemory: vaultModel())
        Observability.stop()
        let later = try PersistentContainer(inMemory: vaultModel())
        for container in [earlier, observed, later] {
          try container.root.performAndWait { context in
            context.town("A")
            try context.save()
          }
        }
        Observability.flush()
        let saves = Systems.shared.metrics.recorded.counters.filter { $0.label == "strata.saves" }
        #expect(saves.map(\.totalValue) == [1])
        #expect(saves.first?.dimensions.contains { $0 == ("store", "memory") } == true)
      }
    }
  }
#endif
