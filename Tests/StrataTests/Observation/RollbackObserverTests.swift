// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Synchronization
import Testing

@Suite struct `An observer that changes something while a context is rolled back` {
  private func run(
    _ edit: @escaping @Sendable (ManagedObjectContext, City) -> Void
  ) throws {
    let container = try geography()
    let queue = container.newBackgroundContext()
    let id = try queue.performAndWait { context in
      let id = context.city("A", population: 1).objectID
      try context.save()
      return id
    }
    try queue.performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      let isFirst = Mutex(true)
      let observer = Observer(.objectsDidChange, of: queue.layer) { _ in
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }
            return isFirst
          })
        else {
          return
        }
        try? queue.performAndWait { edit($0, try $0.existingObject(City.self, with: id)) }
      }
      city.name = "x"
      context.rollback()
      #expect(city.name == "A")
      #expect(city.population == 1)
      #expect(!city.hasChanges && !city.isDeleted)
      #expect(!context.hasChanges)
      let count = try context.count(City.all)
      #expect(count == 1)
      withExtendedLifetime(observer) {}
    }
  }

  @Test func `has its values taken back with the rest`() throws {
    try run { _, city in city.population = 2 }
  }

  @Test func `has its deletions and insertions taken back with the rest`() throws {
    try run { context, city in
      context.delete(city)
      context.city("B")
    }
  }
}
