// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

private typealias Message = ManagedObjectContext.Message

@Suite struct `The properties that a message names` {
  /// Runs one turn in the root, and returns the content of objectsDidChange.
  private func change(
    _ container: PersistentContainer, _ body: @Sendable (ManagedObjectContext) throws -> Void
  ) async throws -> ChangedObjects {
    let log = MessageLog(container.root.layer)
    try await container.root.perform { try body($0) }
    #expect(log.messages.count == 1)
    return try #require(log.messages.last).objects
  }

  private func save<T>(
    _ container: PersistentContainer,
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    try await container.root.perform { context in
      // Safety: the body's result is `sending`.
      nonisolated(unsafe) let result = try body(context)
      try context.save()
      return result
    }
  }

  @Test func `are those that were set in the turn, however often`() async throws {
    let container = try geography()
    let (a, b) = try await save(container) { context in
      (context.city("A").objectID, context.city("B").objectID)
    }
    var changed = try await change(container) { context in
      let city = try context.existingObject(City.self, with: a)
      city.name = "C"
      _ = try context.count(City.all)
      city.population = 2
      try context.existingObject(City.self, with: b).note = "note"
    }
    #expect(changed.changedProperties(of: a) == ["name", "population"])
    #expect(changed.changedProperties(of: b) == ["note"])
    changed = try await change(container) { context in
      try context.existingObject(City.self, with: a).population = 3
    }
    #expect(
      changed.changedProperties(of: a) == ["population"], "of this turn, not of the one before")
    #expect(changed.changedProperties(of: b) == nil)
  }

  @Test func `are those with a value, of a new object`() async throws {
    let container = try geography()
    let changed = try await change(container) { $0.city("A") }
    let id = try #require(changed.inserted.first)
    #expect(changed.changedProperties(of: id) == ["name", "population"])
  }

  @Test func `are those at both ends of a link`() async throws {
    let container = try geography()
    let (iran, iraq, city) = try await save(container) { context in
      let iran = context.country("IR")
      let city = context.city("A", in: iran)
      return (iran.objectID, context.country("IQ").objectID, city.objectID)
    }
    var changed = try await change(container) { context in
      try context.existingObject(City.self, with: city).country = context.object(with: iraq)
    }
    #expect(changed.updated == [iran, iraq, city])
    #expect(changed.changedProperties(of: city) == ["country"])
    #expect(changed.changedProperties(of: iran) == ["cities"])
    #expect(changed.changedProperties(of: iraq) == ["cities"])
    changed = try await change(container) { context in
      context.delete(try context.existingObject(City.self, with: city))
    }
    #expect(changed.deleted == [city])
    #expect(changed.changedProperties(of: city) == nil)
    #expect(changed.updated == [iraq])
    #expect(changed.changedProperties(of: iraq) == ["cities"])
  }

  @Test func `are those at both ends of a link of two sets`() async throws {
    let container = try geography()
    let (iran, iraq, language) = try await save(container) { context in
      (
        context.country("IR").objectID, context.country("IQ").objectID,
        Language(context: context).objectID
      )
    }
    let changed = try await change(container) { context in
      let country = try context.existingObject(Country.self, with: iran)
      country.languages.insert(try context.existingObject(Language.self, with: language))
      country.neighbours.insert(try context.existingObject(Country.self, with: iraq))
    }
    #expect(changed.updated == [iran, iraq, language])
    #expect(changed.changedProperties(of: iran) == ["languages", "neighbours"])
    #expect(changed.changedProperties(of: iraq) == ["neighbours"])
    #expect(changed.changedProperties(of: language) == ["countries"])
  }

  @Test func `are the child's own, when its save is integrated`() async throws {
    let container = try geography()
    let (country, city) = try await save(container) { context in
      let country = context.country("IR")
      return (country.objectID, context.city("A", in: country).objectID)
    }
    try await container.root.perform { context in
      try context.existingObject(City.self, with: city).population = 5
    }
    let worker = container.newBackgroundContext()
    try await worker.perform { context in
      let city = try context.existingObject(City.self, with: city)
      city.name = "B"
      city.country = nil
    }
    let log = MessageLog(container.root.layer)
    try await worker.save()
    try await container.root.perform { _ in }
    let integrated = try #require(log.messages(.objectsDidChange).first).objects
    #expect(integrated.changedProperties(of: city) == ["name", "country"])
    #expect(integrated.updated == [city, country])
    #expect(integrated.changedProperties(of: country) == ["cities"])
  }

  @Test func `are all that are saved, in the messages of a save`() async throws {
    let container = try geography()
    let (country, city) = try await save(container) { context in
      let country = context.country("IR")
      return (country.objectID, context.city("A", in: country).objectID)
    }
    try await container.root.perform { context in
      try context.existingObject(City.self, with: city).population = 5
    }
    let log = MessageLog(container.root.layer)
    try await container.root.perform { context in
      let city = try context.existingObject(City.self, with: city)
      city.name = "B"
      city.country = nil
      try context.save()
    }
    for kind in [Message.Kind.willSave, .didSave] {
      let objects = try #require(log.messages(kind).last).objects
      #expect(objects.changedProperties(of: city) == ["name", "population", "country"])
      #expect(objects.changedProperties(of: country) == ["cities"])
    }
    let turn = try #require(log.messages(.objectsDidChange).last).objects
    #expect(turn.changedProperties(of: city) == ["name", "country"])
  }

  @Test func `are unknown for refreshed, deleted and foreign objects`() async throws {
    let container = try geography()
    let city = try await save(container) { $0.city("A").objectID }
    let log = MessageLog(container.root.layer)
    try await container.root.perform { context in
      try context.existingObject(City.self, with: city).name = "B"
      context.rollback()
    }
    let undone = try #require(log.messages.last).objects
    #expect(undone.refreshed == [city])
    #expect(undone.changedProperties(of: city) == nil)
    let elsewhere = try await save(try geography()) { $0.city("A").objectID }
    let first = try #require(log.messages.first).objects
    #expect(first.changedProperties(of: city) == ["name"])
    #expect(first.changedProperties(of: elsewhere) == nil)
  }

  @Test func `are complete in a turn of very many small edits`() async throws {
    let container = try geography()
    let (one, other) = try await save(container) { context in
      (context.city("A").objectID, context.city("B").objectID)
    }
    let changed = try await change(container) { context in
      try context.existingObject(City.self, with: one).name = "C"
      let city = try context.existingObject(City.self, with: other)
      for population in 1...300 {
        city.population = population
        _ = try context.count(City.all)
      }
    }
    #expect(changed.changedProperties(of: one) == ["name"])
    #expect(changed.changedProperties(of: other) == ["population"])
  }
}
