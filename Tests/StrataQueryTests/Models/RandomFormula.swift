// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport

/// Makes random predicates of the whole language as format strings, and says each once more in
/// plain Swift.
///
/// A condition is about some objects at once: the one of the request and the elements of the
/// subqueries around it. Its plain form gets their keys, the outermost first.
struct RandomFormula {
  /// A condition, or an operand, as text and as its meaning.
  typealias Condition = (text: String, isTrue: ([ObjectKey]) -> Bool)
  typealias Operand = (text: String, value: ([ObjectKey]) -> Plain)

  /// An object in scope: the beginning of its paths, and whether it is a city or a country.
  private struct Subject {
    let prefix: String
    let isCity: Bool
    let index: Int
  }

  private let world: World
  private var subjects: [Subject]
  var random: SeededGenerator
  /// The values of the placeholders.
  private(set) var arguments: [Any?] = []

  init(in world: World, aboutCities: Bool, _ random: SeededGenerator) {
    self.world = world
    self.random = random
    subjects = [Subject(prefix: "", isCity: aboutCities, index: 0)]
  }

  // MARK: - Chance

  private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

  private mutating func quantifier() -> String { pick(["ANY", "ALL", "NONE", "some", "any"]) }

  private mutating func sign() -> String {
    pick(["=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>"])
  }

  private mutating func quoted(_ text: String) -> String {
    if below(3) == 0 {
      arguments.append(text)
      return "%@"
    }
    let mark = pick(["'", "\""])
    var quoted = mark
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"", "'": quoted += "\\" + String(scalar)
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\0": quoted += "\\0"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + mark
  }

  // MARK: - Conditions

  mutating func condition(depth: Int) -> Condition {
    guard depth > 0 else { return leaf() }
    switch below(9) {
    case 0, 1:
      let (one, two) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return (
        "(\(one.text)) \(pick(["AND", "&&", "and"])) (\(two.text))",
        { one.isTrue($0) && two.isTrue($0) }
      )
    case 2, 3:
      let (one, two) = (condition(depth: depth - 1), condition(depth: depth - 1))
      return (
        "(\(one.text)) \(pick(["OR", "||", "or"])) (\(two.text))",
        { one.isTrue($0) || two.isTrue($0) }
      )
    case 4:
      let one = condition(depth: depth - 1)
      return ("\(pick(["NOT", "!", "not"]))(\(one.text))", { !one.isTrue($0) })
    case 5: return subquery(depth: depth)
    default: return leaf()
    }
  }

  private mutating func leaf() -> Condition {
    switch below(16) {
    case 0..<4: return numbers()
    case 4..<8: return texts()
    case 8: return truth()
    case 9: return list()
    case 10: return between()
    case 11, 12: return quantified()
    case 13: return objects()
    case 14: return `nil`()
    default:
      return below(4) == 0
        ? pick([("TRUEPREDICATE", { _ in true }), ("falsepredicate", { _ in false })]) : numbers()
    }
  }

  private mutating func numbers() -> Condition {
    let (left, sign) = (number(depth: 1), sign())
    let right = number(depth: below(3) == 0 ? 1 : 0)
    return (
      "\(left.text) \(sign) \(right.text)", { Plain.holds(left.value($0), sign, right.value($0)) }
    )
  }

  private mutating func between() -> Condition {
    let operand = number(depth: 1)
    let (low, high) = (number(depth: 0), number(depth: 0))
    return (
      "\(operand.text) BETWEEN {\(low.text), \(high.text)}",
      {
        Plain.holds(operand.value($0), ">=", low.value($0))
          && Plain.holds(operand.value($0), "<=", high.value($0))
      }
    )
  }

  private mutating func list() -> Condition {
    let isText = below(2) == 0
    let operand = isText ? text() : number(depth: 1)
    let elements = (0..<below(4)).map { _ -> Operand in
      isText ? constantText() : number(depth: 0)
    }
    return (
      "\(operand.text) IN {\(elements.map(\.text).joined(separator: ", "))}",
      { keys in elements.contains { Plain.areEqual(operand.value(keys), $0.value(keys)) } }
    )
  }

  private mutating func texts() -> Condition {
    let operand = text()
    return texts(operand.text, operand.value)
  }

