// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `Changed values` {
  @Test func `are those that differ from the parent's, as they are now`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let country = context.country("IR")
      let city = context.city("A", population: 1)
      try context.save()
      #expect(city.changedValues().isEmpty && !city.hasPersistentChangedValues)
      city.name = "B"
      city.country = country
      let expected: [String: PropertyValue] = [
        "name": .string("B"), "country": .object(country.objectID),
      ]
      #expect(city.changedValues() == expected)
      _ = try context.cityNames()
      #expect(city.changedValues() == expected)
      city.population = 2
      city.name = "A"
      #expect(
        city.changedValues() == ["population": .int(2), "country": .object(country.objectID)])
      #expect(city.hasPersistentChangedValues)
      city.population = 1
      city.country = nil
      #expect(city.changedValues().isEmpty)
      #expect(city.hasChanges && !city.hasPersistentChangedValues)
      try context.save()
      #expect(city.changedValues().isEmpty)
    }
  }

  @Test func `of a new object are all that have a value`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = City(context: context)
      #expect(city.changedValues() == ["population": .int(0)])
      city.name = "A"
      _ = try context.cityNames()
      #expect(city.changedValues() == ["population": .int(0), "name": .string("A")])
      #expect(
        city.committedValues(forKeys: ["name", "population"]) == [
          "name": .null, "population": .null,
        ])
    }
  }

  @Test func `leave out transient ones, and so does hasPersistentChanges`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A")
      try context.save()
      #expect(!context.hasPersistentChanges)
      city.note = "seen"
      #expect(city.changedValues().isEmpty && !city.hasPersistentChangedValues)
      #expect(city.hasChanges && context.hasChanges && !context.hasPersistentChanges)
      city.name = "B"
      #expect(context.hasPersistentChanges)
      context.rollback()
      #expect(!context.hasChanges && !context.hasPersistentChanges)
      context.delete(city)
      #expect(context.hasPersistentChanges)
    }
  }

  @Test func `that are transient are pushed, and a save to the store writes nothing of them`()
    async throws
  {
    let container = try geography()
    let id = try await container.root.perform { context in
      let city = context.city("A")
      try context.save()
      return city.objectID
    }
    let store = container.coordinator.store
    let generation = try store.snapshot().generation
    try await container.newBackgroundContext().perform { context in
      try context.existingObject(City.self, with: id).note = "pushed"
      try context.save()
    }
    try await container.root.perform { context in
      #expect(context.hasChanges && !context.hasPersistentChanges)
      try context.save()
      #expect(!context.hasChanges)
      let city = try context.existingObject(City.self, with: id)
      #expect(city.note == "pushed")
      let now = try store.snapshot().generation
      #expect(now == generation)
      city.name = "B"
      try context.save()
      let later = try store.snapshot().generation
      #expect(later > generation)
    }
  }

  @Test func `count links of two to-many sides as persistent`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let (country, language) = (context.country("IR"), Language(context: context))
      try context.save()
      #expect(!country.hasPersistentChangedValues)
      country.languages.insert(language)
      #expect(country.hasPersistentChangedValues && language.hasPersistentChangedValues)
      _ = try context.cityNames()
      #expect(country.hasPersistentChangedValues && context.hasPersistentChanges)
      try context.save()
      #expect(!country.hasPersistentChangedValues)
    }
  }

  @Test func `fire no fault`() async throws {
    let container = try geography()
    let id = try await container.root.perform { context in
      let city = context.city("A", in: context.country("IR"))
      try context.save()
      return city.objectID
    }
    try await container.newBackgroundContext().perform { context in
      let city = try context.object(City.self, with: id)
      #expect(city.changedValues().isEmpty && city.changedValuesForCurrentTurn().isEmpty)
      #expect(!city.hasPersistentChangedValues)
      #expect(city.hasFault(forRelationshipNamed: "country"))
      #expect(city.isFault)
      city.population = 9
      #expect(city.changedValues() == ["population": .int(9)])
      #expect(city.hasFault(forRelationshipNamed: "country"))
      let country = try #require(city.country)
      #expect(country.isFault && city.hasFault(forRelationshipNamed: "country"))
      #expect(country.iso == "IR")
      #expect(!city.hasFault(forRelationshipNamed: "country"))
    }
  }
}

@Suite struct `Committed values` {
  @Test func `are the parent's, whatever is unsaved`() async throws {
    let container = try geography()
    let id = try await container.root.perform { context in
      let city = context.city("A", population: 1)
      try context.save()
      return city.objectID
    }
    try await container.newBackgroundContext().perform { context in
      let city = try context.object(City.self, with: id)
      let all: [String: PropertyValue] = [
        "name": .string("A"), "population": .int(1), "country": .null,
      ]
      #expect(city.committedValues() == all)
      city.name = "B"
      city.note = "transient"
      _ = try context.cityNames()
      city.population = 2
      #expect(city.committedValues() == all)
      #expect(city.committedValues(forKeys: ["name"]) == ["name": .string("A")])
      try context.save()
      #expect(city.committedValues(forKeys: ["name"]) == ["name": .string("B")])
      context.delete(city)
      #expect(city.committedValues(forKeys: ["name"]) == ["name": .string("B")])
    }
  }
}

@Suite struct `Changed values of a turn` {
  @Test func `are those that its changes replaced`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A", population: 1)
      try context.save()
      #expect(city.changedValuesForCurrentTurn().isEmpty)
      city.name = "B"
      context.processPendingChanges()
      #expect(city.changedValuesForCurrentTurn().isEmpty)
      city.name = "C"
      _ = try context.cityNames()
      city.population = 2
      #expect(
        city.changedValuesForCurrentTurn() == ["name": .string("B"), "population": .int(1)])
      city.name = "B"
      #expect(city.changedValuesForCurrentTurn() == ["population": .int(1)])
      #expect(city.changedValues() == ["name": .string("B"), "population": .int(2)])
      let new = context.city("new")
      #expect(new.changedValuesForCurrentTurn()["name"] == .null)
      context.processPendingChanges()
      new.name = "renamed"
      #expect(new.changedValuesForCurrentTurn() == ["name": .string("new")])
    }
  }

  @Test func `begin anew with a save`() async throws {
    let container = try geography()
    try await container.root.perform { context in
      let city = context.city("A")
      try context.save()
      city.name = "B"
      try context.save()
      #expect(city.changedValuesForCurrentTurn().isEmpty)
      city.name = "C"
      #expect(city.changedValuesForCurrentTurn() == ["name": .string("B")])
    }
  }
}

@Suite struct `The IDs of a relationship` {
  @Test func `by name are read without its objects`() async throws {
    let container = try geography()
    let (country, cities) = try await container.root.perform { context in
      let country = context.country("IR")
      let cities = ["A", "B"].map { context.city($0, in: country).objectID }
      try context.save()
      return (country.objectID, cities)
    }
    try await container.newBackgroundContext().perform { context in
      let object = try context.object(Country.self, with: country)
      #expect(Set(object.objectIDs(forRelationshipNamed: "cities")) == Set(cities))
      #expect(cities.allSatisfy { context.registeredObject(for: $0) == nil })
      let city = try context.object(City.self, with: cities[0])
      #expect(city.objectIDs(forRelationshipNamed: "country") == [country])
      #expect(object.isFault)
      #expect(object.objectIDs(forRelationshipNamed: "government") == [])
    }
  }
}
