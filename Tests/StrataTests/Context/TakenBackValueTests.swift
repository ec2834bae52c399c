// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

/// The ways in which a parent reverts unsaved changes.
enum TakeBack: CaseIterable, Sendable {
  case rollback, undo, refresh, reset, throwingEdit
}

/// A stored city, country and government, which a parent changes without saving, a child reads, and
/// the parent takes back.
private final class TakenBack {
  struct Abandoned: Error {}

  let container: PersistentContainer
  let parent: ManagedObjectContext
  let child: ManagedObjectContext
  let city: ObjectID
  let country: ObjectID
  let government: ObjectID

  init() throws {
    container = try geography()
    parent = ManagedObjectContext(parent: container.coordinator)
    let country = parent.country("AA")
    let city = parent.city("stored", population: 1, in: country)
    let government = Government(context: parent)
    government.form = "stored"
    government.country = country
    try parent.save()
    (self.city, self.country) = (city.objectID, country.objectID)
    self.government = government.objectID
    parent.reset()
    parent.undoManager = ManagedObjectContext.UndoManager()
    child = ManagedObjectContext(parent: parent.layer)
  }

  func cityOf(_ context: ManagedObjectContext) throws -> City {
    try context.existingObject(City.self, with: city)
  }

  func countryOf(_ context: ManagedObjectContext) throws -> Country {
    try context.existingObject(Country.self, with: country)
  }

  func governmentOf(_ context: ManagedObjectContext) throws -> Government {
    try context.existingObject(Government.self, with: government)
  }

  /// The parent does `work`, `read` runs while that is published, and the parent takes it back.
  func takeBack(
    _ way: TakeBack, refreshing objects: (ManagedObjectContext) throws -> [ManagedObject],
    work: (ManagedObjectContext) throws -> Void, read: () throws -> Void
  ) throws {
    if way == .throwingEdit {
      try? parent.withSavepoint {
        try work(parent)
        // A child of the parent's isolation has the work of the edit published.
        _ = try ManagedObjectContext(parent: parent).count(City.all)
        try read()
        throw Abandoned()
      }
      parent.processPendingChanges()
      return
    }
    try work(parent)
    parent.processPendingChanges()
    try read()
    switch way {
    case .rollback: parent.rollback()
    case .undo: parent.undo()
    case .refresh:
      for object in try objects(parent) { parent.refresh(object, mergeChanges: false) }
    case .reset: parent.reset()
    case .throwingEdit: break
    }
    parent.processPendingChanges()
  }

  /// Saves the child and the parent, and returns the result of `body` in the store.
  func saveAll<R: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> R) throws -> R {
    try child.save()
    try parent.save()
    return try ContextQueue(parent: container.coordinator).performAndWait { try body($0) }
  }
}

