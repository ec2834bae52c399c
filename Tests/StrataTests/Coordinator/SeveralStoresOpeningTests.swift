// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private func incompatibility(_ error: any Error) -> StoreError.Incompatibility? {
  if case StoreError.incompatibleStores(let reason) = error { reason } else { nil }
}

@Suite struct `Opening several stores` {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func open(
    _ change: (inout [PersistentStoreDescription]) -> Void = { _ in }
  ) throws -> TwoStores {
    try TwoStores(in: folder, change)
  }

  /// Makes both stores, with a city in each.
  private func fill() throws -> [ObjectID] {
    let stores = try open()
    defer { stores.close() }
    let context = stores.newContext()
    let inMain = context.city("in main")
    try context.save()
    let inCache = try context.city("in cache", in: stores.cache)
    try context.save()
    return [inMain.objectID, inCache.objectID]
  }

  @Test func `again finds the objects under their IDs`() throws {
    let ids = try fill()
    let stores = try open()
    defer { stores.close() }
    let context = stores.newContext()
    #expect(try context.existingObject(City.self, with: ids[0]).name == "in main")
    #expect(try context.existingObject(City.self, with: ids[1]).name == "in cache")
    #expect(stores.coordinator.store(of: ids[1]) == stores.cache)
    #expect(stores.main.url == folder.file("main"))
    #expect(stores.main.configuration == nil)
    #expect(stores.cache.configuration == ["City", "Route"])
  }

  @Test func `in another order finds them too, and puts new objects elsewhere`() throws {
    let ids = try fill()
    let stores = try open { $0.swapAt(0, 1) }
    defer { stores.close() }
    #expect(stores.coordinator.stores.map(\.name) == ["cache", "main"])
    let context = stores.newContext()
    #expect(try context.existingObject(City.self, with: ids[0]).name == "in main")
    #expect(try context.existingObject(City.self, with: ids[1]).name == "in cache")
    let city = context.city("new")
    #expect(stores.coordinator.store(of: city.objectID)?.name == "cache")
    let country = context.country("DE")
    #expect(stores.coordinator.store(of: country.objectID)?.name == "main")
    try context.save(expectingSeveralStores: true)
    context.delete(country)
    try context.save()
    #expect(try stores.newContext().cityNames() == ["in cache", "in main", "new"])
  }

