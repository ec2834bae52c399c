// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Two entities without a superentity.
private enum Flat {
  @Entity
  final class Town: ManagedObject {
    @Attribute(.indexed) var name: String
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    var population: Int = 0
    var region: Region?
    @Relationship(.symmetric) var twins: ToMany<Town>
    @Relationship(inverse: \Tag.towns) var tags: ToMany<Tag>
    var sights: ToMany<Region>
  }

  @Entity
  final class River: ManagedObject {
    @Attribute(.indexed) var name: String
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    var length: Double = 0
    var region: Region?
    var sights: ToMany<Region>
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Town.region) var towns: ToMany<Town>
    @Relationship(inverse: \River.region) var rivers: ToMany<River>
  }

  @Entity
  final class Tag: ManagedObject {
    var text: String
    var towns: ToMany<Town>
  }

  static func model() throws -> ManagedObjectModel {
    try .init(Town.self, River.self, Region.self, Tag.self)
  }
}

/// The same entities with a superentity, which declares the properties that both have.
private enum Deep {
  @Entity(isAbstract: true, indexes: ["title", "code"])
  class Place: ManagedObject {
    @Attribute(.indexed, originalName: "name") var title: String
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    @Attribute(.indexed) var rank: Int = 3
    var region: Region?
    @Relationship(inverse: \Tag.places) var tags: ToMany<Tag>
    var sights: ToMany<Region>
  }

  @Entity
  final class Town: Place {
    var population: Int = 0
    @Relationship(.symmetric) var twins: ToMany<Town>
  }

  @Entity
  final class River: Place {
    var length: Double = 0
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Place.region) var places: ToMany<Place>
  }

  @Entity
  final class Tag: ManagedObject {
    var text: String
    @Relationship(originalName: "towns") var places: ToMany<Place>
  }

  static func model() throws -> ManagedObjectModel {
    try .init(Place.self, Town.self, River.self, Region.self, Tag.self)
  }
}

/// The entities without their superentity, after they had one.
private enum Apart {
  @Entity
  final class Town: ManagedObject {
    @Attribute(.indexed) var title: String
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    @Attribute(.indexed) var rank: Int = 3
    var population: Int = 0
    var region: Region?
    @Relationship(.symmetric) var twins: ToMany<Town>
    var sights: ToMany<Region>
  }

  @Entity
  final class River: ManagedObject {
    @Attribute(.indexed, originalName: "title") var name: String
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    var length: Double = 0
    var region: Region?
    var sights: ToMany<Region>
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Town.region) var towns: ToMany<Town>
    @Relationship(inverse: \River.region) var rivers: ToMany<River>
  }

  static func model() throws -> ManagedObjectModel {
    try .init(Town.self, River.self, Region.self)
  }
}

private let count = 300

private func open(
  _ url: URL, _ model: ManagedObjectModel, removing: Set<String> = []
) throws -> PersistentContainer {
  try PersistentContainer(at: url, model: model, removing: removing, durability: .none)
}

private func makeFlatStore(at url: URL, riverCode: @Sendable (Int) -> String = { "r\($0)" }) throws
{
  try open(url, Flat.model()).root.performAndWait { context in
    let regions = (0..<2).map { number in
      let region = Flat.Region(context: context)
      region.name = "region \(number)"
      return region
    }
    let tag = Flat.Tag(context: context)
    tag.text = "tag"
    var former: Flat.Town?
    for number in 0..<count {
      let (town, river) = (Flat.Town(context: context), Flat.River(context: context))
      (town.name, river.name) = ("town \(number)", "river \(number)")
      (town.code, river.code) = ("t\(number)", riverCode(number))
      (town.population, river.length) = (number, Double(number))
      (town.region, river.region) = (regions[number % 2], regions[0])
      if number.isMultiple(of: 50) {
        (town.map, river.map) = (Data(repeating: 1, count: 2_000), Data(count: 1_000 + number))
        town.tags.insert(tag)
        if let former { town.twins.insert(former) }
        town.sights.insert(regions[1])
        for region in regions { river.sights.insert(region) }
        former = town
      }
    }
    try context.save()
  }
}

