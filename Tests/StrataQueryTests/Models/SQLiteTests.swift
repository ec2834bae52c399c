// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

/// Random predicates of the forms that SQL has, with sorts and windows, over saved, pending and mixed
/// data, find what SQLite finds in the same rows.
///
/// 42 worlds with 120 predicates each; `STRATA_QUERY_WORLDS` makes it more. Where there is no SQLite
/// nothing is compared, unless `STRATA_NEEDS_SQLITE` says that there must be one.
@Suite(.enabled(if: SQLite.isWanted, "there is no libsqlite3"))
struct `The language compared with SQLite` {
  private static let worldCount = UInt64(
    ProcessInfo.processInfo.environment["STRATA_QUERY_WORLDS"].flatMap(UInt64.init) ?? 42)

  @Test(arguments: 1...worldCount)
  func `finds what SQLite finds in the same rows`(seed: UInt64) throws {
    let segmentCount = [0, 1, 4][Int(seed % 3)]
    var (world, random) = try World.random(
      seed: seed &+ 70_000, cityCount: 24, segmentCount: segmentCount)
    let (view, _) = world.view(ownCount: (segmentCount + 1) / 2)
    let database = try SQLite()
    try world.write(to: database)
    for number in 1...120 {
      let isAboutCities = number % 5 > 0
      var question = RandomQuestion(aboutCities: isAboutCities, random)
      let condition = question.condition(depth: number % 4)
      random = question.random
      let isSorted = isAboutCities && Bool.random(using: &random)
      let predicate = try FetchPredicate(
        format: condition.format, argumentArray: question.arguments)
      let (limit, offset) = (number % 9, number % 4)
      var sql =
        "SELECT key FROM \(isAboutCities ? "city" : "country") o WHERE \(condition.sql) ORDER BY "
        + (isSorted ? "population DESC, nickname, key" : "key")
      if isSorted { sql += " LIMIT \(limit) OFFSET \(offset)" }
      let text = "seed \(seed): \(condition.format) % \(question.arguments)\n\(sql)"
      let expected = try database.run(sql, question.parameters)
      let found: [ObjectKey]
      if isAboutCities {
        var request = FetchRequest<City>(predicate)
        if isSorted {
          request = request.sorted(by: \.population, .descending).sorted(by: \.nickname)
          request = request.limit(limit).offset(offset)
        }
        let plan = try QueryPlan(request, entity: world.city, schema: world.schema)
        found = try plan.fetch(in: view).map(\.key)
      } else {
        let plan = try QueryPlan(
          FetchRequest<Country>(predicate), entity: world.country, schema: world.schema)
        found = try plan.fetch(in: view).map(\.key)
      }
      #expect(found.map { Int64(bitPattern: $0.rawValue) } == expected, "\(text)")
    }
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