  private mutating func texts(
    _ left: String, _ value: @escaping ([ObjectKey]) -> Plain
  ) -> Condition {
    let options = pick(["", "", "c", "d", "cd"])
    let suffix = options.isEmpty ? "" : "[\(options)]"
    let whole = pick(World.names)
    let part = String(whole.dropFirst(below(3)).prefix(below(4)))
    let fold = { (text: String) in options.isEmpty ? text : Plain.folded(text, options) }
    func test(_ word: String, _ text: String, _ test: @escaping (String) -> Bool) -> Condition {
      ("\(left) \(word)\(suffix) \(text)", { value($0).text.map { test(fold($0)) } ?? false })
    }
    switch below(7) {
    case 0: return test("BEGINSWITH", quoted(part)) { $0.hasPrefix(fold(part)) }
    case 1: return test("endswith", quoted(part)) { $0.hasSuffix(fold(part)) }
    case 2: return test("CONTAINS", quoted(part)) { part.isEmpty || $0.contains(fold(part)) }
    case 3:
      let pattern = pick(["*a*", "?am", "Z*", "*", "", "B?m*", "é*", "?", "*\u{FC}r*", part + "*"])
      return test("LIKE", quoted(pattern)) { Plain.isLike($0[...], fold(pattern)[...]) }
    case 4:
      let right = text()
      return (
        "\(left) CONTAINS\(suffix) \(right.text)",
        { keys in
          guard let one = value(keys).text, let two = right.value(keys).text else { return false }
          return fold(two).isEmpty || fold(one).contains(fold(two))
        }
      )
    case 5: return expression(left, value, options)
    default:
      let sign = sign()
      return (
        "\(left) \(sign)\(suffix) \(quoted(whole))",
        { keys in
          let folded = value(keys).text.map { Plain.text(fold($0)) } ?? .none
          return Plain.holds(folded, sign, .text(fold(whole)))
        }
      )
    }
  }

  private mutating func expression(
    _ left: String, _ value: @escaping ([ObjectKey]) -> Plain, _ options: String
  ) -> Condition {
    let choices: [(String, (String) -> Bool)] = [
      ("Bam|Qom", { $0 == "Bam" || $0 == "Qom" }),
      ("B|Bam", { $0 == "B" || $0 == "Bam" }),
      ("[^0-9]*", { !$0.unicodeScalars.contains { ("0"..."9").contains($0) } }),
      (
        "z\\p{L}*",
        { $0.first == "z" && $0.unicodeScalars.allSatisfy { $0.properties.isAlphabetic } }
      ),
    ]
    let (pattern, test) = pick(choices)
    let ignoresMarks = options.contains("d")
    let suffix = ignoresMarks ? "[d]" : ""
    return (
      "\(left) MATCHES\(suffix) \(quoted(pattern))",
      { keys in
        guard let text = value(keys).text else { return false }
        let folded = ignoresMarks ? Plain.folded(text, "d") : text
        return test(folded.precomposedStringWithCanonicalMapping)
      }
    )
  }

  private mutating func truth() -> Condition {
    guard let city = subject(isCity: true) else { return numbers() }
    let world = world
    let (text, flag) = pick([
      ("YES", true), ("TRUE", true), ("1", true), ("NO", false), ("false", false), ("0", false),
    ])
    return (
      "\(city.prefix)isWalled == \(text)",
      { world.cities[$0[city.index]]?.isWalledRead == flag }
    )
  }

  private mutating func `nil`() -> Condition {
    let operand = below(2) == 0 ? text() : number(depth: 0)
    let sign = pick(["==", "!="])
    return (
      "\(operand.text) \(sign) \(pick(["nil", "NULL", "NIL"]))",
      { Plain.holds(operand.value($0), sign, .none) }
    )
  }

  // MARK: - Objects and collections

  private mutating func subject(isCity: Bool) -> Subject? {
    subjects.filter { $0.isCity == isCity }.randomElement(using: &random)
  }

  private mutating func objects() -> Condition {
    let (world, subject) = (world, pick(subjects))
    let keys = subject.isCity ? world.cities.keys.sorted() : world.countries.keys.sorted()
    let key = keys.randomElement(using: &random) ?? ObjectKey(entity: world.city.number, serial: 1)
    let own = subject.prefix.isEmpty ? "SELF" : String(subject.prefix.dropLast())
    switch below(subject.isCity ? 4 : 2) {
    case 0:
      arguments.append(world.id(key))
      return ("\(own) == %@", { $0[subject.index] == key })
    case 1:
      arguments.append([world.id(key)])
      return ("\(own) IN %@", { $0[subject.index] == key })
    case 2:
      arguments.append(world.id(key))
      return (
        "%@ IN \(subject.prefix)twins", { world.twins[$0[subject.index]]?.contains(key) ?? false }
      )
    default:
      arguments.append(world.id(key))
      return (
        "\(subject.prefix)twins CONTAINS %@",
        { world.twins[$0[subject.index]]?.contains(key) ?? false }
      )
    }
  }

  /// A collection of cities, as its path and its members in order.
  private mutating func collection() -> (text: String, members: ([ObjectKey]) -> [ObjectKey]) {
    let (world, subject) = (world, pick(subjects))
    func country(_ keys: [ObjectKey]) -> ObjectKey? {
      let key = subject.isCity ? world.cities[keys[subject.index]]?.country : keys[subject.index]
      return key.flatMap { world.countries[$0] == nil ? nil : $0 }
    }
    let way = subject.prefix + (subject.isCity ? "country." : "")
    switch below(subject.isCity ? 4 : 2) {
    case 0: return (way + "sights", { keys in country(keys).flatMap { world.sights[$0] } ?? [] })
    case 1:
      return (
        way + "cities",
        { keys in
          guard let country = country(keys) else { return [] }
          return world.cities.filter { $0.value.country == country }.keys.sorted()
        }
      )
    default:
      return (subject.prefix + "twins", { (world.twins[$0[subject.index]] ?? []).sorted() })
    }
  }