/// - Parameter rank: of all places.
private func expectDeep(_ container: PersistentContainer, rank: Int = 3) throws {
  try container.root.performAndWait { context in
    let places = try context.fetch(Deep.Place.all.sorted(by: \.title))
    #expect(places.count == 2 * count && places.allSatisfy { $0.rank == rank })
    let titles = (0..<count).flatMap { ["town \($0)", "river \($0)"] }
    #expect(places.map(\.title) == titles.sorted())
    #expect(try context.count(Deep.Place.where { $0.rank == rank }) == 2 * count)
    #expect(try context.count(Deep.River.where { $0.title == "town 7" }) == 0)
    let seven = try context.fetch(Deep.Place.where { $0.code == "r7" || $0.code == "t7" })
    #expect(Set(seven.map(\.title)) == ["town 7", "river 7"])
    let river = try #require(seven.compactMap { $0 as? Deep.River }.first)
    #expect(river.length == 7 && river.region?.name == "region 0" && river.tags.isEmpty)
    let regions = try context.fetch(Deep.Region.all.sorted(by: \.name))
    #expect(regions.map(\.places.count) == [count + count / 2, count / 2])
    let tagged = try #require(try context.fetch(Deep.Tag.all).first).places
    #expect(tagged.count == 6 && tagged.allSatisfy { $0 is Deep.Town && $0.tags.count == 1 })
    for number in stride(from: 0, to: count, by: 50) {
      let codes = ["t\(number)", "r\(number)"]
      let pair = try context.fetch(Deep.Place.where { $0.code.isIn(codes) }.sorted(by: \.code))
      #expect(pair.map(\.map?.count) == [1_000 + number, 2_000])
      #expect(pair.map { $0.sights.map(\.name).sorted().last } == ["region 1", "region 1"])
      #expect(pair.map(\.sights.count) == [2, 1])
      let town = try #require(pair[1] as? Deep.Town)
      #expect(town.twins.count == (number == 0 || number == 250 ? 1 : 2))
      #expect(town.twins.allSatisfy { $0.twins.contains(town) })
    }
  }
}

