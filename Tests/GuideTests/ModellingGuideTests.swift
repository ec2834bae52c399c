// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of Modelling.md, part by part.
@Suite struct `The guide to modelling` {
  // begin first
  @Entity final class Country: ManagedObject {
    @Attribute(.unique) var code: String
    @Attribute(.required, .length(1...80)) var name: String?
    var area: Double?
  }
  // end

  // begin types
  enum Rank: String { case village, town, city }

  struct Place: Codable, Sendable, Equatable {
    var latitude: Double
    var longitude: Double
  }

  @Entity(uniqueTogether: ["country", "name"], indexes: ["country", "population"])
  final class City: ManagedObject {
    var name: String
    @Attribute(.derived(.canonical("name")), .indexed) var plainName: String
    @Attribute(.range(0...50_000_000)) var population: Int = 0
    var rank: Rank = .town
    var place: Place?
    var otherNames: [String] = []
    @Attribute(.external) var map: Data?
    @Attribute(.transient) var isSelected: Bool = false
    var created: Date?
    var country: Country?
  }
  // end

  // begin inheritance
  @Entity(isAbstract: true) class Water: ManagedObject {
    @Attribute(.indexed) var name: String
  }

  @Entity final class River: Water {
    var length: Double = 0
  }

  @Entity final class Lake: Water {
    var area: Double = 0
  }
  // end

  // begin hooks
  @Entity final class Reading: ManagedObject {
    var low: Double = 0
    var high: Double = 0
    var taken: Date?
    var changes: Int = 0

    override func awakeFromInsert() { taken = Date() }

    override func willSave() {
      // Set a value only if it differs: a change here makes the save call willSave again.
      if changes == 0 { changes = 1 }
    }

    override func validateForInsert() throws { try checkOrder() }
    override func validateForUpdate() throws { try checkOrder() }

    private func checkOrder() throws {
      if low > high { throw Disorder() }
    }
  }

  struct Disorder: Error, CustomStringConvertible {
    let description = "The low value is above the high one."
  }
  // end

  @Test func `gives objects the values that the page says`() async throws {
    let container = try PersistentContainer(inMemory: Self.model())
    try await container.root.perform { context in
      // begin using
      let country = Country(context: context)
      (country.code, country.name) = ("IR", "Iran")
      let city = City(context: context)
      (city.name, city.country) = ("Lavāsān", country)
      (city.rank, city.otherNames) = (.city, ["Lavasan"])
      city.place = Place(latitude: 35.82, longitude: 51.62)
      try context.save()
      let found = try context.fetch(
        City.where { $0.plainName == "lavasan" && $0.rank == Rank.city && $0.place.latitude > 35 })
      // end
      #expect(found.map(\.name) == ["Lavāsān"])
      #expect(city.population == 0)
      #expect(city.otherNames == ["Lavasan"])
      #expect(city.map == nil)
      #expect(country.area == nil)

      for (name, length) in [("Karun", 950.0), ("Zayandeh", 400)] {
        let river = River(context: context)
        (river.name, river.length) = (name, length)
      }
      Lake(context: context).name = "Urmia"
      // begin subentities
      let waters = try context.fetch(Water.all.sorted(by: \.name))  // rivers and lakes
      for case let river as River in waters where river.length > 500 { print(river.name) }
      // end
      #expect(waters.map(\.name) == ["Karun", "Urmia", "Zayandeh"])
      context.rollback()
    }
  }

  @Test func `refuses models and objects as the page says`() async throws {
    // begin model
    let model: ManagedObjectModel
    do {
      model = try ManagedObjectModel(
        Country.self, City.self, River.self, Lake.self, Reading.self)
    } catch {
      print(error)  // a ModelError: the entity, the property, and the remedy
      throw error
    }
    // end
    let container = try PersistentContainer(inMemory: model)
    try await container.root.perform { context in
      // begin validating
      let reading = Reading(context: context)
      (reading.low, reading.high) = (5, 3)
      let failures = try context.validationFailures()  // as save() would report them
      for failure in failures { print(failure.entity, failure.message) }
      // end
      #expect(failures.map(\.rule) == [.hook(.validateForInsert)])
      #expect(failures.first?.message.contains("The low value is above the high one.") == true)
      #expect { try context.save() } throws: {
        if case ContextError.validationFailed = $0 { true } else { false }
      }
      reading.high = 7
      try context.save()
      #expect(reading.changes == 1)
      #expect(reading.taken != nil)
      let nameless = Country(context: context)
      nameless.code = "XX"
      #expect(try nameless.validationFailures(of: \Country.name).map(\.property) == ["name"])
    }
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Country.self, City.self, River.self, Lake.self, Reading.self)
  }
}

/// The code that `@Entity` writes, in Modelling.md.
@Suite struct `An entity that is written by hand` {
  // begin by-hand
  final class Note: ManagedObject, Entity {
    var text: String {
      get { self[slot: 0] }
      set { self[slot: 0] = newValue }
    }

    private static let description: EntityDescription = EntityDescription(
      entity: "Note", of: Note.self,
      properties: [.attribute("text", \Note.text, as: String.self, .indexed)])
    override class var entity: EntityDescription { description }
  }
  // end

  @Test func `is one like any other`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Note.self))
    let context = ManagedObjectContext(parent: container.root)
    Note(context: context).text = "written by hand"
    #expect(try context.count(Note.where { $0.text.hasPrefix("written") }) == 1)
  }
}
