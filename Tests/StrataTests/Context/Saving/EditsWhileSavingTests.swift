// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import ContextTestSupport
  import Strata
  import Testing

  @MainActor
  @Suite struct `What is done while a save to the store is awaited` {
    /// Runs `body` while `context` is being saved.
    private func saving(
      _ context: ManagedObjectContext, to container: PersistentContainer, _ body: () throws -> Void
    ) async throws {
      let gate = WriterGate(container)
      let save = await gate.begin(Task { try await context.save(to: .parent) })
      try gate.open(after: body)
      try await save.value
    }

    private func stored(_ container: PersistentContainer) throws -> [String] {
      let reader = ManagedObjectContext(parent: container.coordinator)
      return try reader.fetch(City.all.sorted(by: \.name)).map {
        "\($0.name) \($0.population) \($0.country?.iso ?? "-")"
      }
    }

    @Test func `deletes a new object`() async throws {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = context.city("A")
      try await saving(context, to: container) { context.delete(city) }
      #expect(context.deletedObjects.map(\.objectID) == [city.objectID])
      try context.save()
      let left = try stored(container)
      #expect(left == [])
    }

    @Test func `takes back a refused save once, which the saver finds finished`() async throws {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      context.country("A")
      try context.save()
      context.country("A")
      let other = ManagedObjectContext(parent: container.coordinator)
      other.city("B")
      let gate = WriterGate(container)
      let held = await gate.begin(Task { try await other.save(to: .parent) })
      let refused = Task { try await context.save(to: .parent) }
      await Task.yield()
      gate.open()
      context.rollback()
      await #expect { try await refused.value } throws: { $0.isUniquenessViolation }
      try await held.value
      #expect(!context.hasChanges)
    }

    @Test func `deletes or changes a changed object, and says so`() async throws {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let (gone, kept) = (context.city("A"), context.city("B"))
      try context.save()
      gone.population = 1
      kept.population = 1
      try await saving(context, to: container) {
        context.delete(gone)
        kept.population = 2
      }
      #expect(gone.isDeleted)
      #expect(kept.isUpdated)
      try context.save()
      let left = try stored(container)
      #expect(left == ["B 2 -"])
    }

    /// A context on the store, with a saved city, A, and a saved country, IR.
    private func atlas() throws -> (PersistentContainer, ManagedObjectContext, City) {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = context.city("A")
      context.country("IR")
      try context.save()
      return (container, context, city)
    }

    /// Does `body` while the writer holds a save of `context` that it will refuse, because of a
    /// country that is there twice; then saves `context` without that country.
    private func refusing(
      _ context: ManagedObjectContext, of container: PersistentContainer, _ body: () throws -> Void,
      afterwards: () throws -> Void = {}
    ) async throws {
      let twin = context.country("IR")
      let other = ManagedObjectContext(parent: container.coordinator)
      other.city("Other")
      let gate = WriterGate(container)
      let held = await gate.begin(Task { try await other.save(to: .parent) })
      let refused = Task { try await context.save(to: .parent) }
      await Task.yield()
      try gate.open(after: body)
      try afterwards()
      await #expect { try await refused.value } throws: { $0.isUniquenessViolation }
      try await held.value
      context.delete(twin)
      try context.save()
    }

    @Test func `is saved by a child, and later with all changes of a save that is refused`()
      async throws
    {
      let (container, context, changed) = try atlas()
      changed.population = 5
      let new = context.city("New")
      new.population = 6
      let ids = [changed.objectID, new.objectID]
      try await refusing(context, of: container) {
        try ContextQueue(parent: context.layer).performAndWait { child in
          for id in ids { try child.existingObject(City.self, with: id).name += "2" }
          try child.save()
        }
      }
      #expect(changed.population == 5)
      let left = try stored(container)
      #expect(left == ["A2 5 -", "New2 6 -", "Other 0 -"])
    }

    /// What `change` makes of a new city while a save of it is under way, and after the store has
    /// refused that save.
    private func states(
      _ change: @MainActor (ManagedObjectContext, City) throws -> Void
    ) async throws -> [String] {
      let (container, context, _) = try atlas()
      let new = context.city("New")
      func state() -> String {
        let flags = [
          ("inserted", new.isInserted), ("updated", new.isUpdated), ("deleted", new.isDeleted),
          ("detached", new.managedObjectContext == nil), ("changed", new.hasChanges),
        ]
        return flags.filter(\.1).map(\.0).joined(separator: " ")
      }
      var states: [String] = []
      let twin = context.country("IR")
      let other = ManagedObjectContext(parent: container.coordinator)
      other.city("Other")
      let gate = WriterGate(container)
      let held = await gate.begin(Task { try await other.save(to: .parent) })
      let refused = Task { try await context.save(to: .parent) }
      await Task.yield()
      try gate.open(after: {
        try change(context, new)
        context.processPendingChanges()
        states.append(state())
      })
      await #expect { try await refused.value } throws: { $0.isUniquenessViolation }
      try await held.value
      states.append(state())
      let inserted = context.insertedObjects.contains(new)
      #expect(inserted == new.isInserted)
      context.delete(twin)
      try context.save()
      states.append(state())
      let left = try stored(container)
      #expect(left.contains { $0.hasPrefix("New") } == (new.managedObjectContext != nil))
      return states
    }

    @Test func `leaves a new object new that a child changes, until the store has it`()
      async throws
    {
      let byChild = try await states { context, new in
        let id = new.objectID
        try ContextQueue(parent: context.layer).performAndWait { child in
          try child.existingObject(City.self, with: id).population = 2
          try child.save()
        }
      }
      #expect(byChild == ["inserted changed", "inserted changed", ""])
      let here = try await states { _, new in new.population = 2 }
      #expect(here == ["inserted changed", "inserted changed", ""])
    }

    @Test func `takes a new object out of the context that a child deletes, if it is refused`()
      async throws
    {
      let byChild = try await states { context, new in
        let id = new.objectID
        try ContextQueue(parent: context.layer).performAndWait { child in
          child.delete(try child.existingObject(City.self, with: id))
          try child.save()
        }
      }
      #expect(byChild == ["deleted changed", "detached", "detached"])
    }

    @Test func `leaves a new object new that a child links`() async throws {
      let linked = try await states { context, new in
        let id = new.objectID
        try ContextQueue(parent: context.layer).performAndWait { child in
          let country = try child.fetch(Country.all.limit(1))[0]
          try child.existingObject(City.self, with: id).country = country
          try child.save()
        }
      }
      #expect(linked == ["inserted changed", "inserted changed", ""])
    }

    @Test func `stays with the refused save's changes after a savepoint in which that ends`()
      async throws
    {
      let (container, context, city) = try atlas()
      city.population = 5
      try await refusing(context, of: container) {
        city.name = "B"
      } afterwards: {
        #expect { try context.withSavepoint { try context.save() } } throws: {
          $0.isUniquenessViolation
        }
      }
      #expect(city.population == 5)
      let left = try stored(container)
      #expect(left == ["B 5 -", "Other 0 -"])
    }

    @Test func `keeps values that the merge policy has taken of another's save`() async throws {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      context.mergePolicy = .mergeByPropertyObjectTrump
      let (city, iran) = (context.city("A"), context.country("IR"))
      try context.save()
      let id = city.objectID
      try ContextQueue(parent: container.coordinator).performAndWait { other in
        try other.existingObject(City.self, with: id).name = "B"
        try other.save()
      }
      city.population = 1
      try await saving(context, to: container) { city.country = iran }
      #expect(city.name == "B")
      try context.save()
      let left = try stored(container)
      #expect(left == ["B 1 IR"])
    }
  }
#endif
