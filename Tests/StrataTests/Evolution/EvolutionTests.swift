// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A program's first model.
private enum First {
  @Entity
  final class Town: ManagedObject {
    @Attribute(.indexed) var title: String
    var population: Int32 = 0
    var nickname: String?
    var height: Double?
    var region: Region?
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Town.region) var towns: ToMany<Town>
  }

  static func model() throws -> ManagedObjectModel { try .init(Town.self, Region.self) }
}

/// Its second model, with changes that can be inferred.
private enum Second {
  @Entity(originalName: "Town")
  final class City: ManagedObject {
    @Attribute(.indexed, originalName: "title") var name: String
    @Attribute(.indexed) var population: Int
    var isCapital: Bool = false
    @Attribute(.indexed) var language: String = "unknown"
    var motto: String?
    var nickname: String?
    var height: Double = -1
    var region: Region?
    var mayor: Mayor?
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \City.region, originalName: "towns") var cities: ToMany<City>
  }

  @Entity
  final class Mayor: ManagedObject {
    var name: String
    @Relationship(inverse: \City.mayor) var cities: ToMany<City>
  }

  static func model() throws -> ManagedObjectModel { try .init(City.self, Region.self, Mayor.self) }
}

private func makeFirstStore(at url: URL) throws {
  let container = try PersistentContainer(at: url, model: First.model(), durability: .none)
  try container.root.performAndWait { context in
    let region = First.Region(context: context)
    region.name = "Elbe"
    for number in 0..<1_000 {
      let town = First.Town(context: context)
      town.title = "town \(number % 100)"
      town.population = Int32(number)
      if number.isMultiple(of: 2) { town.nickname = "nick \(number)" }
      if number.isMultiple(of: 4) { town.height = Double(number) }
      if number < 10 { town.region = region }
    }
    try context.save()
  }
}

@Suite struct `A store whose model has changed` {
  private typealias City = Second.City

