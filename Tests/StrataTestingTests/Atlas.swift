// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Synchronization
import Testing

// The model of these tests: each kind of relationship, and an attribute of each type.

@Entity final class Country: ManagedObject {
  @Attribute(.unique) var iso: String
  @Relationship(.symmetric) var neighbours: ToMany<Country>
  @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
  @Relationship(inverse: \Language.countries) var languages: ToMany<Language>
  @Relationship(inverse: \Government.country) var government: Government?
}

@Entity final class City: ManagedObject {
  @Attribute(.indexed) var name: String
  var population: Int = 0
  var rank: Rank?
  @Attribute(.transient) var note: String?
  var country: Country?
}

enum Rank: String { case capital, port }

@Entity final class Language: ManagedObject {
  var code: String
  var countries: ToMany<Country>
}

@Entity final class Government: ManagedObject {
  var form: String
  var country: Country?
}

@Entity final class Route: ManagedObject {
  var name: String
  var stops: OrderedToMany<City>
}

@Entity final class Album: ManagedObject {
  @Relationship(inverse: \Track.album) var tracks: OrderedToMany<Track>
}

@Entity final class Track: ManagedObject {
  var name: String
  var album: Album?
}

@Entity final class Entry: ManagedObject {
  var text: String
  @Attribute(.derived(.now)) var changedAt: Date?
}

struct Address: Codable, Hashable, Sendable {
  var city: String
  var street: String
}

@Entity final class Sample: ManagedObject {
  var bool: Bool
  var int: Int
  var small: Int8
  var unsigned: UInt16
  var float: Float
  var double: Double
  var decimal: Decimal
  var text: String?
  var data: Data?
  @Attribute(.external) var picture: Data?
  var date: Date?
  var uuid: UUID?
  var token: UUID
  var url: URL?
  var address: Address?
}

func atlas() throws -> ManagedObjectModel {
  try ManagedObjectModel(
    Country.self, City.self, Language.self, Government.self, Route.self, Album.self, Track.self,
    Entry.self, Sample.self)
}

/// Switzerland with two cities, and Italy.
func alps() throws -> Fixture {
  try Fixture(
    json: Data(
      """
      { "Country": { "switzerland": { "iso": "CH" }, "italy": { "iso": "IT" } },
        "City": {
          "zurich": { "name": "Zürich", "population": 421878, "country": "switzerland" },
          "chur": { "name": "Chur", "country": "switzerland" } } }
      """.utf8))
}

/// The lines of the one issue that `body` records, without the first line; the test fails if it
/// records none.
func differences(
  at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> [String] {
  let recorded = Mutex<[Issue]>([])
  try withKnownIssue(sourceLocation: location) {
    try body()
  } matching: { issue in
    recorded.withLock { $0.append(issue) }
    return true
  }
  let issues = recorded.withLock { $0 }
  #expect(issues.count == 1, sourceLocation: location)
  let text = try #require(issues.first?.comments.first?.rawValue, sourceLocation: location)
  let lines = text.split(separator: "\n").map(String.init)
  let count = lines.dropFirst().count { !$0.hasPrefix("    ") }
  #expect(lines.first?.hasPrefix("\(count) difference") == true, sourceLocation: location)
  return Array(lines.dropFirst())
}