@Suite struct `What a parent has taken back is not stored by a child that read it` {
  @Test(arguments: TakeBack.allCases)
  func `if it was an attribute`(way: TakeBack) throws {
    let world = try TakenBack()
    var city: City?
    try world.takeBack(
      way, refreshing: { [try world.cityOf($0)] },
      work: {
        try world.cityOf($0).name = "draft"
      },
      read: {
        city = try world.cityOf(world.child)
        #expect(city?.name == "draft")
      })
    city?.population = 2
    let id = world.city
    let stored = try world.saveAll { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
    #expect(stored == "stored 2")
  }

  @Test(arguments: TakeBack.allCases)
  func `if it was a to-one link`(way: TakeBack) throws {
    let world = try TakenBack()
    var city: City?
    try world.takeBack(
      way, refreshing: { [try world.cityOf($0)] },
      work: {
        try world.cityOf($0).country = nil
      },
      read: {
        city = try world.cityOf(world.child)
        #expect(city?.country == nil)
      })
    city?.population = 2
    let id = world.city
    let stored = try world.saveAll { try $0.existingObject(City.self, with: id).country?.iso }
    #expect(stored == "AA")
  }

  @Test(arguments: TakeBack.allCases)
  func `if it was a one-to-one link`(way: TakeBack) throws {
    let world = try TakenBack()
    var country: Country?
    try world.takeBack(
      way, refreshing: { [try world.countryOf($0), try world.governmentOf($0)] },
      work: {
        try world.governmentOf($0).country = nil
      },
      read: {
        country = try world.countryOf(world.child)
        #expect(country?.government == nil)
      })
    country?.population = 2
    let (id, other) = (world.country, world.government)
    let stored = try world.saveAll { context in
      let country = try context.existingObject(Country.self, with: id)
      let government = try context.existingObject(Government.self, with: other)
      return country.government === government && government.country === country
    }
    #expect(stored)
  }

  @Test(arguments: [TakeBack.rollback, .undo, .reset, .throwingEdit])
  func `if it was a deletion that left a link nil`(way: TakeBack) throws {
    let world = try TakenBack()
    var government: Government?
    try world.takeBack(
      way, refreshing: { _ in [] },
      work: {
        $0.delete(try world.countryOf($0))
      },
      read: {
        government = try world.governmentOf(world.child)
        #expect(government?.country == nil)
      })
    government?.form = "new"
    let id = world.government
    let stored = try world.saveAll { context in
      let government = try context.existingObject(Government.self, with: id)
      return "\(government.form) \(government.country?.iso ?? "nil")"
    }
    #expect(stored == "new AA")
  }

  @Test(arguments: [TakeBack.rollback, .undo, .reset, .throwingEdit])
  func `if it was an insertion to which the child has linked an object`(way: TakeBack) throws {
    let world = try TakenBack()
    var city: City?
    try world.takeBack(
      way, refreshing: { _ in [] },
      work: {
        $0.country("BB")
      },
      read: {
        city = try world.cityOf(world.child)
        city?.country = try world.child.fetch(Country.where { $0.iso == "BB" }).first
      })
    city?.population = 2
    let id = world.city
    let stored = try world.saveAll { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.population) \(city.country?.iso ?? "nil")"
    }
    #expect(stored == "2 nil")
  }

  @Test(arguments: [TakeBack.rollback, .undo, .reset, .throwingEdit])
  func `if it was an insertion that the child has edited`(way: TakeBack) throws {
    let world = try TakenBack()
    var city: City?
    try world.takeBack(
      way, refreshing: { _ in [] },
      work: {
        $0.city("draft")
      },
      read: {
        city = try world.child.fetch(City.where { $0.name == "draft" }).first
        #expect(city != nil)
      })
    city?.population = 2
    try world.child.save()
    #expect(try world.parent.cityNames() == ["stored"])
    #expect(!world.parent.hasChanges)
    let stored = try world.saveAll { try $0.cityNames() }
    #expect(stored == ["stored"])
  }

  @Test(arguments: TakeBack.allCases)
  func `if a grandchild read it`(way: TakeBack) throws {
    let world = try TakenBack()
    let grandchild = ManagedObjectContext(parent: world.child.layer)
    var city: City?
    try world.takeBack(
      way, refreshing: { [try world.cityOf($0)] },
      work: {
        try world.cityOf($0).name = "draft"
      },
      read: {
        city = try world.cityOf(grandchild)
        #expect(city?.name == "draft")
      })
    city?.population = 2
    try grandchild.save()
    let id = world.city
    let stored = try world.saveAll { context in
      let city = try context.existingObject(City.self, with: id)
      return "\(city.name) \(city.population)"
    }
    #expect(stored == "stored 2")
  }

  @Test func `and a later fetch of a grandchild does not read it`() throws {
    let world = try TakenBack()
    let grandchild = ManagedObjectContext(parent: world.child.layer)
    try world.takeBack(
      .rollback, refreshing: { _ in [] },
      work: {
        try world.cityOf($0).name = "draft"
      },
      read: {
        let name = try world.cityOf(grandchild).name
        #expect(name == "draft")
      })
    #expect(try world.cityOf(grandchild).name == "stored")
    #expect(try grandchild.cityNames() == ["stored"])
  }
}
