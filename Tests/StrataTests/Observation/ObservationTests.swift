// SPDX-License-Identifier: Apache-2.0
import Observation
import Strata
import Synchronization
import Testing

/// Counts the changes that `withObservationTracking` tells of.
private final class Witness: Sendable {
  private let count = Mutex(0)

  /// Reads `properties` under observation, does `work`, and returns whether a change was told.
  func isTold(
    reading properties: () throws -> Void, by work: () throws -> Void
  ) rethrows -> Bool {
    count.withLock { $0 = 0 }
    var failure: (any Error)?
    withObservationTracking {
      do { try properties() } catch { failure = error }
    } onChange: {
      self.count.withLock { $0 += 1 }
    }
    #expect(failure == nil)
    try work()
    return count.withLock { $0 } == 1
  }
}

/// Like `isTold(reading:by:)` of a fresh witness.
private func isTold(
  reading properties: () throws -> Void, by work: () throws -> Void
) rethrows -> Bool {
  try Witness().isTold(reading: properties, by: work)
}

@Suite struct `An observer of a property` {
  /// A context that tracks observation, with two cities of one country, saved.
  private func withAtlas(
    _ body: (ManagedObjectContext, Country, [City]) throws -> Void
  ) throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    let iran = context.country("IR")
    let cities = [context.city("A", in: iran), context.city("B", in: iran)]
    try context.save()
    try body(context, iran, cities)
  }

  @Test func `is notified of an assignment, once, and of no other property's`() throws {
    try withAtlas { _, _, cities in
      let (a, b) = (cities[0], cities[1])
      #expect(
        isTold {
          _ = a.name
        } by: {
          a.name = "Z"
        })
      #expect(
        isTold {
          _ = a.name
        } by: {
          a.name = "Y"
          a.name = "X"
        })
      #expect(
        !isTold {
          _ = a.name
        } by: {
          a.population = 5
        })
      #expect(
        !isTold {
          _ = a.name
        } by: {
          b.name = "Z"
        })
      #expect(
        !isTold {
          _ = a.name
        } by: {
          a.name = "X"
        })
      #expect(
        isTold {
          _ = a.note
        } by: {
          a.note = "transient"
        })
      #expect(
        !isTold {
          _ = a.note
        } by: {
          a.note = "transient"
        })
    }
  }

  @Test func `is notified before the value changes`() throws {
    try withAtlas { _, _, cities in
      let a = cities[0]
      // Safety: observers are told on the thread that changes the object.
      nonisolated(unsafe) let observed = a
      let seen = Mutex("")
      withObservationTracking {
        _ = a.name
      } onChange: {
        let name = observed.name
        seen.withLock { $0 = name }
      }
      a.name = "Z"
      #expect(seen.withLock { $0 } == "A")
    }
  }

  @Test func `is notified of both ends of a relationship`() throws {
    try withAtlas { context, iran, cities in
      let (a, b) = (cities[0], cities[1])
      let iraq = context.country("IQ")
      #expect(
        isTold {
          _ = a.country
        } by: {
          a.country = iraq
        })
      #expect(
        isTold {
          _ = iran.cities.count
        } by: {
          b.country = nil
        })
      #expect(
        isTold {
          _ = iraq.cities.count
        } by: {
          b.country = iraq
        })
      #expect(
        isTold {
          _ = b.country
        } by: {
          iraq.cities.remove(b)
        })
      #expect(
        !isTold {
          _ = iran.cities.count
        } by: {
          iraq.cities.insert(b)
        })
      #expect(
        isTold {
          _ = iraq.cities.contains(b)
        } by: {
          context.delete(b)
        })
      let language = Language(context: context)
      #expect(
        isTold {
          _ = language.countries.count
        } by: {
          iran.languages.insert(language)
        })
      #expect(
        isTold {
          _ = iran.languages.count
        } by: {
          language.countries.remove(iran)
        })
      #expect(
        isTold {
          _ = iran.neighbours.isEmpty
        } by: {
          iraq.neighbours.insert(iran)
        })
      let government = Government(context: context)
      #expect(
        isTold {
          _ = iran.government
        } by: {
          government.country = iran
        })
    }
  }

  @Test func `is notified of the order of an ordered relationship`() throws {
    try withAtlas { context, _, cities in
      let route = Route(context: context)
      route.stops.append(cities[0])
      route.stops.append(cities[1])
      #expect(
        isTold {
          _ = route.stops.map(\.name)
        } by: {
          route.stops.insert(cities[1], at: 0)
        })
    }
  }

  @Test func `is notified of a rollback, only for reverted objects`() throws {
    try withAtlas { context, iran, cities in
      let (a, b) = (cities[0], cities[1])
      a.name = "Z"
      #expect(
        isTold {
          _ = a.name
        } by: {
          context.rollback()
        })
      #expect(a.name == "A")
      a.name = "Z"
      #expect(
        !isTold {
          _ = (a.population, b.name, iran.cities.count)
        } by: {
          context.rollback()
        })
      context.city("new", in: iran)
      #expect(
        isTold {
          _ = iran.cities.count
        } by: {
          context.rollback()
        })
      a.country = nil
      #expect(
        isTold {
          _ = iran.cities.count
        } by: {
          context.rollback()
        })
      context.delete(a)
      #expect(
        isTold {
          _ = iran.cities.count
        } by: {
          context.rollback()
        })
    }
  }

  @Test func `is notified of a child's save when it is integrated`() throws {
    try withAtlas { context, iran, cities in
      let a = cities[0]
      let child = ManagedObjectContext(parent: context)
      try child.existingObject(City.self, with: a.objectID).name = "Z"
      #expect(
        try isTold {
          _ = a.name
        } by: {
          try child.save()
        })
      #expect(a.name == "Z")
      try child.existingObject(City.self, with: a.objectID).name = "Y"
      #expect(
        try !isTold {
          _ = a.population
        } by: {
          try child.save()
        })
      child.city("new", in: try child.existingObject(Country.self, with: iran.objectID))
      #expect(
        try isTold {
          _ = iran.cities.count
        } by: {
          try child.save()
        })
      #expect(iran.cities.count == 3)
    }
  }

  @Test func `is notified of a save that another queue's child has pushed`() throws {
    try withAtlas { context, iran, cities in
      let a = cities[0]
      let worker = ContextQueue(parent: context.layer)
      let (city, country) = (a.objectID, iran.objectID)
      let isNameTold = try isTold {
        _ = a.name
      } by: {
        try worker.performAndWait { worker in
          try worker.existingObject(City.self, with: city).name = "Z"
          worker.city("new", in: try worker.existingObject(Country.self, with: country))
          try worker.save()
        }
        context.processPendingChanges()
      }
      #expect(isNameTold && a.name == "Z")
      let new = try #require(try context.fetchIDs(City.where { $0.name == "new" }).first)
      let areCitiesTold = try isTold {
        _ = iran.cities.count
      } by: {
        try worker.performAndWait { worker in
          try worker.existingObject(City.self, with: new).country = nil
          try worker.save()
        }
        context.processPendingChanges()
      }
      #expect(areCitiesTold)
    }
  }

  @Test func `is notified when the object turns into a fault, is deleted or leaves its context`()
    throws
  {
    try withAtlas { context, _, cities in
      let (a, b) = (cities[0], cities[1])
      #expect(
        isTold {
          _ = a.name
        } by: {
          context.registry.turnIntoFault(a)
        })
      #expect(
        isTold {
          _ = a.name
        } by: {
          context.delete(a)
        })
      #expect(
        isTold {
          _ = b.name
        } by: {
          context.reset()
        })
    }
  }

  @Test func `is notified when a merge policy decides against it`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    context.tracksObservation = true
    let city = context.city("A")
    try context.save()
    let other = ManagedObjectContext(parent: container.coordinator)
    try other.existingObject(City.self, with: city.objectID).name = "theirs"
    try other.save()
    city.population = 5
    context.mergePolicy = .mergeByPropertyStoreTrump
    #expect(
      try isTold {
        _ = city.name
      } by: {
        try context.save()
      })
    #expect(city.name == "theirs" && city.population == 5)
  }

  @Test func `is notified when a fault that the cache made comes back`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    let id = context.city(String(repeating: "A", count: 500)).objectID
    try context.save()
    let isTold = try isTold {
      _ = try context.existingObject(City.self, with: id).name
    } by: {
      context.cacheByteBudget = 400
      context.processPendingChanges()
      #expect(context.registeredObject(for: id)?.isFault == true)
      try container.root.performAndWait { root in
        try root.existingObject(City.self, with: id).name = "B"
      }
      // All reads of the turn are of one moment, and that was before.
      context.processPendingChanges()
      #expect(try context.existingObject(City.self, with: id).name == "B")
    }
    #expect(isTold)
  }

  @Test func `is not notified of a save or of encoding`() throws {
    try withAtlas { context, _, cities in
      let a = cities[0]
      a.name = "Z"
      let isTold = try isTold {
        _ = (a.name, a.country)
      } by: {
        _ = try context.cityNames()
        try context.save()
      }
      #expect(!isTold)
    }
  }

  @Test func `needs a context that tracks observation`() throws {
    try withAtlas { context, _, cities in
      let a = cities[0]
      context.tracksObservation = false
      #expect(
        !isTold {
          _ = a.name
        } by: {
          a.name = "Z"
        })
      context.tracksObservation = true
      #expect(
        isTold {
          _ = a.name
        } by: {
          a.name = "Y"
        })
    }
  }

  @Test func `costs the cache no more than its budget`() throws {
    let container = try geography()
    try container.root.performAndWait { context in
      for index in 0..<3_000 { context.city("\(index)") }
      try context.save()
    }
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    context.cacheByteBudget = 50_000
    for id in try context.fetchIDs(City.all) {
      _ = try context.existingObject(City.self, with: id).name
    }
    for _ in 0..<100 { context.processPendingChanges() }
    #expect(context.registeredObjects.isEmpty)
  }
}

@MainActor
@Suite struct `The view context's objects` {
  @Test func `are observable, and those of queues are not`() async throws {
    let container = try geography()
    #expect(container.viewContext.tracksObservation)
    let city = container.viewContext.city("A")
    #expect(
      isTold {
        _ = city.name
      } by: {
        city.name = "B"
      })
    try await container.newBackgroundContext().perform { context in
      let city = context.city("C")
      #expect(!context.tracksObservation)
      #expect(
        !isTold {
          _ = city.name
        } by: {
          city.name = "D"
        })
    }
  }

  @Test func `tell an observer of a worker's save without being touched`() async throws {
    let container = try geography()
    let city = container.viewContext.city("A")
    try container.viewContext.save()
    let id = city.objectID
    let worker = ContextQueue(parent: container.viewContext.layer)
    let told = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = city.name
    } onChange: {
      told.continuation.yield()
    }
    try await worker.perform { context in
      try context.existingObject(City.self, with: id).name = "B"
      try context.save()
    }
    var changes = told.stream.makeAsyncIterator()
    await changes.next()
    #expect(city.name == "B")
  }
}
