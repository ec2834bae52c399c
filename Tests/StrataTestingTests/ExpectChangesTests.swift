// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Synchronization
import Testing

@Suite struct `Expected changes` {
  private let store: TestStore
  private let switzerland: ObjectID
  private let italy: ObjectID
  private let zurich: ObjectID
  private let chur: ObjectID

  init() throws {
    store = try TestStore(atlas(), alps())
    switzerland = try store.objects["switzerland"]
    italy = try store.objects["italy"]
    zurich = try store.objects["zurich"]
    chur = try store.objects["chur"]
  }

  private var root: ContextQueue { store.container.root }

  // MARK: - In a context

  @Test func `of a context are met by inserts, updates and deletions that it has not saved`() throws
  {
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      try expectChanges(in: context) {
        let bern = City(context: context)
        (bern.name, bern.population, bern.rank) = ("Bern", 134_000, .capital)
        bern.country = city.country
        city.population = 430_000
        city.rank = .port
        context.delete(try context.existingObject(City.self, with: chur))
      } to: {
        Inserted(City.self).setting(\.name, to: "Bern").setting(\.population, to: 134_000)
          .setting(\.rank, to: .capital).setting(\.country, to: switzerland)
        Updated(zurich, \City.population, from: 421_878, to: 430_000)
        Updated(zurich, \City.rank, from: nil, to: .port)
        Deleted(chur)
      }
      #expect(context.hasChanges)
    }
  }

  @Test func `are compared with the state before the body, not with the parent's`() throws {
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      city.population = 1
      try expectChanges(in: context) {
        city.population = 2
      } to: {
        Updated(zurich, \City.population, from: 1, to: 2)
      }
      try expectChanges(in: context) {
        try context.save()
      } to: {
      }
      try expectChanges(in: context) {
        city.population = 3
        city.population = 2
      } to: {
      }
    }
  }

  @Test func `of a transient attribute are none`() throws {
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      try expectChanges(in: context) {
        city.note = "seen"
      } to: {
      }
    }
  }

  @Test func `make no objects, and call no methods of objects`() throws {
    try root.performAndWait { context in
      try expectChanges(in: context) {
      } to: {
      }
      #expect(context.registeredObjects.isEmpty)
    }
  }

  // MARK: - In a queue, a container and a store

  @Test func `of a queue, a container and a store are of what has reached them`() async throws {
    let worker = store.container.newBackgroundContext()
    let renamed = Updated(zurich, \City.name, from: "Zürich", to: "Zurich")
    try await expectChanges(in: store.container.coordinator) {
      try await expectChanges(in: store.container) {
        try await expectChanges(in: worker) {
          try await worker.perform { [zurich] context in
            try context.existingObject(City.self, with: zurich).name = "Zurich"
          }
        } to: {
          renamed
        }
      } to: {
      }
      try await expectChanges(in: store.container) {
        try await worker.save()
      } to: {
        renamed
      }
    } to: {
    }
    try await expectChanges(in: store.container.coordinator) {
      try await store.container.flush()
    } to: {
      renamed
    }
  }

  @MainActor @Test func `of the view context are met on the main actor`() async throws {
    let context = store.container.viewContext
    let city = try context.existingObject(City.self, with: zurich)
    try await expectChanges(in: context) {
      city.population = 5
      await Task.yield()
    } to: {
      Updated(zurich, \City.population, from: 421_878, to: 5)
    }
    try expectChanges(in: store.container) {
      try context.save()
    } to: {
      Updated(zurich, \City.population, from: 421_878, to: 5)
    }
  }

  @Test func `are met by batches, which no context has made`() async throws {
    let coordinator = store.container.coordinator
    try await expectChanges(in: coordinator) {
      _ = try await coordinator.execute(
        BatchUpdateRequest(City.where { $0.population == 0 }).setting(\.population, to: 35_000))
    } to: {
      Updated(chur, \City.population, from: 0, to: 35_000)
    }
  }

  // MARK: - Of relationships

  @Test func `of a to-one relationship are met at its side alone`() throws {
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      try expectChanges(in: context) {
        city.country = try context.existingObject(Country.self, with: italy)
      } to: {
        Updated(zurich, \City.country, from: switzerland, to: italy)
      }
      try expectChanges(in: context) {
        city.country = nil
        City(context: context).name = "Bern"
      } to: {
        Updated(zurich, \City.country, from: italy, to: nil)
        Inserted(City.self).setting(\.name, to: "Bern").setting(\.country, to: nil)
      }
      let country = try context.existingObject(Country.self, with: switzerland)
      try expectChanges(in: context) {
        city.country = country
      } to: {
        Updated(zurich, \City.country, from: nil, to: country)
      }
    }
  }

  @Test func `of a symmetric relationship are met at both objects`() throws {
    try root.performAndWait { context in
      let country = try context.existingObject(Country.self, with: switzerland)
      try expectChanges(in: context) {
        country.neighbours.insert(try context.existingObject(Country.self, with: italy))
      } to: {
        Updated(switzerland, \Country.neighbours, from: [], to: [italy])
        Updated(italy, \Country.neighbours, from: [], to: [switzerland])
      }
    }
  }

  @Test func `of an ordered relationship are met by its order`() throws {
    let made = Mutex<ObjectID?>(nil)
    try root.performAndWait { context in
      let cities = try [zurich, chur].map { try context.existingObject(City.self, with: $0) }
      let route = try expectChanges(in: context) {
        let route = Route(context: context)
        route.name = "Rhine"
        route.stops.append(contentsOf: cities)
        return route
      } to: {
        Inserted(Route.self).setting(\.name, to: "Rhine").setting(\.stops, to: [zurich, chur])
      }
      made.withLock { $0 = route.objectID }
      try expectChanges(in: context) {
        route.stops.remove(cities[0])
        route.stops.append(cities[0])
      } to: {
        Updated(route.objectID, \Route.stops, from: [zurich, chur], to: [chur, zurich])
      }
      let lines = try differences {
        try expectChanges(in: context) {
          route.stops.remove(cities[1])
        } to: {
          Updated(route.objectID, \Route.stops, from: [zurich, chur], to: [zurich])
        }
      }
      #expect(
        lines == [
          "Route/5.stops: expected [City/3, City/4] → [City/3], found [City/4, City/3] → [City/3]"
        ])
    }
  }

  @Test func `of an ordered relationship with a to-one inverse are met at both sides`() throws {
    try root.performAndWait { context in
      let (album, track) = (Album(context: context), Track(context: context))
      try expectChanges(in: context) {
        album.tracks.append(track)
      } to: {
        Updated(album.objectID, \Album.tracks, from: [], to: [track.objectID])
        Updated(track.objectID, \Track.album, from: nil, to: album)
      }
    }
  }

  @Test func `of delete rules are changes of their own`() throws {
    try root.performAndWait { context in
      try expectChanges(in: context) {
        context.delete(try context.existingObject(Country.self, with: switzerland))
      } to: {
        Deleted(switzerland)
        for city in [zurich, chur] { Deleted(city) }
      }
    }
  }

  // MARK: - Without values

  @Test func `of properties that have no value yet begin at the zeros of their types`() throws {
    let token = UUID()
    let zero = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
    try root.performAndWait { context in
      let sample = try expectChanges(in: context) {
        Sample(context: context)
      } to: {
        Inserted(Sample.self).setting(\.token, to: zero).setting(\.bool, to: false)
          .setting(\.small, to: 0).setting(\.text, to: nil).setting(\.address, to: nil)
      }
      try expectChanges(in: context) {
        (sample.token, sample.bool, sample.int, sample.decimal) = (token, true, 1, 2)
      } to: {
        Updated(sample.objectID, \Sample.token, from: zero, to: token)
        Updated(sample.objectID, \Sample.bool, from: false, to: true)
        Updated(sample.objectID, \Sample.int, from: 0, to: 1)
        Updated(sample.objectID, \Sample.decimal, from: 0, to: 2)
      }
    }
  }

  // MARK: - In great number

  @Test func `of thousands of new objects are met in any order`() throws {
    let numbers = 0..<2_000
    try root.performAndWait { context in
      try expectChanges(in: context) {
        for number in numbers {
          let city = City(context: context)
          (city.name, city.population, city.rank) = ("City \(number)", number, .port)
        }
      } to: {
        for number in numbers.reversed() {
          Inserted(City.self).setting(\.name, to: "City \(number)")
            .setting(\.population, to: number).setting(\.rank, to: .port)
        }
      }
    }
  }

  @Test func `of new objects are met by values that are no numbers`() throws {
    try root.performAndWait { context in
      try expectChanges(in: context) {
        for text in ["a", "b"] {
          let sample = Sample(context: context)
          (sample.text, sample.double, sample.decimal) = (text, .nan, .nan)
        }
      } to: {
        for text in ["b", "a"] {
          Inserted(Sample.self).setting(\.text, to: text).setting(\.double, to: .nan)
            .setting(\.decimal, to: .nan)
        }
      }
    }
  }

  // MARK: - By name, ignored, and with the result of the body

  @Test func `may name properties, for tests without classes`() throws {
    try root.performAndWait { context in
      try expectChanges(in: context) {
        try context.existingObject(ManagedObject.self, with: zurich)
          .setValue(.int(7), for: "population")
        let entry = try EntityDescription.insertNewObject(forEntityName: "Language", into: context)
        try entry.setValue(.string("rm"), for: "code")
      } to: {
        Updated(zurich, "population", from: .int(421_878), to: .uint(7))
        Inserted(entityName: "Language").setting("code", to: .string("rm"))
      }
    }
  }

  @Test func `leave out the properties that are ignored`() throws {
    try root.performAndWait { context in
      let city = try context.existingObject(City.self, with: zurich)
      try expectChanges(in: context, ignoring: ["City.population", "City.rank"]) {
        (city.name, city.population) = ("Zurich", 1)
        let bern = City(context: context)
        (bern.name, bern.rank) = ("Bern", .capital)
      } to: {
        Updated(zurich, \City.name, from: "Zürich", to: "Zurich")
        Inserted(City.self).setting(\.name, to: "Bern")
      }
    }
  }

  @Test func `may depend on conditions`() throws {
    try root.performAndWait { context in
      for isRenamed in [true, false] {
        try expectChanges(in: context) {
          if isRenamed { try context.existingObject(City.self, with: chur).name = "Coire" }
        } to: {
          if isRenamed { Updated(chur, \City.name, from: "Chur", to: "Coire") }
        }
      }
    }
  }

  @Test func `are not compared if the body throws, and the error goes on`() throws {
    struct Refusal: Error {}
    try root.performAndWait { context in
      #expect(throws: Refusal.self) {
        try expectChanges(in: context) {
          try context.existingObject(City.self, with: chur).name = "Coire"
          throw Refusal()
        } to: {
        }
      }
    }
  }
}
