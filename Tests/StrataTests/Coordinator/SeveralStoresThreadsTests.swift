// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// Counters in two stores: each saver counts one in the first and then in the second.
@Suite struct `Threads that save to several stores and read them` {
  private let saverCount = 4
  private let readerCount = 4
  private let roundCount = 60

  /// The populations of a saver's two cities.
  private struct Counters: Equatable {
    var main: Int
    var cache: Int
  }

  @Test(arguments: [false, true])
  func `see states of one moment, and never an earlier one`(isOnDisk: Bool) throws {
    let folder = try TemporaryDirectory()
    let stores = try isOnDisk ? TwoStores(in: folder) : TwoStores()
    defer { stores.close() }
    let context = stores.newContext()
    for store in [stores.main, stores.cache] {
      for saver in 0..<saverCount { try context.city("saver \(saver)", in: store) }
      // Two whose sum stays.
      for name in ["left", "right"] { try context.city(name, population: 1_000, in: store) }
      try context.save()
    }
    let failures = Mutex<[String]>([])
    let runningCount = Mutex(saverCount)
    performOnThreads(saverCount + readerCount) { number in
      do {
        if number < saverCount {
          defer { runningCount.withLock { $0 -= 1 } }
          try save(stores, number)
        } else {
          let failure = try read(stores) { runningCount.withLock { $0 > 0 } }
          if let failure { failures.withLock { $0.append(failure) } }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let last = try counters(in: stores.newContext(), stores)
    #expect(last == Array(repeating: Counters(main: 60, cache: 60), count: saverCount))
  }

  /// A thread that is about to wait for the stores asks which threads write to them.
  @Test(arguments: [1, 2])
  func `name the threads that write while these begin and end`(saverCount: Int) throws {
    let stores = try TwoStores()
    defer { stores.close() }
    let runningCount = Mutex(saverCount)
    let seen = Mutex<Set<Int>>([])
    performOnThreads(saverCount + 2) { number in
      if number < saverCount {
        defer { runningCount.withLock { $0 -= 1 } }
        for round in 0..<1_000 {
          let context = stores.newContext()
          let store = round % 2 == number ? stores.main : stores.cache
          #expect(throws: Never.self) {
            try context.city("saver \(number)", in: store)
            try context.save()
          }
        }
      } else {
        while runningCount.withLock({ $0 > 0 }) {
          let count = stores.coordinator.store.writingThreads.count
          seen.withLock { _ = $0.insert(count) }
        }
      }
    }
    #expect(seen.withLock { $0 }.isSubset(of: [0, 1, 2]))
    #expect(seen.withLock { $0 }.contains(1))
  }

  private func save(_ stores: TwoStores, _ number: Int) throws {
    let queue = ContextQueue(parent: stores.coordinator)
    for round in 1...roundCount {
      for store in [stores.main, stores.cache] {
        try queue.performAndWait { context in
          let city = try context.city("saver \(number)", of: stores, in: store)
          city.population = round
          let (left, right) = (
            try context.city("left", of: stores, in: store),
            try context.city("right", of: stores, in: store)
          )
          // Savers change the same two: the loser of a conflict reads them again.
          left.population -= 1
          right.population += 1
          while true {
            do { return try context.save() } catch StoreError.conflicts {
              for city in [left, right] { context.refresh(city, mergeChanges: false) }
              left.population -= 1
              right.population += 1
            }
          }
        }
      }
    }
  }

  /// - Returns: the first failure; nil without one.
  private func read(_ stores: TwoStores, while isRunning: () -> Bool) throws -> String? {
    let queue = ContextQueue(parent: stores.coordinator)
    var former = Array(repeating: Counters(main: 0, cache: 0), count: saverCount)
    while isRunning() {
      let (counters, sums) = try queue.performAndWait { context in
        context.refreshAllObjects()
        return (
          try self.counters(in: context, stores),
          try [stores.main, stores.cache].map { store in
            try context.city("left", of: stores, in: store).population
              + context.city("right", of: stores, in: store).population
          }
        )
      }
      if sums != [2_000, 2_000] { return "the sums are \(sums)" }
      for (counter, former) in zip(counters, former) {
        if counter.main < former.main || counter.cache < former.cache {
          return "\(counter) after \(former)"
        }
        if !(0...1).contains(counter.main - counter.cache) { return "\(counter) at one moment" }
      }
      former = counters
    }
    return nil
  }

  private func counters(
    in context: ManagedObjectContext, _ stores: TwoStores
  ) throws -> [Counters] {
    try (0..<saverCount).map { saver in
      Counters(
        main: try context.city("saver \(saver)", of: stores, in: stores.main).population,
        cache: try context.city("saver \(saver)", of: stores, in: stores.cache).population)
    }
  }
}

extension ManagedObjectContext {
  /// The city of a name that is in a store.
  fileprivate func city(
    _ name: String, of stores: TwoStores, in store: PersistentStoreCoordinator.Store
  ) throws -> City {
    let cities = try fetch(City.where { $0.name == name })
    return try #require(cities.first { stores.coordinator.store(of: $0.objectID) == store })
  }
}