  private mutating func quantified() -> Condition {
    let (world, quantifier, collection) = (world, quantifier(), collection())
    let member: Condition
    // The elements' keys come last.
    if below(2) == 0 {
      member = texts("\(collection.text).name") { keys in
        .text(keys.last.flatMap { world.cities[$0]?.nameRead } ?? "")
      }
    } else {
      let (sign, right) = (sign(), number(depth: 0))
      member = (
        "\(collection.text).population \(sign) \(right.text)",
        { keys in
          let population = keys.last.flatMap { world.cities[$0]?.populationRead }
          return Plain.holds(Plain(population), sign, right.value(keys))
        }
      )
    }
    return (
      "\(quantifier) \(member.text)",
      { keys in
        let members = collection.members(keys).map { member.isTrue(keys + [$0]) }
        switch quantifier {
        case "ALL": return members.allSatisfy(\.self)
        case "NONE": return !members.contains(true)
        default: return members.contains(true)
        }
      }
    )
  }

  private mutating func subquery(depth: Int) -> Condition {
    let collection = collection()
    let index = subjects.count
    subjects.append(Subject(prefix: "$x\(index).", isCity: true, index: index))
    let inner = condition(depth: min(depth - 1, 1))
    subjects.removeLast()
    let (sign, count) = (sign(), below(4))
    return (
      "SUBQUERY(\(collection.text), $x\(index), \(inner.text)).@count \(sign) \(count)",
      { keys in
        let members = collection.members(keys).filter {
          inner.isTrue(Array(keys.prefix(index)) + [$0])
        }
        return Plain.holds(.int(members.count), sign, .int(count))
      }
    )
  }

  // MARK: - Operands

  private mutating func number(depth: Int) -> Operand {
    guard depth > 0 else { return below(2) == 0 ? constantNumber() : property() }
    switch below(5) {
    case 0:
      let sign = pick(["+", "-", "*", "/", "**"])
      let (one, two) = (number(depth: 0), number(depth: 0))
      return (
        "(\(one.text) \(sign) \(two.text))", { Plain.calculate(one.value($0), sign, two.value($0)) }
      )
    case 1:
      let (world, collection) = (world, collection())
      let function = pick(["sum", "min", "max", "avg"])
      let name = pick(["population", "rank", "elevation"])
      return (
        "\(collection.text).@\(function).\(name)",
        { keys in
          let values = collection.members(keys).map { Self.number(name, of: world.cities[$0]) }
          return Plain.aggregate(function, values)
        }
      )
    case 2:
      let collection = collection()
      return ("\(collection.text).@count", { .int(collection.members($0).count) })
    default: return property()
    }
  }

  private mutating func constantNumber() -> Operand {
    switch below(3) {
    case 0:
      let number = pick(World.elevations)
      arguments.append(number)
      return (pick(["%@", "%f"]), { _ in .double(number) })
    case 1:
      let number = pick([0.5, 1.0, 2.25, -3.0])
      return ("\(number)", { _ in .double(number) })
    default:
      let number = below(26) - 5
      return ("\(number)", { _ in .int(number) })
    }
  }

  private mutating func property() -> Operand {
    guard let city = subject(isCity: true) else { return constantNumber() }
    let (world, name) = (world, pick(["population", "rank", "elevation"]))
    return ("\(city.prefix)\(name)", { Self.number(name, of: world.cities[$0[city.index]]) })
  }

  private static func number(_ name: String, of city: CityValue?) -> Plain {
    switch name {
    case "population": Plain(city?.populationRead)
    case "rank": Plain(city?.rank.map(Int.init))
    default: Plain(city?.elevation)
    }
  }

  private mutating func constantText() -> Operand {
    let text = pick(World.names)
    return (quoted(text), { _ in .text(text) })
  }

  private mutating func text() -> Operand {
    let (world, subject) = (world, pick(subjects))
    if !subject.isCity {
      let name = pick(["name", "motto"])
      return (
        "\(subject.prefix)\(name)",
        { Self.text(name, of: world.countries[$0[subject.index]]) }
      )
    }
    switch below(5) {
    case 0, 1:
      return ("\(subject.prefix)name", { Plain(world.cities[$0[subject.index]]?.nameRead) })
    case 2:
      return ("\(subject.prefix)nickname", { Plain(world.cities[$0[subject.index]]?.nickname) })
    case 3:
      return (
        "\(subject.prefix)kind", { Plain(world.cities[$0[subject.index]]?.kind?.rawValue) }
      )
    default:
      let name = pick(["name", "motto"])
      return (
        "\(subject.prefix)country.\(name)",
        { keys in
          Self.text(name, of: world.cities[keys[subject.index]].flatMap(world.country(of:)))
        }
      )
    }
  }

  private static func text(_ name: String, of country: CountryValue?) -> Plain {
    guard let country else { return .none }
    return name == "name" ? .text(country.name ?? "") : Plain(country.motto)
  }
}
