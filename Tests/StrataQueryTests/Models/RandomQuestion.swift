// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataTestSupport

/// Makes random predicates of those forms that SQL has too: as a format string, and as the
/// condition of a WHERE clause.
///
/// ## Differences of SQL
/// - A comparison with NULL is neither true nor false there: each is wrapped in `coalesce(…, 0)`,
///   and equality is `IS`.
/// - NaN is NULL there: elevations, some of which are NaN, are left out.
/// - Texts are compared bytewise there, so the rows have them in their normal form, and the
///   searched texts are ASCII.
struct RandomQuestion {
  struct Part {
    let format: String
    let sql: String
  }

  /// An object in scope: how a path begins there, its alias, and whether it is a city or a country.
  private struct Subject {
    let prefix: String
    let alias: String
    let isCity: Bool
  }

  private var subjects: [Subject]
  private var aliasCount = 0
  var random: SeededGenerator
  private(set) var arguments: [Any?] = []
  private(set) var parameters: [SQLite.Parameter] = []

  init(aboutCities: Bool, _ random: SeededGenerator) {
    self.random = random
    subjects = [Subject(prefix: "", alias: "o", isCity: aboutCities)]
  }

  // MARK: - Chance

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  private mutating func nextAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  private mutating func city() -> Subject? {
    subjects.filter(\.isCity).randomElement(using: &random)
  }

  /// A placeholder on both sides. Parts are made in the order in which they stand there.
  private mutating func constant(_ argument: Any?, _ parameter: SQLite.Parameter) -> Part {
    arguments.append(argument)
    parameters.append(parameter)
    return Part(format: "%@", sql: "?\(parameters.count)")
  }

  // MARK: - Conditions

  mutating func condition(depth: Int) -> Part {
    guard depth > 0 else { return leaf() }
    switch below(7) {
    case 0, 1:
      let (one, two) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Part(format: "(\(one.format)) AND (\(two.format))", sql: "(\(one.sql) AND \(two.sql))")
    case 2, 3:
      let (one, two) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return Part(format: "(\(one.format)) OR (\(two.format))", sql: "(\(one.sql) OR \(two.sql))")
    case 4:
      let one = condition(depth: depth - 1)
      return Part(format: "NOT (\(one.format))", sql: "(NOT \(one.sql))")
    case 5: return subquery(depth: depth)
    default: return leaf()
    }
  }

  private mutating func leaf() -> Part {
    switch below(10) {
    case 0, 1, 2: return comparison(number(depth: 1), number(depth: 1))
    case 3, 4: return comparison(text(), constantText())
    case 5: return match()
    case 6: return list()
    case 7: return between()
    case 8: return `nil`()
    default: return quantified()
    }
  }

  private mutating func comparison(_ left: Part, _ right: Part) -> Part {
    let sign = pick(["==", "!=", "<", "<=", ">", ">="])
    let sql =
      switch sign {
      case "==": "(\(left.sql) IS \(right.sql))"
      case "!=": "(NOT \(left.sql) IS \(right.sql))"
      default: "coalesce(\(left.sql) \(sign) \(right.sql), 0)"
      }
    return Part(format: "\(left.format) \(sign) \(right.format)", sql: sql)
  }

  private mutating func match() -> Part {
    let left = text()
    let letters = pick(["B", "Ba", "Z", "Zu", "K", "e", "a", "nu", "Lav", ""])
    switch below(3) {
    case 0:
      return Part(
        format: "\(left.format) BEGINSWITH '\(letters)'",
        sql: "coalesce(substr(\(left.sql), 1, \(letters.count)) = '\(letters)', 0)")
    case 1:
      return Part(
        format: "\(left.format) CONTAINS '\(letters)'",
        sql: "coalesce(instr(\(left.sql), '\(letters)') > 0, 0)")
    default:
      let pattern = pick(["*a*", "?am", "Z*", "*", "", "B?m*", "é*", "?"])
      return Part(
        format: "\(left.format) LIKE '\(pattern)'",
        sql: "coalesce(\(left.sql) GLOB '\(pattern)', 0)")
    }
  }

  private mutating func list() -> Part {
    let isText = below(2) == 0
    let left = isText ? text() : number(depth: 1)
    let elements = (0..<below(4)).map { _ in isText ? constantText() : constantNumber() }
    return Part(
      format: "\(left.format) IN {\(elements.map(\.format).joined(separator: ", "))}",
      sql: "coalesce(\(left.sql) IN (\(elements.map(\.sql).joined(separator: ", "))), 0)")
  }

  private mutating func between() -> Part {
    let left = number(depth: 1)
    let (low, high) = (constantNumber(), constantNumber())
    return Part(
      format: "\(left.format) BETWEEN {\(low.format), \(high.format)}",
      sql: "coalesce(\(left.sql) BETWEEN \(low.sql) AND \(high.sql), 0)")
  }

  private mutating func `nil`() -> Part {
    let left = text()
    return below(2) == 0
      ? Part(format: "\(left.format) == nil", sql: "(\(left.sql) IS NULL)")
      : Part(format: "\(left.format) != nil", sql: "(\(left.sql) IS NOT NULL)")
  }