@Suite struct `A superentity` {
  @Test func `can be added above entities, whose properties it takes over`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFlatStore(at: url)
    let ids = try open(url, Flat.model()).root.performAndWait { context in
      Set(try context.fetchIDs(Flat.Town.all) + context.fetchIDs(Flat.River.all))
    }
    let container = try open(url, Deep.model())
    try expectDeep(container)
    let places = try container.root.performAndWait { try $0.fetchIDs(Deep.Place.all) }
    #expect(Set(places.map(\.key)) == Set(ids.map(\.key)))
    // Records of the former layout and of the present one are read alike.
    try container.root.performAndWait { context in
      for (number, place) in try context.fetch(Deep.Place.all).enumerated() {
        place.rank = 9
        if number.isMultiple(of: 2) { place.title += "" }
      }
      try context.save()
    }
    try expectDeep(open(url, Deep.model()), rank: 9)
  }

  @Test func `checks a constraint over all of its entities, and names the offenders`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFlatStore(at: url) { $0 == 5 ? "t5" : "r\($0)" }
    #expect {
      _ = try open(url, Deep.model())
    } throws: { error in
      guard case StoreError.uniquenessViolations(let violations) = error else { return false }
      return violations.map(\.properties) == [["code"]]
    }
    try open(url, Flat.model()).root.performAndWait { context in
      try #require(try context.fetch(Flat.River.where { $0.code == "t5" }).first).code = "r5"
      try context.save()
    }
    let container = try open(url, Deep.model())
    try expectDeep(container)
    try container.root.performAndWait { context in
      let river = Deep.River(context: context)
      (river.title, river.code) = ("another", "t7")
      #expect { try context.save() } throws: { $0.isUniquenessViolation }
    }
  }

  @Test func `can go, and its properties with it to the entities that had it`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFlatStore(at: url)
    _ = try open(url, Deep.model())
    let error = try #require(throws: StoreError.self) { try open(url, Apart.model()) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(
      Set(found.map { "\($0.entity).\($0.property ?? "")" })
        == ["Place.", "Place.tags", "River.rank", "Tag."])
    #expect(found.allSatisfy { $0.kind == .removed })
    let container = try open(
      url, Apart.model(), removing: ["Place", "Place.tags", "River.rank", "Tag"])
    try expectApart(container)
    // All towns and some rivers get records of the present layout, with the same values.
    try container.root.performAndWait { context in
      for town in try context.fetch(Apart.Town.all) { town.population += 1 }
      for river in try context.fetch(Apart.River.all) where river.length < 100 {
        river.length += 0.5
      }
      try context.save()
      for town in try context.fetch(Apart.Town.all) { town.population -= 1 }
      for river in try context.fetch(Apart.River.all) where river.length < 101 {
        river.length.round(.down)
      }
      try context.save()
    }
    try expectApart(open(url, Apart.model()))
  }

  private func expectApart(_ container: PersistentContainer) throws {
    try container.root.performAndWait { context in
      let towns = try context.fetch(Apart.Town.all.sorted(by: \.population))
      let rivers = try context.fetch(Apart.River.all.sorted(by: \.length))
      #expect(towns.map(\.title) == (0..<count).map { "town \($0)" })
      #expect(rivers.map(\.name) == (0..<count).map { "river \($0)" })
      #expect(rivers.map(\.code) == (0..<count).map { "r\($0)" })
      #expect(try context.count(Apart.Town.where { $0.rank == 3 }) == count)
      #expect(try context.count(Apart.Town.where { $0.title == "town 7" }) == 1)
      #expect(try context.count(Apart.River.where { $0.name == "river 7" }) == 1)
      #expect(try context.count(Apart.River.where { $0.code == "r7" }) == 1)
      let regions = try context.fetch(Apart.Region.all.sorted(by: \.name))
      #expect(regions.map(\.towns.count) == [count / 2, count / 2])
      #expect(regions.map(\.rivers.count) == [count, 0])
      #expect(towns[50].map?.count == 2_000 && rivers[50].map?.count == 1_050)
      #expect(towns[50].twins.count == 2 && Array(towns[250].twins) == [towns[200]])
      #expect(towns[50].sights.count == 1 && rivers[50].sights.count == 2)
      #expect(rivers[51].sights.isEmpty)
    }
  }

  @Test func `can come again, and shows no value of the time before it went`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFlatStore(at: url)
    try open(url, Deep.model()).root.performAndWait { context in
      for place in try context.fetch(Deep.Place.all) { place.rank = 8 }
      try context.save()
    }
    _ = try open(url, Apart.model(), removing: ["Place", "Place.tags", "River.rank", "Tag"])
    // Towns still have a rank, rivers have got a new one.
    try open(url, Again.model()).root.performAndWait { context in
      let places = try context.fetch(Again.Place.all)
      #expect(places.count == 2 * count)
      #expect(places.allSatisfy { $0.rank == ($0 is Again.Town ? 8 : 4) })
      #expect(try context.count(Again.Place.where { $0.rank == 8 }) == count)
      #expect(try context.count(Again.Place.where { $0.rank == 4 }) == count)
      #expect(try context.count(Again.Place.where { $0.code == "r7" }) == 1)
    }
  }

  @Test func `indexes the values that its attribute continues in an entity that had the name, too`()
    throws
  {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try open(url, Shadowed.Former.model()).root.performAndWait { context in
      for number in 0..<10 {
        let (left, right) = (
          Shadowed.Former.Left(context: context), Shadowed.Former.Right(context: context)
        )
        (left.rank, left.level, right.rank) = (number, 100 + number, number)
      }
      try context.save()
    }
    let error = try #require(throws: StoreError.self) {
      try open(url, Shadowed.Present.model(), removing: ["Left.rank"])
    }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found == [ModelMismatch("Left", property: "level", .replaced(by: "rank"))])
    try open(url, Shadowed.Present.model(), removing: ["Left.level"]).root.performAndWait {
      context in
      let levels = try context.fetch(Shadowed.Present.Left.all.sorted(by: \.level)).map(\.level)
      #expect(levels == Array(0..<10))
      #expect(try context.count(Shadowed.Present.Upper.where { $0.level == 105 }) == 0)
      #expect(try context.count(Shadowed.Present.Upper.where { $0.level == 5 }) == 2)
    }
  }

  @Test func `needs a default for each property that is new to one of its entities`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeFlatStore(at: url)
    let error = try #require(throws: StoreError.self) { try open(url, Demanding.model()) }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found.contains { $0.property == "population" && $0.kind == .missingDefault })
    #expect(found.contains { $0.property == "owner" && $0.kind == .missingDefault })
    #expect(found.allSatisfy { $0.entity == "Place" || $0.kind == .removed })
  }

  @Test func `cannot go while other relationships lead to objects of several entities`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    do { _ = try open(url, Mixed.Former.model()) }
    let error = try #require(throws: StoreError.self) {
      try open(url, Mixed.Present.model(), removing: ["Holder"])
    }
    guard case .modelMismatch(let found) = error else { throw error }
    #expect(found.map(\.kind) == [.changedRelationship])
    #expect(found[0].description.contains("Account.holder"))
  }
}

