// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A fetch` {
  @Test func `sees the context's own unsaved inserts, updates and deletes`() async throws {
    let container = try geography()
    let ids = try await container.root.perform { context in
      let ids = ["A", "B", "C"].map { context.city($0, population: 10).objectID }
      try context.save()
      return ids
    }
    try await container.root.perform { context in
      try context.existingObject(City.self, with: ids[0]).population = 20
      context.delete(try context.existingObject(City.self, with: ids[1]))
      context.city("D", population: 10)
      let ten = City.where { $0.population == 10 }.sorted(by: \.name)
      #expect(try context.fetch(ten).map(\.name) == ["C", "D"])
      #expect(try context.count(City.all) == 3)
    }
  }

  @Test func `gives the same instance for the same object`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A")
      #expect(try context.fetch(City.where { $0.name == "A" }).first === city)
      try context.save()
      #expect(try context.fetch(City.where { $0.name == "A" }).first === city)
      #expect(try context.existingObject(City.self, with: city.objectID) === city)
      #expect(context.registeredObject(for: city.objectID) === city)
    }
  }

  @Test func `sorts by several keys, skips and stops`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      for (name, population) in [("A", 1), ("B", 3), ("C", 3), ("D", 2), ("E", 3)] {
        context.city(name, population: population)
      }
      try context.save()
      let request = City.all.sorted(by: \.population, order: .reverse).sorted(
        by: \.name, order: .reverse)
      #expect(try context.fetch(request).map(\.name) == ["E", "C", "B", "D", "A"])
      #expect(try context.fetch(request.offset(1).limit(3)).map(\.name) == ["C", "B", "D"])
    }
  }

  @Test func `walks to-one key paths`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (iran, iraq) = (context.country("IR", name: "Iran"), context.country("IQ", name: "Iraq"))
      context.city("Tehran", population: 7, in: iran)
      context.city("Baghdad", population: 6, in: iraq)
      context.city("Atlantis", population: 9)
      try context.save()
      let inIran = City.where { $0.country.name == "Iran" && $0.population > 1 }
      #expect(try context.fetch(inIran).map(\.name) == ["Tehran"])
      #expect(try context.fetch(City.where { $0.country == iraq }).map(\.name) == ["Baghdad"])
      #expect(try context.fetch(City.where { $0.country == nil }).map(\.name) == ["Atlantis"])
    }
  }

  @Test func `finds texts by prefix, suffix and part, and members of a list`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      for name in ["Lavāsān", "Lahijan", "Alvand", "Zīr Āb"] { context.city(name) }
      try context.save()
      func names(_ request: FetchRequest<City>) throws -> [String] {
        try context.fetch(request.sorted(by: \.name)).map(\.name)
      }
      #expect(try names(City.where { $0.name.hasPrefix("La") }) == ["Lahijan", "Lavāsān"])
      #expect(try names(City.where { $0.name.hasSuffix("an") }) == ["Lahijan"])
      #expect(try names(City.where { $0.name.contains("v") }) == ["Alvand", "Lavāsān"])
      #expect(try names(City.where { $0.name.isIn(["Alvand", "Nowhere"]) }) == ["Alvand"])
    }
  }

  @Test func `of IDs loads no objects`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let ids = try await container.root.perform { context in
      let ids = [context.city("A", population: 1), context.city("B", population: 2)].map(\.objectID)
      try context.save()
      return ids
    }
    try await worker.perform { context in
      let request = City.where { $0.population > 0 }.sorted(by: \.population)
      let found = try context.fetchIDs(request)
      #expect(found == ids)
      #expect(context.registeredObjects.isEmpty)
    }
  }

  @Test func `is right through four levels of contexts`() async throws {
    let container = try geography()
    var queue = container.root
    for level in 1...4 {
      try await queue.perform { context in
        context.city("Level \(level)", population: level)
        for city in try context.fetch(City.where { $0.population < level }) {
          city.population += 10
        }
      }
      queue = ContextQueue(parent: queue)
    }
    // Each level has raised those below, which it sees as published; nothing is saved.
    let seen = try await queue.perform { context in
      try context.fetch(City.all.sorted(by: \.population)).map { "\($0.name) \($0.population)" }
    }
    #expect(seen == ["Level 4 4", "Level 1 11", "Level 2 12", "Level 3 13"])
  }
}