  @Test func `one by one leaves each an ordinary store`() throws {
    let ids = try fill()
    for (name, id) in zip(["main", "cache"], ids) {
      let coordinator = try PersistentStoreCoordinator(
        at: folder.file(name), model: geographyModel(), durability: .none)
      defer { coordinator.store.close() }
      #expect(coordinator.stores.map(\.url) == [folder.file(name)])
      let context = ManagedObjectContext(parent: coordinator)
      #expect(try context.fetchIDs(City.all) == [id])
      context.city("alone in \(name)")
      context.country(name)
      try context.save()
    }
    let stores = try open()
    defer { stores.close() }
    let context = stores.newContext()
    #expect(
      try context.cityNames() == ["alone in cache", "alone in main", "in cache", "in main"])
    // Objects outside the configuration are read, and saved.
    let countries = try context.fetch(Country.all.sorted(by: \.iso))
    #expect(countries.map(\.iso) == ["cache", "main"])
    countries[0].name = "changed"
    try context.save()
    #expect(try stores.newContext().count(Country.where { $0.name == "changed" }) == 1)
  }

  @Test func `creates a store that is missing, beside the others`() throws {
    let ids = try fill()
    try PersistentStoreCoordinator.destroyStore(at: folder.file("main"))
    let stores = try open()
    let context = stores.newContext()
    #expect(try context.cityNames() == ["in cache"])
    #expect(throws: ContextError.foreignObjectID(ids[0])) {
      try context.existingObject(City.self, with: ids[0])
    }
    let city = context.city("new in main")
    try context.save()
    #expect(stores.coordinator.store(of: city.objectID) == stores.main)
    stores.close()
    let again = try open()
    defer { again.close() }
    #expect(try again.newContext().cityNames() == ["in cache", "new in main"])
  }

  @Test func `read-only creates none`() throws {
    _ = try fill()
    try PersistentStoreCoordinator.destroyStore(at: folder.file("cache"))
    #expect {
      try open { $0[1].isReadOnly = true }
    } throws: {
      if case StoreError.storeMissing = $0 { true } else { false }
    }
  }

  @Test func `beside an older store takes that as it is`() throws {
    let alone = try PersistentStoreCoordinator(
      at: folder.file("cache"), model: geographyModel(), durability: .none)
    let context = ManagedObjectContext(parent: alone)
    context.city("older")
    try context.save()
    alone.store.close()
    let stores = try open()
    defer { stores.close() }
    let both = stores.newContext()
    both.city("new")
    try both.save()
    #expect(try both.cityNames() == ["new", "older"])
    #expect(
      try both.fetch(City.all.sorted(by: \.name)).map {
        stores.coordinator.store(of: $0.objectID)?.name
      } == ["main", "cache"])
  }

  @Test func `that were made independently is refused`() throws {
    for name in ["main", "cache"] {
      let alone = try PersistentStoreCoordinator(
        at: folder.file(name), model: geographyModel(), durability: .none)
      alone.store.close()
    }
    #expect { try open() } throws: { incompatibility($0) == .sameSerials("main", "cache") }
  }

  @Test func `refuses two descriptions of one new file`() throws {
    #expect { try open { $0[1].url = $0[0].url } } throws: {
      incompatibility($0) == .sameStore("main", "cache")
    }
  }

  @Test func `refuses a store and its copy`() throws {
    _ = try fill()
    try PersistentStoreCoordinator.destroyStore(at: folder.file("cache"))
    try PersistentStoreCoordinator.copyStore(
      at: folder.file("main"), to: folder.file("cache"))
    #expect { try open() } throws: { incompatibility($0) == .sameStore("main", "cache") }
    #expect { try open { $0[1].url = $0[0].url } } throws: {
      incompatibility($0) == .sameStore("main", "cache")
    }
  }

  @Test func `refuses a configuration with an unknown entity`() throws {
    #expect { try open { $0[1].configuration = ["Town"] } } throws: {
      incompatibility($0) == .unknownEntity("Town", store: "cache")
    }
  }

  @Test func `takes all of them to a later model, and refuses one that missed a model`() throws {
    func open(_ names: [String], _ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
      try PersistentStoreCoordinator(
        stores: names.map {
          var description = PersistentStoreDescription(at: folder.file($0))
          description.durability = .none
          return description
        }, model: model)
    }
    let first = try ManagedObjectModel(First.Note.self)
    let last = try ManagedObjectModel(Last.Note.self)
    let names = ["one", "two", "three"]
    let former = try open(names, first)
    for store in former.stores {
      let context = ManagedObjectContext(parent: former)
      try First.Note(context: context, in: store).text = store.name
      try context.save()
    }
    former.store.close()
    let later = try open(["one", "two"], last)
    let context = ManagedObjectContext(parent: later)
    let notes = try context.fetch(Last.Note.all.sorted(by: \.text))
    #expect(notes.map(\.text) == ["one", "two"])
    #expect(notes.map(\.stars) == [0, 0])
    for note in notes {
      note.stars = 5
      try context.save()
    }
    // A new store is numbered as they are now.
    let created = try open(["one", "two", "four"], last)
    let other = ManagedObjectContext(parent: created)
    let new = try Last.Note(context: other, in: created.stores[2])
    (new.text, new.stars) = ("four", 4)
    try other.save()
    #expect(try other.fetch(Last.Note.where { $0.stars > 0 }).count == 3)
    later.store.close()
    created.store.close()
    // It is taken to the model by itself, in as many steps.
    let all = try open(["one", "two", "three"], last)
    #expect(try ManagedObjectContext(parent: all).count(Last.Note.all) == 3)
    all.store.close()
    // The fourth began with the second model.
    #expect { try open(["one", "three", "four"], first) } throws: {
      if case StoreError.modelMismatch = $0 { true } else { false }
    }
  }

  @Test func `takes stores that have had different numbers of models`() throws {
    func open(
      _ names: [String], _ model: ManagedObjectModel, readOnly: Bool = false
    ) throws -> PersistentStoreCoordinator {
      try PersistentStoreCoordinator(
        stores: names.map {
          var description = PersistentStoreDescription(at: folder.file($0))
          description.durability = .none
          description.isReadOnly = readOnly
          return description
        }, model: model)
    }
    let last = try ManagedObjectModel(Last.Note.self)
    let former = try open(["one", "two"], ManagedObjectModel(First.Note.self))
    for store in former.stores {
      let context = ManagedObjectContext(parent: former)
      try First.Note(context: context, in: store).text = store.name
      try context.save()
    }
    former.store.close()
    try open(["two"], ManagedObjectModel(Middle.Note.self)).store.close()
    try open(["two"], last).store.close()
    try open(["one"], last).store.close()
    // A store that is not written to cannot be taken to the version of the other.
    #expect { try open(["one", "two"], last, readOnly: true) } throws: {
      if case StoreError.migrationRequired = $0 { true } else { false }
    }
    for _ in 0..<2 {
      let both = try open(["one", "two"], last)
      defer { both.store.close() }
      for store in both.stores {
        let context = ManagedObjectContext(parent: both)
        let notes = try context.fetch(Last.Note.all.sorted(by: \.text))
        #expect(notes.map(\.text) == ["one", "two"])
        let note = try #require(notes.first { $0.text == store.name })
        note.stars += 1
        try context.save()
      }
    }
    let again = try open(["two", "one"], last)
    defer { again.store.close() }
    let notes = try ManagedObjectContext(parent: again).fetch(Last.Note.all.sorted(by: \.text))
    #expect(notes.map(\.stars) == [2, 2])
  }

  @Test func `some of them read-only reads all, and saves to the others`() throws {
    let ids = try fill()
    let stores = try open { $0[0].isReadOnly = true }
    defer { stores.close() }
    #expect(!stores.coordinator.isReadOnly)
    #expect(stores.main.isReadOnly && !stores.cache.isReadOnly)
    let context = stores.newContext()
    #expect(try context.cityNames() == ["in cache", "in main"])
    let city = context.city("new")
    #expect(stores.coordinator.store(of: city.objectID) == stores.cache)
    try context.save()
    #expect {
      try context.assign(context.city("newer"), to: stores.main)
    } throws: {
      $0 as? ContextError
        == .cannotAssign(entity: "City", store: "main", .readOnly)
    }
    try context.save()
    let isReadOnly = { (error: any Error) in
      if case StoreError.readOnly = error { true } else { false }
    }
    try context.existingObject(City.self, with: ids[0]).name = "changed"
    #expect { try context.save() } throws: { isReadOnly($0) }
    context.rollback()
    // Only the read-only store accepts it.
    let country = context.country("DE")
    #expect { try context.save() } throws: { isReadOnly($0) }
    #expect(context.insertedObjects == [country])
  }
}

extension ManagedObjectContext {
  fileprivate func save(expectingSeveralStores: Bool) throws {
    #expect {
      try save()
    } throws: {
      if case StoreError.severalStoresChanged = $0 { expectingSeveralStores } else { false }
    }
  }
}

/// A model and two later ones.
private enum First {
  @Entity final class Note: ManagedObject {
    @Attribute(.indexed) var text: String
  }
}

private enum Middle {
  @Entity final class Note: ManagedObject {
    @Attribute(.indexed) var text: String
    @Attribute(.indexed) var stars: Int?
  }
}

private enum Last {
  @Entity final class Note: ManagedObject {
    @Attribute(.indexed) var text: String
    @Attribute(.indexed) var stars: Int = 0
  }
}