  @Test func `opens with its objects under their new names and types`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    let container = try PersistentContainer(at: url, model: Second.model(), durability: .none)
    try container.root.performAndWait { context in
      let cities = try context.fetch(City.all.sorted(by: \.population))
      #expect(cities.count == 1_000)
      #expect(cities.map(\.population) == Array(0..<1_000))
      #expect(cities.enumerated().allSatisfy { $1.name == "town \($0 % 100)" })
      #expect(cities[2].nickname == "nick 2")
      #expect(cities[3].nickname == nil)
      #expect(cities[0].region?.name == "Elbe")
      #expect(cities[0].region?.cities.count == 10)
      #expect(try context.count(City.where { $0.name == "town 7" }) == 10)
    }
  }

  @Test func `shows the defaults of new attributes, and of those that were optional`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    let container = try PersistentContainer(at: url, model: Second.model(), durability: .none)
    try container.root.performAndWait { context in
      let cities = try context.fetch(City.all.sorted(by: \.population))
      #expect(cities.allSatisfy { $0.language == "unknown" && !$0.isCapital && $0.motto == nil })
      #expect(cities[4].height == 4)
      #expect(cities[5].height == -1)
      #expect(try context.count(City.where { $0.language == "unknown" }) == 1_000)
      #expect(try context.count(City.where { $0.language == "de" }) == 0)
      #expect(try context.count(City.where { $0.height < 0 }) == 750)
      #expect(try context.count(City.where { $0.motto == nil }) == 1_000)
      #expect(try context.count(City.where { $0.mayor == nil }) == 1_000)
      #expect(try context.count(City.where { $0.population >= 990 }) == 10)
    }
  }

  @Test func `takes changes, which are there when it is opened again`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    for round in 1...2 {
      let container = try PersistentContainer(at: url, model: Second.model(), durability: .none)
      try container.root.performAndWait { context in
        let cities = try context.fetch(City.all.sorted(by: \.population))
        #expect(cities.count(where: \.isCapital) == (round - 1) * 500)
        let mayor = Second.Mayor(context: context)
        mayor.name = "mayor \(round)"
        for city in cities where city.population.isMultiple(of: 2) == (round == 1) {
          city.isCapital = true
          city.language = "de"
          city.mayor = mayor
        }
        try context.delete(#require(cities.last))
        let city = City(context: context)
        (city.name, city.population) = ("new", 5_000_000_000 + round)
        try context.save()
      }
    }
    let container = try PersistentContainer(at: url, model: Second.model(), durability: .none)
    try container.root.performAndWait { context in
      #expect(try context.count(City.all) == 1_000)
      #expect(try context.count(City.where { $0.language == "de" }) == 999)
      #expect(try context.count(City.where { $0.population > 5_000_000_000 }) == 1)
      let mayors = try context.fetch(Second.Mayor.all.sorted(by: \.name))
      #expect(mayors.map(\.cities.count) == [500, 499])
    }
  }

  @Test func `is refused by the former program, and stays as it is`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    _ = try PersistentContainer(at: url, model: Second.model(), durability: .none)
    #expect {
      _ = try PersistentContainer(at: url, model: First.model(), durability: .none)
    } throws: { error in
      guard case StoreError.modelMismatch(let mismatches) = error else { return false }
      return mismatches.contains { $0.entity == "City" && $0.kind == .removed }
    }
    let container = try PersistentContainer(at: url, model: Second.model(), durability: .none)
    #expect(try container.root.performAndWait { try $0.count(City.all) } == 1_000)
  }

  @Test func `tells the former program so at its next transaction`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    let former = try PersistentContainer(at: url, model: First.model(), durability: .none)
    try former.root.performAndWait { context in
      let town = try #require(
        try context.fetch(First.Town.where { $0.population == 5 }).first)
      town.nickname = "unsaved"
      _ = try PersistentContainer(at: url, model: Second.model(), durability: .none)
      #expect {
        try context.save()
      } throws: { error in
        if case StoreError.modelChanged = error { true } else { false }
      }
      #expect(town.nickname == "unsaved" && town.title == "town 5" && town.hasChanges)
    }
    #expect {
      _ = try former.root.performAndWait { try $0.count(First.Town.all) }
    } throws: { error in
      if case StoreError.modelChanged = error { true } else { false }
    }
  }

  @Test func `loses nothing that the program does not name`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    #expect {
      _ = try PersistentContainer(at: url, model: Bare.model(), durability: .none)
    } throws: { error in
      guard case StoreError.modelMismatch(let mismatches) = error else { return false }
      return Set(mismatches.map { "\($0.entity).\($0.property ?? "")" })
        == ["Region.", "Town.population", "Town.nickname", "Town.height", "Town.region"]
    }
    let former = try PersistentContainer(at: url, model: First.model(), durability: .none)
    #expect(try former.root.performAndWait { try $0.count(First.Town.all) } == 1_000)
  }

  @Test func `loses what the program names, and gives its space back`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    let container = try PersistentContainer(
      at: url, model: Bare.model(),
      removing: ["Region", "Town.population", "Town.nickname", "Town.height", "Town.region"],
      durability: .none)
    try container.root.performAndWait { context in
      let towns = try context.fetch(Bare.Town.where { $0.title == "town 7" })
      #expect(towns.count == 10 && towns.allSatisfy { $0.title == "town 7" })
      towns[0].title = "changed"
      try context.save()
      #expect(try context.count(Bare.Town.where { $0.title == "changed" }) == 1)
    }
  }

  @Test(arguments: ["", ".", "Town.", ".title", "Town.region.name"])
  func `is not opened if a name to remove can be neither an entity's nor a property's`(
    name: String
  ) throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    #expect {
      try PersistentContainer(at: url, model: Bare.model(), removing: ["Region", name])
    } throws: {
      if case StoreError.malformedNames(let names) = $0 { names == [name] } else { false }
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func `keeps its model if a new constraint does not hold, and names the offenders`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFirstStore(at: url)
    #expect {
      _ = try PersistentContainer(at: url, model: Strict.model(), durability: .none)
    } throws: { error in
      guard case StoreError.uniquenessViolations(let violations) = error else { return false }
      return violations.count == 100
        && violations.allSatisfy { $0.entity == "Town" && $0.properties == ["title"] }
    }
    let former = try PersistentContainer(at: url, model: First.model(), durability: .none)
    try former.root.performAndWait { context in
      let towns = try context.fetch(First.Town.all)
      for (number, town) in towns.enumerated() { town.title = "town \(number)" }
      try context.save()
    }
    former.coordinator.store.close()
    let strict = try PersistentContainer(at: url, model: Strict.model(), durability: .none)
    try strict.root.performAndWait { context in
      let count = try context.count(Strict.Town.where { $0.title == "town 700" })
      #expect(count == 1)
      let town = Strict.Town(context: context)
      town.title = "town 700"
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
    }
  }

  @Test func `keeps its model if values are equal that its index has cut`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let start = String(repeating: "long ", count: 60)
    let ids = try PersistentContainer(at: url, model: First.model(), durability: .none)
      .root.performAndWait { context in
        let towns = ["a", "b", "a", ""].map { end in
          let town = First.Town(context: context)
          town.title = start + end
          return town
        }
        try context.save()
        return towns.map(\.objectID)
      }
    #expect {
      _ = try PersistentContainer(at: url, model: Strict.model(), durability: .none)
    } throws: { error in
      guard case StoreError.uniquenessViolations(let violations) = error else { return false }
      return violations.map(\.objectID) == [ids[2]] && violations.map(\.existing) == [ids[0]]
    }
  }

  @Test func `keeps the values that a former default has given`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    func open(_ model: ManagedObjectModel) throws -> PersistentContainer {
      try PersistentContainer(at: url, model: model, durability: .none)
    }
    try open(Levels.first()).root.performAndWait { context in
      Levels.First.Thing(context: context).name = "thing"
      try context.save()
    }
    let levels = try open(Levels.second()).root.performAndWait { context in
      try context.fetch(Levels.Second.Thing.all).map(\.level)
    }
    #expect(levels == [5])
    let later = try open(Levels.third()).root.performAndWait { context in
      _ = Levels.Third.Thing(context: context)
      try context.save()
      return try context.fetch(Levels.Third.Thing.all.sorted(by: \.level)).map {
        [$0.level, $0.rank]
      }
    }
    #expect(later == [[5, 9], [7, 9]])
  }
}

/// The first model without most of it.
private enum Bare {
  @Entity
  final class Town: ManagedObject {
    @Attribute(.indexed) var title: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Town.self) }
}

/// The first model with a constraint.
private enum Strict {
  @Entity
  final class Town: ManagedObject {
    @Attribute(.unique) var title: String
    var population: Int32 = 0
    var nickname: String?
    var height: Double?
    var region: Region?
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Town.region) var towns: ToMany<Town>
  }

  static func model() throws -> ManagedObjectModel { try .init(Town.self, Region.self) }
}

/// Three models, of which the second brings an attribute and the third another default for it.
private enum Levels {
  enum First {
    @Entity
    final class Thing: ManagedObject { var name: String }
  }

  enum Second {
    @Entity
    final class Thing: ManagedObject {
      var name: String
      var level: Int = 5
    }
  }

  enum Third {
    @Entity
    final class Thing: ManagedObject {
      var name: String
      var level: Int = 7
      var rank: Int = 9
    }
  }

  static func first() throws -> ManagedObjectModel { try .init(First.Thing.self) }
  static func second() throws -> ManagedObjectModel { try .init(Second.Thing.self) }
  static func third() throws -> ManagedObjectModel { try .init(Third.Thing.self) }
}