/// A superentity that takes over what one of its entities had removed.
private enum Again {
  @Entity
  class Place: ManagedObject {
    @Attribute(.unique) var code: String
    @Attribute(.external) var map: Data?
    @Attribute(.indexed) var rank: Int = 4
    var region: Region?
    var sights: ToMany<Region>
  }

  @Entity
  final class Town: Place {
    @Attribute(.indexed) var title: String
    var population: Int = 0
    @Relationship(.symmetric) var twins: ToMany<Town>
  }

  @Entity
  final class River: Place {
    @Attribute(.indexed) var name: String
    var length: Double = 0
  }

  @Entity
  final class Region: ManagedObject {
    var name: String
    @Relationship(inverse: \Place.region) var places: ToMany<Place>
  }

  static func model() throws -> ManagedObjectModel {
    try .init(Place.self, Town.self, River.self, Region.self)
  }
}

/// A superentity whose attribute gets the name of an attribute of one of its entities.
private enum Shadowed {
  enum Former {
    @Entity(isAbstract: true)
    class Upper: ManagedObject {
      @Attribute(.indexed) var rank: Int
    }

    @Entity
    final class Left: Upper {
      var level: Int
    }

    @Entity final class Right: Upper {}

    static func model() throws -> ManagedObjectModel { try .init(Left.self, Right.self) }
  }

  enum Present {
    @Entity(isAbstract: true)
    class Upper: ManagedObject {
      @Attribute(.indexed, originalName: "rank") var level: Int
    }

    @Entity final class Left: Upper {}
    @Entity final class Right: Upper {}

    static func model() throws -> ManagedObjectModel { try .init(Left.self, Right.self) }
  }
}

/// A superentity with attributes that its entities do not all have.
private enum Demanding {
  @Entity(isAbstract: true)
  class Place: ManagedObject {
    var population: Int
    var owner: String
  }

  @Entity final class Town: Place {}
  @Entity final class River: Place {}

  static func model() throws -> ManagedObjectModel { try .init(Town.self, River.self) }
}

/// A relationship to objects of two entities with a common superentity.
private enum Mixed {
  enum Former {
    @Entity(isAbstract: true) class Holder: ManagedObject {}
    @Entity final class Person: Holder {}
    @Entity final class Firm: Holder {}

    @Entity
    final class Account: ManagedObject {
      var holder: Holder?
    }

    static func model() throws -> ManagedObjectModel {
      try .init(Person.self, Firm.self, Account.self)
    }
  }

  enum Present {
    @Entity final class Person: ManagedObject {}
    @Entity final class Firm: ManagedObject {}

    @Entity
    final class Account: ManagedObject {
      var holder: Person?
    }

    static func model() throws -> ManagedObjectModel {
      try .init(Person.self, Firm.self, Account.self)
    }
  }
}
