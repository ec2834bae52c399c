// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// The names of the cities, sorted.
private func names(
  _ context: ManagedObjectContext, _ predicate: (PropertyPath<City, City>) -> FetchPredicate
) throws -> [String] {
  try context.fetch(City.where(predicate)).map(\.name).sorted()
}

/// The codes of the countries, sorted.
private func codes(
  _ context: ManagedObjectContext, _ predicate: (PropertyPath<Country, Country>) -> FetchPredicate
) throws -> [String] {
  try context.fetch(Country.where(predicate)).map(\.iso).sorted()
}

/// Two countries with cities, languages, neighbours and a route; and a third with nothing.
private func populate(_ context: ManagedObjectContext) {
  let (iran, iraq) = (context.country("IR", name: "Iran"), context.country("IQ", name: "Iraq"))
  context.country("XX", name: "Atlantis")
  context.city("Tehran", population: 9, in: iran)
  context.city("Bam", population: 1, in: iran)
  context.city("Baghdad", population: 6, in: iraq)
  context.city("Nowhere", population: 6)
  iran.neighbours.insert(iraq)
  for (code, countries) in [("fa", [iran]), ("ku", [iran, iraq])] {
    let language = Language(context: context)
    language.code = code
    for country in countries { language.countries.insert(country) }
  }
}

@Suite struct `Predicates about to-many relationships` {
  /// The expectation for saved and unsaved objects.
  private static func check(_ context: ManagedObjectContext) throws {
    // Through to-one inverses.
    let large = try codes(context) { $0.cities.any { $0.population > 8 } }
    #expect(large == ["IR"])
    let all = try codes(context) { $0.cities.all { $0.population > 5 } }
    #expect(all == ["IQ", "XX"])
    let none = try codes(context) { $0.cities.none { $0.name.hasPrefix("B") } }
    #expect(none == ["XX"])
    let counted = try codes(context) { $0.cities.count >= 1 && $0.cities.count != 2 }
    #expect(counted == ["IQ"])
    let empty = try codes(context) { $0.cities.isEmpty }
    #expect(empty == ["XX"])
    let filtered = try codes(context) { $0.cities.filter { $0.population < 9 }.count == 1 }
    #expect(filtered == ["IQ", "IR"])
    let sum = try codes(context) { $0.cities.sum { $0.population } == 10 }
    #expect(sum == ["IR"])
    let nothing = try codes(context) { $0.cities.sum { $0.population } == 0 }
    #expect(nothing == ["XX"])
    let least = try codes(context) { $0.cities.min { $0.name } == "Baghdad" }
    #expect(least == ["IQ"])
    let average = try codes(context) { $0.cities.average { $0.population } < 6 }
    #expect(average == ["IR"])
    let noLargest = try codes(context) { $0.cities.max { $0.population } == nil }
    #expect(noLargest == ["XX"])
    // Through links, of a relationship with itself too.
    let speaking = try codes(context) { $0.languages.any { $0.code == "ku" } }
    #expect(speaking == ["IQ", "IR"])
    let beside = try codes(context) { $0.neighbours.any { $0.cities.count == 1 } }
    #expect(beside == ["IR"])
    // Through a to-one relationship first, and back to the object itself.
    let crowded = try names(context) { $0.country.cities.count > 1 }
    #expect(crowded == ["Bam", "Tehran"])
    let largest = try names(context) { city in
      city.country != nil && city.country.cities.none { $0.population > city.population }
    }
    #expect(largest == ["Baghdad", "Tehran"])
    // The same as text.
    let format = try FetchPredicate(
      format:
        "country != nil AND SUBQUERY(country.cities, $x, $x.population > population).@count = 0")
    let same = try context.fetch(FetchRequest<City>(format)).map(\.name).sorted()
    #expect(same == ["Baghdad", "Tehran"])
  }

  @Test func `are the same for objects unsaved, saved, and unsaved two levels up`() async throws {
    let container = try geography()
    let worker = ContextQueue(parent: ContextQueue(parent: container.root))
    try await container.root.perform { context in
      populate(context)
      try Self.check(context)
    }
    try await worker.perform { try Self.check($0) }
    try await container.root.perform { context in
      try context.save()
      try Self.check(context)
    }
    try await worker.perform { try Self.check($0) }
  }

