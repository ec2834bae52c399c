// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A relationship` {
  @Test func `set on one side is set on the other`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let city = context.city("A", in: iran)
      #expect(iran.cities.contains(city))
      #expect(Set(iran.cities) == [city])
      iraq.cities.insert(city)
      #expect(city.country === iraq)
      #expect(iran.cities.isEmpty)
      iraq.cities.remove(city)
      #expect(city.country == nil)
    }
  }

  @Test func `to one on both sides lets go of former partners`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let (first, second) = (Government(context: context), Government(context: context))
      iran.government = first
      #expect(first.country === iran)
      iraq.government = first
      #expect(iran.government == nil)
      second.country = iraq
      #expect(iraq.government === second)
      #expect(first.country == nil)
      try context.save()
      #expect(iraq.government === second)
    }
  }

  @Test func `many to many and symmetric is seen from both sides, before and after saves`()
    async throws
  {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let ids = try await worker.perform { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let (persian, arabic) = (Language(context: context), Language(context: context))
      iran.neighbours.insert(iraq)
      iran.languages.insert(persian)
      iran.languages.insert(arabic)
      iraq.languages.insert(arabic)
      #expect(Set(iraq.neighbours) == [iran])
      #expect(Set(arabic.countries) == [iran, iraq])
      try context.save()
      return [iran.objectID, iraq.objectID, arabic.objectID]
    }
    let root = container.root
    func check() async throws {
      try await root.perform { context in
        let iran = try context.existingObject(Country.self, with: ids[0])
        let iraq = try context.existingObject(Country.self, with: ids[1])
        #expect(iran.neighbours.objectIDs == [ids[1]])
        #expect(iraq.neighbours.objectIDs == [ids[0]])
        #expect(iran.languages.count == 2)
        let arabic = try context.existingObject(Language.self, with: ids[2])
        #expect(Set(arabic.countries.objectIDs) == [ids[0], ids[1]])
      }
    }
    try await check()
    try await container.root.save()
    try await check()
    try await worker.perform { context in
      let iran = try context.existingObject(Country.self, with: ids[0])
      iran.neighbours.removeAll()
      try context.save()
    }
    try await container.root.save()
    try await container.root.perform { context in
      let isAlone = try context.existingObject(Country.self, with: ids[1]).neighbours.isEmpty
      #expect(isAlone)
    }
  }

  @Test func `gives IDs and counts without loading the members`() async throws {
    let container = try geography()
    let id = try await container.root.perform { context in
      let iran = context.country("IR")
      for index in 0..<100 { context.city("\(index)", in: iran) }
      try context.save()
      return iran.objectID
    }
    try await container.newBackgroundContext().perform { context in
      let iran = try context.existingObject(Country.self, with: id)
      #expect(iran.cities.count == 100)
      #expect(iran.cities.objectIDs.count == 100)
      #expect(context.registeredObjects == [iran])
      context.city("101", in: iran)
      #expect(iran.cities.count == 101)
    }
  }

  @Test func `ordered keeps its order through inserts, moves and saves`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let id = try await worker.perform { context in
      let route = Route(context: context)
      let cities = ["A", "B", "C", "D"].map { context.city($0) }
      for city in cities { route.stops.append(city) }
      route.stops.insert(cities[3], at: 1)
      #expect(route.stops.map(\.name) == ["A", "D", "B", "C"])
      route.stops.remove(cities[1])
      try context.save()
      return route.objectID
    }
    try await container.root.perform { context in
      let route = try context.existingObject(Route.self, with: id)
      #expect(route.stops.map(\.name) == ["A", "D", "C"])
      route.stops.insert(context.city("E"), at: 0)
      try context.save()
    }
    try await ContextQueue(parent: container.coordinator).perform { context in
      let route = try context.existingObject(Route.self, with: id)
      #expect(route.stops.map(\.name) == ["E", "A", "D", "C"])
    }
  }

  @Test func `ordered finds room between neighbours a hundred times`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let route = Route(context: context)
      route.stops.append(context.city("first"))
      route.stops.append(context.city("last"))
      for index in 0..<100 { route.stops.insert(context.city("\(index)"), at: 1) }
      #expect(
        route.stops.map(\.name) == ["first"] + (0..<100).reversed().map(String.init) + ["last"])
    }
  }
}

