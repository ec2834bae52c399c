// SPDX-License-Identifier: Apache-2.0
import Observation
import Strata
import Synchronization
import Testing

/// Whether an observer that has read `properties` is notified during `work`.
private func isNotified(
  reading properties: () -> Void, by work: () throws -> Void
) rethrows -> Bool {
  let isNotified = Mutex(false)
  withObservationTracking(properties) { isNotified.withLock { $0 = true } }
  try work()
  return isNotified.withLock { $0 }
}

@Suite struct `An observer of a relationship, when a merge changes its members` {
  /// A context that tracks observation and merges automatically, with a saved country that it has
  /// loaded; its cities are not loaded.
  private func withObservedCountry(
    _ body: (ManagedObjectContext, Country, _ other: ContextQueue) throws -> Void
  ) throws {
    let container = try geography()
    let id = try container.root.performAndWait { context in
      let id = context.country("IR").objectID
      try context.save()
      return id
    }
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    context.automaticallyMergesChangesFromParent = true
    let country = try context.existingObject(Country.self, with: id)
    context.processPendingChanges()
    try body(context, country, container.root)
  }

  @Test func `is notified when another context inserts, moves and deletes a member`() throws {
    try withObservedCountry { context, country, other in
      let id = country.objectID
      func isTold(
        of change: @Sendable (ManagedObjectContext, Country) throws -> Void
      ) throws -> Bool {
        try isNotified {
          _ = country.cities.count
        } by: {
          try other.performAndWait { context in
            try change(context, context.existingObject(Country.self, with: id))
            try context.save()
          }
          context.processPendingChanges()
        }
      }
      let comes = try isTold { context, country in context.city("A", in: country) }
      #expect(comes)
      #expect(country.cities.count == 1)
      let leaves = try isTold { context, _ in
        try context.fetch(City.all).first?.country = context.country("IQ")
      }
      #expect(leaves)
      #expect(country.cities.isEmpty)
      let returns = try isTold { context, country in
        try context.fetch(City.all).first?.country = country
      }
      #expect(returns)
      let isDeleted = try isTold { context, _ in
        for city in try context.fetch(City.all) { context.delete(city) }
      }
      #expect(isDeleted)
      #expect(country.cities.isEmpty)
    }
  }

  @Test func `is notified when another context links objects beside their records`() throws {
    try withObservedCountry { context, country, other in
      let id = country.objectID
      let isNotified = try isNotified {
        _ = country.languages.count
      } by: {
        try other.performAndWait { context in
          let language = Language(context: context)
          try context.existingObject(Country.self, with: id).languages.insert(language)
          try context.save()
        }
        context.processPendingChanges()
      }
      #expect(isNotified)
      #expect(country.languages.count == 1)
    }
  }

  @Test func `is not notified of objects that cannot be its members`() throws {
    try withObservedCountry { context, country, other in
      let isNotified = try isNotified {
        _ = country.cities.count
      } by: {
        try other.performAndWait { context in
          _ = Language(context: context)
          try context.save()
        }
        context.processPendingChanges()
      }
      #expect(!isNotified)
    }
  }

  @Test func `is notified of links that a refresh drops`() throws {
    try withObservedCountry { context, country, _ in
      let language = Language(context: context)
      try context.save()
      country.languages.insert(language)
      let notified = isNotified {
        _ = language.countries.count
      } by: {
        context.refresh(country, mergeChanges: false)
      }
      #expect(notified)
      #expect(language.countries.isEmpty)
    }
  }

  @Test func `is notified when another context moves a member of an ordered relationship`() throws {
    let container = try geography()
    let id = try container.root.performAndWait { context in
      let album = Album(context: context)
      for name in ["A", "B"] {
        let track = Track(context: context)
        track.name = name
        album.tracks.append(track)
      }
      try context.save()
      return album.objectID
    }
    let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    context.automaticallyMergesChangesFromParent = true
    let album = try context.existingObject(Album.self, with: id)
    let isMoved = try isNotified {
      _ = album.tracks.count
    } by: {
      try container.root.performAndWait { other in
        let tracks = try other.existingObject(Album.self, with: id).tracks
        tracks.move(from: 1, to: 0)
        try other.save()
      }
      context.processPendingChanges()
    }
    #expect(isMoved)
    #expect(album.tracks.map(\.name) == ["B", "A"])
  }

  @Test func `is notified when the target of an unsaved link is deleted by another context`() throws
  {
    try withObservedCountry { context, country, other in
      let id = country.objectID
      let city = context.city("A", in: country)
      context.processPendingChanges()
      let isCut = try isNotified {
        _ = city.country
      } by: {
        try other.performAndWait { context in
          context.delete(try context.existingObject(Country.self, with: id))
          try context.save()
        }
        context.processPendingChanges()
      }
      #expect(isCut)
    }
  }

  /// The observer has read a relationship that the merge changes, or an attribute.
  @Test(arguments: [true, false])
  func `keeps the edits that an observer makes while it is notified`(readsMembers: Bool) throws {
    let container = try geography()
    let id = try container.root.performAndWait { context in
      let id = context.country("IR").objectID
      try context.save()
      return id
    }
    // Safety: the observer runs on this thread, in the middle of the merge.
    nonisolated(unsafe) let context = ManagedObjectContext(parent: container.root)
    context.tracksObservation = true
    context.automaticallyMergesChangesFromParent = true
    // Safety: as the context.
    nonisolated(unsafe) let country = try context.existingObject(Country.self, with: id)
    withObservationTracking {
      if readsMembers { _ = country.cities.count } else { _ = country.name }
    } onChange: {
      country.population = 2
      _ = try? context.count(City.all)
    }
    try container.root.performAndWait { other in
      let country = try other.existingObject(Country.self, with: id)
      country.name = "merged"
      other.city("A", in: country)
      try other.save()
    }
    context.processPendingChanges()
    #expect(country.population == 2)
    #expect(country.name == "merged")
    try context.save()
    try container.root.performAndWait { other in
      let country = try other.existingObject(Country.self, with: id)
      #expect(country.population == 2)
      #expect(country.name == "merged")
    }
  }
}
