// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// A world of saved, pending and mixed data, and its rows in SQLite. Each step draws a predicate
/// that SQL can express. Both find the same.
private struct TabledWorld: Model {
  var random: ModelRandom
  private let world: World
  private let view: ReadView
  private let database: SQLite

  init(_ random: ModelRandom) throws {
    self.random = random
    let segmentCount = self.random.pick([0, 1, 4]) ?? 0
    (world, view) = try World.random(&self.random, cityCount: 24, segmentCount: segmentCount)
    database = try SQLite()
    try world.write(to: database)
  }

  static var operations: [ModelOperation<TabledWorld>] {
    [
      ModelOperation("cities", weight: 4) { try $0.fetch(aboutCities: true) },
      ModelOperation("countries") { try $0.fetch(aboutCities: false) },
    ]
  }

  private mutating func fetch(aboutCities isAboutCities: Bool) throws {
    var question = RandomQuestion(aboutCities: isAboutCities, random.seeded())
    let condition = question.condition(depth: random.below(4))
    let isSorted = isAboutCities && random.chance(2)
    let (limit, offset) = (random.below(9), random.below(4))
    var sql =
      "SELECT key FROM \(isAboutCities ? "city" : "country") o WHERE \(condition.sql) ORDER BY "
      + (isSorted ? "population DESC, nickname, key" : "key")
    if isSorted { sql += " LIMIT \(limit) OFFSET \(offset)" }
    random.note("\(condition.format) % \(question.arguments)")
    random.note(sql)
    let predicate = try FetchPredicate(
      format: condition.format, argumentArray: question.arguments)
    let expected = try database.run(sql, question.parameters)
    let plan: QueryPlan
    if isAboutCities {
      var request = FetchRequest<City>(predicate)
      if isSorted {
        request = request.sorted(by: \.population, order: .reverse).sorted(by: \.nickname)
        request = request.limit(limit).offset(offset)
      }
      plan = try QueryPlan(request, entity: world.city, schema: world.schema)
    } else {
      plan = try QueryPlan(
        FetchRequest<Country>(predicate), entity: world.country, schema: world.schema)
    }
    let found = try plan.fetch(in: view).map(\.key)
    try expectSame(found.map { Int64(bitPattern: $0.rawValue) }, expected, "fetched")
  }
}

/// Compares nothing on a system without SQLite, unless `STRATA_NEEDS_SQLITE` is set.
@Suite(.enabled(if: SQLite.isWanted, "there is no libsqlite3"))
struct `The language compared with SQLite` {
  @Test func `finds the same as SQLite in the same rows`() async {
    let failure = await ModelTest(
      "SQLite", sequences: 20, steps: 120, width: 2, make: TabledWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}

extension World {
  /// The rows that one sees, as tables.
  fileprivate func write(to database: SQLite) throws {
    for table in [
      "city (key INTEGER PRIMARY KEY, name TEXT, nickname TEXT, population INTEGER, rank INTEGER, "
        + "kind TEXT, country INTEGER)",
      "country (key INTEGER PRIMARY KEY, name TEXT, motto TEXT)",
      "twin (owner INTEGER, member INTEGER)", "sight (owner INTEGER, member INTEGER)",
    ] { try database.run("CREATE TABLE \(table)") }
    func key(_ key: ObjectKey?) -> SQLite.Parameter {
      key.map { .int(Int64(bitPattern: $0.rawValue)) } ?? .null
    }
    func text(_ text: String?) -> SQLite.Parameter {
      text.map { .text($0.precomposedStringWithCanonicalMapping) } ?? .null
    }
    for (cityKey, city) in cities {
      try database.run(
        "INSERT INTO city VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          key(cityKey), text(city.nameRead), text(city.nickname),
          .int(Int64(city.populationRead)), city.rank.map { .int(Int64($0)) } ?? .null,
          text(city.kind?.rawValue), key(city.country),
        ])
    }
    for (countryKey, country) in countries {
      try database.run(
        "INSERT INTO country VALUES (?, ?, ?)",
        [key(countryKey), text(country.name ?? ""), text(country.motto)])
    }
    for (table, links) in [("twin", twins.mapValues(Array.init)), ("sight", sights)] {
      for (owner, members) in links {
        for member in members {
          try database.run("INSERT INTO \(table) VALUES (?, ?)", [key(owner), key(member)])
        }
      }
    }
  }
}