  // MARK: - Collections

  /// A collection of cities: its path, and the FROM and WHERE for its members.
  private mutating func collection() -> (path: String, alias: String, from: String, on: String) {
    let (subject, alias) = (pick(subjects), nextAlias())
    let owner = subject.alias
    func links(_ table: String, _ owner: String) -> (from: String, on: String) {
      let link = alias + "l"
      return (
        "city \(alias) JOIN \(table) \(link) ON \(link).member = \(alias).key",
        "\(link).owner = \(owner)"
      )
    }
    let country =
      subject.isCity
      ? "(SELECT k.key FROM country k WHERE k.key = \(owner).country)" : "\(owner).key"
    let way = subject.prefix + (subject.isCity ? "country." : "")
    switch below(subject.isCity ? 3 : 2) {
    case 0:
      let (from, on) = links("sight", country)
      return (way + "sights", alias, from, on)
    case 1: return (way + "cities", alias, "city \(alias)", "\(alias).country = \(country)")
    default:
      let (from, on) = links("twin", "\(owner).key")
      return (subject.prefix + "twins", alias, from, on)
    }
  }

  private mutating func quantified() -> Part {
    let collection = collection()
    let quantifier = pick(["ANY", "ALL", "NONE"])
    let inner =
      below(2) == 0
      ? comparison(
        Part(format: "\(collection.path).name", sql: "\(collection.alias).name"), constantText())
      : comparison(
        Part(format: "\(collection.path).population", sql: "\(collection.alias).population"),
        constantNumber())
    let members = "SELECT 1 FROM \(collection.from) WHERE \(collection.on)"
    let sql =
      switch quantifier {
      case "ANY": "EXISTS (\(members) AND \(inner.sql))"
      case "ALL": "(NOT EXISTS (\(members) AND NOT \(inner.sql)))"
      default: "(NOT EXISTS (\(members) AND \(inner.sql)))"
      }
    return Part(format: "\(quantifier) \(inner.format)", sql: sql)
  }

  private mutating func subquery(depth: Int) -> Part {
    let collection = collection()
    let variable = "$x\(subjects.count)"
    subjects.append(Subject(prefix: variable + ".", alias: collection.alias, isCity: true))
    let inner = condition(depth: min(depth - 1, 1))
    subjects.removeLast()
    let count = Part(
      format: "SUBQUERY(\(collection.path), \(variable), \(inner.format)).@count",
      sql: "(SELECT count(*) FROM \(collection.from) WHERE \(collection.on) AND \(inner.sql))")
    return comparison(count, constantNumber())
  }

  // MARK: - Operands

  private mutating func number(depth: Int) -> Part {
    guard depth > 0 else { return below(3) == 0 ? constantNumber() : property() }
    switch below(6) {
    case 0:
      let sign = pick(["+", "-", "*", "/"])
      let (one, two) = (number(depth: 0), number(depth: 0))
      return Part(
        format: "(\(one.format) \(sign) \(two.format))", sql: "(\(one.sql) \(sign) \(two.sql))")
    case 1:
      let collection = collection()
      let name = pick(["population", "rank"])
      let function = pick(["sum", "min", "max", "avg"])
      let select = "(SELECT \(function)(\(collection.alias).\(name))"
      let all = "\(select) FROM \(collection.from) WHERE \(collection.on))"
      return Part(
        format: "\(collection.path).@\(function).\(name)",
        sql: function == "sum" ? "coalesce(\(all), 0)" : all)
    case 2:
      let collection = collection()
      return Part(
        format: "\(collection.path).@count",
        sql: "(SELECT count(*) FROM \(collection.from) WHERE \(collection.on))")
    default: return property()
    }
  }

  private mutating func property() -> Part {
    guard let city = city() else { return constantNumber() }
    let name = pick(["population", "rank"])
    return Part(format: city.prefix + name, sql: "\(city.alias).\(name)")
  }

  private mutating func constantNumber() -> Part {
    if below(4) == 0 {
      let number = pick([0.5, 1, 2.25, -3])
      return constant(number, .double(number))
    }
    let number = below(26) - 5
    return constant(number, .int(Int64(number)))
  }

  private mutating func constantText() -> Part {
    let text = pick(World.names)
    return constant(text, .text(text.precomposedStringWithCanonicalMapping))
  }

  private mutating func text() -> Part {
    let subject = pick(subjects)
    if !subject.isCity {
      let name = pick(["name", "motto"])
      return Part(format: subject.prefix + name, sql: "\(subject.alias).\(name)")
    }
    if below(4) == 0 {
      let name = pick(["name", "motto"])
      return Part(
        format: "\(subject.prefix)country.\(name)",
        sql: "(SELECT k.\(name) FROM country k WHERE k.key = \(subject.alias).country)")
    }
    let name = pick(["name", "nickname", "kind"])
    return Part(format: subject.prefix + name, sql: "\(subject.alias).\(name)")
  }
}
