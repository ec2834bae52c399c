// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

/// The changes of two roots to one city, whose name was "a" and whose population was 1.
private enum Scene: Sendable, CaseIterable {
  case sameProperty, differentProperties, weUpdateTheyDelete, weDeleteTheyUpdate, bothDelete
}

private enum Outcome: Sendable, Equatable {
  case conflict
  case city(String, Int)
  case gone
}

private struct Row: Sendable, CustomTestStringConvertible {
  let policy: MergePolicy
  let scene: Scene
  let outcome: Outcome

  init(_ policy: MergePolicy, _ scene: Scene, _ outcome: Outcome) {
    (self.policy, self.scene, self.outcome) = (policy, scene, outcome)
  }

  var testDescription: String { "\(policy), \(scene): \(outcome)" }

  static let all = [
    Row(.error, .sameProperty, .conflict),
    Row(.error, .differentProperties, .conflict),
    Row(.error, .weUpdateTheyDelete, .conflict),
    Row(.error, .weDeleteTheyUpdate, .conflict),
    Row(.error, .bothDelete, .gone),
    Row(.mergeByPropertyStoreTrump, .sameProperty, .city("theirs", 1)),
    Row(.mergeByPropertyStoreTrump, .differentProperties, .city("theirs", 2)),
    Row(.mergeByPropertyStoreTrump, .weUpdateTheyDelete, .gone),
    Row(.mergeByPropertyStoreTrump, .weDeleteTheyUpdate, .city("theirs", 1)),
    Row(.mergeByPropertyStoreTrump, .bothDelete, .gone),
    Row(.mergeByPropertyObjectTrump, .sameProperty, .city("ours", 1)),
    Row(.mergeByPropertyObjectTrump, .differentProperties, .city("theirs", 2)),
    Row(.mergeByPropertyObjectTrump, .weUpdateTheyDelete, .gone),
    Row(.mergeByPropertyObjectTrump, .weDeleteTheyUpdate, .gone),
    Row(.mergeByPropertyObjectTrump, .bothDelete, .gone),
    Row(.overwrite, .sameProperty, .city("ours", 1)),
    Row(.overwrite, .differentProperties, .city("a", 2)),
    Row(.overwrite, .weUpdateTheyDelete, .city("ours", 1)),
    Row(.overwrite, .weDeleteTheyUpdate, .gone),
    Row(.overwrite, .bothDelete, .gone),
    Row(.rollback, .sameProperty, .city("theirs", 1)),
    Row(.rollback, .differentProperties, .city("theirs", 1)),
    Row(.rollback, .weUpdateTheyDelete, .gone),
    Row(.rollback, .weDeleteTheyUpdate, .city("theirs", 1)),
    Row(.rollback, .bothDelete, .gone),
  ]
}

extension Scene {
  func ours(_ city: City, in context: ManagedObjectContext) {
    switch self {
    case .sameProperty, .weUpdateTheyDelete: city.name = "ours"
    case .differentProperties: city.population = 2
    case .weDeleteTheyUpdate, .bothDelete: context.delete(city)
    }
  }

  func theirs(_ city: City, in context: ManagedObjectContext) {
    switch self {
    case .sameProperty, .differentProperties, .weDeleteTheyUpdate: city.name = "theirs"
    case .weUpdateTheyDelete, .bothDelete: context.delete(city)
    }
  }
}