  @Test func `see pending changes at each level above saved ones`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      populate(context)
      try context.save()
    }
    let middle = ContextQueue(parent: container.root)
    let worker = ContextQueue(parent: middle)
    try await container.root.perform { context in
      let bam = try #require(try context.fetch(City.where { $0.name == "Bam" }).first)
      bam.country = try context.fetch(Country.where { $0.iso == "XX" }).first
    }
    try await middle.perform { context in
      let baghdad = try #require(try context.fetch(City.where { $0.name == "Baghdad" }).first)
      context.delete(baghdad)
      let iran = try #require(try context.fetch(Country.where { $0.iso == "IR" }).first)
      iran.languages.removeAll()
    }
    try await worker.perform { context in
      let counts = try codes(context) { $0.cities.count == 1 }
      #expect(counts == ["IR", "XX"])
      let empty = try codes(context) { $0.cities.isEmpty }
      #expect(empty == ["IQ"])
      let silent = try codes(context) { $0.languages.none { $0.code.contains("") } }
      #expect(silent == ["IR", "XX"])
    }
  }

  @Test func `know the members of an ordered relationship without inverse`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (a, b) = (context.city("A", population: 1), context.city("B", population: 2))
      let route = Route(context: context)
      route.name = "R"
      route.stops.append(b)
      route.stops.append(a)
      for _ in 0..<2 {
        let found = try context.count(Route.where { $0.stops.sum { $0.population } == 3 })
        #expect(found == 1)
        let member = try context.count(Route.where { $0.stops.contains(a.objectID) })
        #expect(member == 1)
        let format = try FetchPredicate(format: "stops CONTAINS %@ AND ANY stops == %@", a, b)
        #expect(try context.count(FetchRequest<Route>(format)) == 1)
        try context.save()
      }
      context.delete(b)
      let left = try context.count(Route.where { $0.stops.count == 1 })
      #expect(left == 1)
    }
  }

  @Test func `take objects as arguments`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let iran = context.country("IR")
      let city = context.city("Bam", in: iran)
      context.city("Nowhere")
      for format in ["country == %@", "country IN {%@}", "%@ == country"] {
        let predicate = try FetchPredicate(format: format, iran)
        #expect(try context.fetch(FetchRequest<City>(predicate)).map(\.name) == ["Bam"])
      }
      let itself = try FetchPredicate(format: "SELF IN %@", [city])
      #expect(try context.fetch(FetchRequest<City>(itself)).map(\.name) == ["Bam"])
      let id = city.objectID
      #expect(try names(context) { $0 == id } == ["Bam"])
      #expect(try names(context) { $0 != id } == ["Nowhere"])
    }
  }
}

@Suite struct `Predicates that calculate or look past case and accents` {
  @Test func `are the same for unsaved and saved objects`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      context.city("Zürich", population: 4)
      context.city("ZURICH", population: 8)
      context.city("Zug", population: 0)
      for _ in 0..<2 {
        let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(
          try names(context) { $0.name.isEqual(to: "zurich", options: both) } == [
            "ZURICH", "Zürich",
          ])
        #expect(
          try names(context) { $0.name.hasPrefix("zu", options: .caseInsensitive) } == [
            "ZURICH", "Zug",
          ])
        #expect(
          try names(context) { $0.name.hasSuffix("rich", options: .caseInsensitive) } == [
            "ZURICH", "Zürich",
          ])
        #expect(
          try names(context) { $0.name.contains("uri", options: both) } == ["ZURICH", "Zürich"])
        #expect(try names(context) { $0.name.isLike("Z?rich") } == ["Zürich"])
        #expect(try names(context) { $0.name.matches("Z[a-z]+") } == ["Zug"])
        #expect(try names(context) { $0.population * 2 + 1 == 9 } == ["Zürich"])
        #expect(try names(context) { $0.population / 0 == 0 } == [])
        #expect(try names(context) { $0.population.raised(to: 0.5) > 2.5 } == ["ZURICH"])
        #expect(
          try names(context) { $0.population * $0.population == $0.population * 8 } == [
            "ZURICH", "Zug",
          ])
        try context.save()
      }
    }
  }

  @Test func `fail where the expression is none`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      #expect {
        try context.count(City.where { $0.name.matches("(") })
      } throws: { if case QueryError.invalidPattern = $0 { true } else { false } }
    }
  }
}
