// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Testing

@Suite struct `A test store` {
  @Test func `has the objects of its fixture, saved and by their names`() throws {
    let store = try TestStore(atlas(), alps())
    let zurich = try store.objects["zurich"]
    try ContextQueue(parent: store.container.coordinator).performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      #expect(city.name == "Zürich" && city.country?.iso == "CH")
      #expect(try context.fetch(City.all).count == 2)
    }
    #expect(try store.container.root.performAndWait { !$0.hasChanges })
  }

  @Test func `is empty without a fixture`() throws {
    let store = try TestStore(atlas())
    #expect(try store.container.root.performAndWait { try $0.count(City.all) } == 0)
    #expect(store.objects.ids.isEmpty)
  }

  @Test func `shares nothing with another one of the same model`() throws {
    let model = try atlas()
    let (first, second) = try (TestStore(model), TestStore(model))
    try first.container.root.performAndWait { context in
      City(context: context).name = "Bern"
      try context.save()
    }
    #expect(try second.container.root.performAndWait { try $0.count(City.all) } == 0)
    second.clock.advance(by: .seconds(1))
    #expect(first.clock.now != second.clock.now)
  }

  @Test func `shares nothing with others that are used at the same time`() async throws {
    let model = try atlas()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          let store = try TestStore(model, alps())
          let worker = store.container.newBackgroundContext()
          try await worker.perform { context in
            for _ in 0..<number { City(context: context).name = "\(number)" }
            try context.save()
          }
          try await store.container.flush()
          let cities = try await store.container.root.perform { context in
            Set(try context.fetch(City.all).map(\.objectID.shortName))
          }
          #expect(cities == Set((3..<(5 + number)).map { "City/\($0)" }))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `has the same short names and dates after the same work`() async throws {
    func work() async throws -> [String] {
      let store = try TestStore(atlas(), alps())
      try await store.container.coordinator.keepHistory()
      let worker = store.container.newBackgroundContext()
      store.clock.advance(by: .milliseconds(1_500))
      try await worker.perform { context in
        let entry = Entry(context: context)
        entry.text = "first"
        City(context: context).name = "Bern"
        try context.save()
      }
      try await store.container.flush()
      let objects = try await store.container.root.perform { context in
        let cities = try context.fetch(City.all).map(\.objectID.shortName)
        let entries = try context.fetch(Entry.all).map {
          "\($0.objectID.shortName) \($0.changedAt?.timeIntervalSinceReferenceDate ?? -1)"
        }
        return cities.sorted() + entries
      }
      let dates = try store.container.coordinator.fetchHistory(HistoryRequest()).map {
        "\($0.date.timeIntervalSinceReferenceDate)"
      }
      return objects + dates
    }
    let first = try await work()
    #expect(first == ["City/3", "City/4", "City/6", "Entry/5 1.5", "1.5"])
    #expect(try await work() == first)
  }
}

@Suite struct `A test clock` {
  @Test func `stands still until it is moved, forwards and backwards`() {
    let start = Date(timeIntervalSinceReferenceDate: 1_000)
    let clock = TestClock(start)
    #expect(clock.now == start && clock.now == start)
    clock.advance(by: .seconds(90))
    #expect(clock.now == start + 90)
    clock.advance(by: .milliseconds(-90_500))
    #expect(clock.now == start - 0.5)
  }

  @Test func `decides which transactions of a history are too old`() async throws {
    let store = try TestStore(atlas())
    let coordinator = store.container.coordinator
    try await coordinator.keepHistory(HistoryRetention(maximumAge: .seconds(60)))
    func save(_ name: String) async throws -> Int {
      try await ContextQueue(parent: coordinator).perform { context in
        City(context: context).name = name
        try context.save()
      }
      return try coordinator.fetchHistory(HistoryRequest()).count
    }
    #expect(try await save("Bern") == 1)
    store.clock.advance(by: .seconds(30))
    #expect(try await save("Chur") == 2)
    store.clock.advance(by: .seconds(3_600))
    #expect(try await save("Biel") == 1)
  }
}