@Suite struct `A merge policy` {
  private func city(_ id: ObjectID, in container: PersistentContainer) throws -> Outcome {
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      guard let city = try? context.existingObject(City.self, with: id) else { return .gone }
      return .city(city.name, city.population)
    }
  }

  /// Depth 0: the root itself has made the change; 2: a grandchild of it.
  @Test(arguments: Row.all, [0, 2])
  private func `decides as documented`(_ row: Row, depth: Int) async throws {
    let container = try geography()
    let root = container.root
    var levels = [root]
    for _ in 0..<depth { levels.append(ContextQueue(parent: try #require(levels.last))) }
    let id = try await root.perform { context in
      context.mergePolicy = row.policy
      let id = context.city("a", population: 1).objectID
      try context.save()
      return id
    }
    try await levels[depth].perform { context in
      row.scene.ours(try context.existingObject(with: id), in: context)
    }
    try await ContextQueue(parent: container.coordinator).perform { context in
      row.scene.theirs(try context.existingObject(with: id), in: context)
      try context.save()
    }
    for level in levels.dropFirst().reversed() { try await level.save() }
    let stored = try city(id, in: container)
    // A child's push is laid over the state beneath the root at that time: that is the root's whole
    // object.
    let isWhole = row.policy == .overwrite && row.scene == .differentProperties && depth > 0
    let outcome = isWhole ? .city("theirs", 2) : row.outcome
    do {
      try await root.save()
      #expect(outcome != .conflict)
      #expect(try city(id, in: container) == outcome)
      let isClean = try await root.perform { !$0.hasChanges }
      #expect(isClean)
      let seen = try await root.perform { context in
        (try? context.existingObject(City.self, with: id)).map {
          Outcome.city($0.name, $0.population)
        } ?? .gone
      }
      #expect(seen == outcome, "the context that saved sees what was decided")
      let index = try await root.perform { try $0.cityNames().first }
      if case .city(let name, _) = outcome {
        #expect(index == name)
      } else {
        #expect(index == nil)
      }
    } catch StoreError.conflicts(let conflicts) {
      #expect(row.outcome == .conflict)
      #expect(conflicts.map(\.objectID) == [id])
      #expect(try city(id, in: container) == stored, "nothing was written")
      let isDirty = try await root.perform { $0.hasChanges }
      #expect(isDirty)
    }
  }
}

@Suite struct `A save with conflicts` {
  /// A root with an insert and three conflicting changes: of a city that both changed, of one that
  /// the other has deleted, and of one that it deletes itself; and their IDs.
  private func conflicting() throws -> (container: PersistentContainer, ids: [ObjectID]) {
    let container = try geography()
    let ids = try container.root.performAndWait { context in
      let ids = ["a", "b", "c"].map { context.city($0, population: 1).objectID }
      try context.save()
      for id in ids.prefix(2) { try context.existingObject(City.self, with: id).name += "-ours" }
      context.delete(try context.existingObject(City.self, with: ids[2]))
      context.city("new")
      return ids
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(City.self, with: ids[0]).name = "a-theirs"
      context.delete(try context.existingObject(City.self, with: ids[1]))
      try context.existingObject(City.self, with: ids[2]).population = 9
      try context.save()
    }
    return (container, ids)
  }

  private func stored(_ container: PersistentContainer) throws -> [String] {
    try ContextQueue(parent: container.coordinator).performAndWait { try $0.cityNames() }
  }

  @Test func `throws them all at once, writes nothing and keeps everything unsaved`() throws {
    let (container, ids) = try conflicting()
    try container.root.performAndWait { context in
      for _ in 1...2 {
        do {
          try context.save()
          Issue.record("the save went through")
        } catch StoreError.conflicts(let conflicts) {
          #expect(Set(conflicts.map(\.objectID)) == Set(ids))
          let byID = Dictionary(uniqueKeysWithValues: conflicts.map { ($0.objectID, $0) })
          #expect(byID[ids[0]]?.ourChanges == ["name"])
          #expect(byID[ids[0]]?.theirChanges == ["name"])
          #expect(byID[ids[1]]?.theirValues == nil)
          #expect(byID[ids[2]]?.ourValues == nil)
          #expect(byID[ids[2]]?.theirChanges == ["population"])
          #expect(byID[ids[2]]?.entity == "City")
        }
        #expect(context.insertedObjects.count == 1)
        #expect(context.updatedObjects.count == 2)
        #expect(context.deletedObjects.count == 1)
      }
    }
    #expect(try stored(container) == ["a-theirs", "c"])
  }

  @Test func `goes through after a rollback and the same work again`() throws {
    let (container, ids) = try conflicting()
    try container.root.performAndWait { context in
      #expect { try context.save() } throws: { $0.isConflict }
      context.rollback()
      try context.existingObject(City.self, with: ids[0]).name += "-ours"
      context.delete(try context.existingObject(City.self, with: ids[2]))
      try context.save()
    }
    #expect(try stored(container) == ["a-theirs-ours"])
  }

  @Test func `goes through with another policy`() throws {
    let (container, _) = try conflicting()
    try container.root.performAndWait { context in
      #expect { try context.save() } throws: { $0.isConflict }
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(!context.hasChanges)
    }
    #expect(try stored(container) == ["a-ours", "new"])
  }

  @Test func `loses the conflict of an object that is deleted on both sides`() throws {
    let (container, ids) = try conflicting()
    try container.root.performAndWait { context in
      context.delete(try context.existingObject(City.self, with: ids[1]))
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.conflicts(let conflicts) {
        #expect(Set(conflicts.map(\.objectID)) == [ids[0], ids[2]])
      }
    }
  }

  @Test func `of the same value on both sides is one all the same`() throws {
    let container = try geography()
    let id = try container.root.performAndWait { context in
      let id = context.city("a", population: 1).objectID
      try context.save()
      try context.existingObject(City.self, with: id).population += 1
      return id
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(City.self, with: id).population += 1
      try context.save()
    }
    try container.root.performAndWait { context in
      #expect { try context.save() } throws: { $0.isConflict }
    }
  }

  /// "first" is its former value: then the save does not change it.
  @Test(arguments: ["first", "second"])
  func `keeps the saver's transient values, which the store cannot have changed`(
    _ note: String
  ) throws {
    let container = try geography()
    try container.root.performAndWait { context in
      let city = context.city("a", population: 1)
      city.note = "first"
      try context.save()
      city.note = note
      city.population = 2
      let id = city.objectID
      try ContextQueue(parent: container.coordinator).performAndWait { other in
        try other.existingObject(City.self, with: id).name = "theirs"
        try other.save()
      }
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      #expect(city.name == "theirs")
      #expect(city.population == 2)
      #expect(city.note == note)
    }
  }
}

@Suite struct `To-many relationships` {
  @Test(arguments: [MergePolicy.error, .rollback, .overwrite])
  func `merge as sets, and are no conflict`(_ policy: MergePolicy) throws {
    let container = try geography()
    let (country, languages) = try container.root.performAndWait { context in
      context.mergePolicy = policy
      let country = context.country("IR")
      let languages = ["fa", "ku", "az"].map { code in
        let language = Language(context: context)
        language.code = code
        return language
      }
      country.languages.insert(languages[0])
      try context.save()
      // Ours: one is added and one is taken away.
      country.languages.insert(languages[1])
      country.languages.remove(languages[0])
      return (country.objectID, languages.map(\.objectID))
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let country = try context.existingObject(Country.self, with: country)
      country.languages.insert(try context.existingObject(Language.self, with: languages[2]))
      try context.save()
    }
    try container.root.performAndWait { try $0.save() }
    let codes = try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Country.self, with: country).languages.map(\.code).sorted()
    }
    #expect(codes == ["az", "ku"])
  }

  @Test func `merge as sets also where the policy gives the object back to the store`() throws {
    let container = try geography()
    let (country, language) = try container.root.performAndWait { context in
      context.mergePolicy = .rollback
      let country = context.country("IR")
      let language = Language(context: context)
      language.code = "fa"
      try context.save()
      country.name = "ours"
      country.languages.insert(language)
      return (country.objectID, language.objectID)
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try context.existingObject(Country.self, with: country).name = "theirs"
      try context.save()
    }
    try container.root.performAndWait { try $0.save() }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let country = try context.existingObject(Country.self, with: country)
      #expect(country.name == "theirs")
      #expect(country.languages.map(\.objectID) == [language])
    }
  }

  @Test func `of members that were moved by both are the members' own conflict`() throws {
    let container = try geography()
    let (iran, iraq, city) = try container.root.performAndWait { context in
      let (iran, iraq) = (context.country("IR"), context.country("IQ"))
      let city = context.city("a")
      try context.save()
      city.country = iran
      return (iran.objectID, iraq.objectID, city.objectID)
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let iraq = try context.existingObject(Country.self, with: iraq)
      iraq.cities.insert(try context.existingObject(City.self, with: city))
      try context.save()
    }
    try container.root.performAndWait { context in
      do {
        try context.save()
        Issue.record("the save went through")
      } catch StoreError.conflicts(let conflicts) {
        #expect(conflicts.map(\.objectID) == [city])
        #expect(conflicts.first?.ourValues?["country"] == .object(iran))
        #expect(conflicts.first?.theirValues?["country"] == .object(iraq))
      }
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      let members = try context.existingObject(Country.self, with: iran).cities.map(\.objectID)
      #expect(members == [city])
    }
  }
}