@Suite struct `A delete` {
  @Test func `cascades to members, saved and unsaved`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let iran = context.country("IR")
      context.city("Saved", in: iran)
      try context.save()
      let unsaved = context.city("Unsaved", in: iran)
      context.delete(iran)
      #expect(unsaved.managedObjectContext == nil)
      try context.save()
      #expect(try context.count(City.all) == 0)
      #expect(try context.count(Country.all) == 0)
    }
  }

  @Test func `nullifies links of every kind`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let language = Language(context: context)
      let route = Route(context: context)
      let city = context.city("A")
      iran.neighbours.insert(iraq)
      iran.languages.insert(language)
      iran.government = Government(context: context)
      route.start = city
      route.stops.append(city)
      try context.save()
      context.delete(iran)
      context.delete(city)
      try context.save()
      #expect(iraq.neighbours.isEmpty)
      #expect(language.countries.isEmpty)
      #expect(try context.fetch(Government.all).first?.country == nil)
      #expect(route.start == nil)
      #expect(route.stops.isEmpty)
    }
  }

  @Test func `of an object that a deny rule protects fails at save, and not without members`()
    async throws
  {
    let container = try geography()
    try await container.root.perform { context in
      let route = Route(context: context)
      let ferry = Ferry(context: context)
      route.ferries.insert(ferry)
      try context.save()
      context.delete(route)
      do {
        try context.save()
        Issue.record("the save went through")
      } catch ContextError.deleteDenied(let denied) {
        #expect(denied.map(\.objectID) == [route.objectID])
        #expect(denied.map(\.property) == ["ferries"])
      }
      context.rollback()
      route.ferries.removeAll()
      context.delete(route)
      try context.save()
      #expect(try context.count(Ferry.all) == 1)
      #expect(try context.count(Route.all) == 0)
    }
  }

  @Test func `of an object whose to-one relationship denies it goes by the target at its deletion`()
    throws
  {
    let container = try geography()
    let (with, without) = try container.root.performAndWait { context in
      let ferries = [Ferry(context: context), Ferry(context: context)]
      ferries[0].port = context.city("Port")
      try context.save()
      return (ferries[0].objectID, ferries[1].objectID)
    }
    let worker = container.newBackgroundContext()
    try worker.performAndWait { context in
      let ferry = try context.existingObject(Ferry.self, with: without)
      ferry.port = try context.fetch(City.all).first
      context.delete(ferry)
      #expect(
        throws: ContextError.deleteDenied([
          .init(objectID: without, entity: "Ferry", property: "port")
        ])
      ) { try context.save() }
      context.rollback()
      let free = try context.existingObject(Ferry.self, with: with)
      free.port = nil
      context.delete(free)
      try context.save()
    }
    try container.root.performAndWait { context in
      try context.save()
      #expect(try context.fetch(Ferry.all).map(\.objectID) == [without])
    }
  }

  @Test func `of an object whose to-one relationship denies it fails while the target is there`()
    async throws
  {
    let container = try geography()
    try await container.root.perform { context in
      let ferry = Ferry(context: context)
      ferry.port = context.city("Port")
      try context.save()
      context.delete(ferry)
      #expect(
        throws: ContextError.deleteDenied([
          .init(objectID: ferry.objectID, entity: "Ferry", property: "port")
        ])
      ) { try context.save() }
      context.rollback()
      ferry.port = nil
      try context.save()
      context.delete(ferry)
      try context.save()
      #expect(try context.count(Ferry.all) == 0)
    }
  }

  @Test func `by a child reaches members that only the parent has pending`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let id = try await container.root.perform { context in
      let iran = context.country("IR")
      try context.save()
      return iran.objectID
    }
    try await worker.perform { context in
      _ = try context.existingObject(Country.self, with: id).cities.count
      context.delete(try context.existingObject(Country.self, with: id))
    }
    try await container.root.perform { context in
      _ = context.city("Late", in: try context.existingObject(Country.self, with: id))
    }
    try await worker.save()
    try await container.root.perform { context in
      #expect(try context.cityNames() == [])
      try context.save()
    }
  }
}
