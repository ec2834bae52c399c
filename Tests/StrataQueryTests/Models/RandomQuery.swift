// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport

// Foundation has a `FetchPredicate` too; this names the one that is meant.

/// A predicate, and its meaning in plain Swift.
struct RandomTerm {
  let predicate: FetchPredicate
  let text: String
  let isTrue: (CityValue, World) -> Bool

  init(
    _ text: String, _ predicate: (PropertyPath<City, City>) -> FetchPredicate,
    _ isTrue: @escaping (CityValue, World) -> Bool
  ) {
    self.text = text
    self.predicate = predicate(PropertyPath())
    self.isTrue = isTrue
  }

  private init(
    _ text: String, _ predicate: FetchPredicate, _ isTrue: @escaping (CityValue, World) -> Bool
  ) {
    self.text = text
    self.predicate = predicate
    self.isTrue = isTrue
  }

  static func random(depth: Int, in world: World, _ random: inout SeededGenerator) -> RandomTerm {
    guard depth > 0 else { return leaf(in: world, &random) }
    let one = self.random(depth: depth - 1, in: world, &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<4:
      let two = self.random(depth: depth - 1, in: world, &random)
      return RandomTerm("(\(one.text) && \(two.text))", one.predicate && two.predicate) {
        one.isTrue($0, $1) && two.isTrue($0, $1)
      }
    case 4..<6:
      let two = self.random(depth: depth - 1, in: world, &random)
      return RandomTerm("(\(one.text) || \(two.text))", one.predicate || two.predicate) {
        one.isTrue($0, $1) || two.isTrue($0, $1)
      }
    case 6:
      return RandomTerm("!\(one.text)", !one.predicate) { !one.isTrue($0, $1) }
    default: return one
    }
  }

  private static func leaf(in world: World, _ random: inout SeededGenerator) -> RandomTerm {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: text(&random)
    case 1: number(&random)
    case 2: other(&random)
    case 3: link(in: world, &random)
    default: collection(&random)
    }
  }

  private static func text(_ random: inout SeededGenerator) -> RandomTerm {
    let s = World.names.randomElement(using: &random) ?? ""
    let t = World.names.randomElement(using: &random) ?? ""
    let cut = String(s.prefix(Int.random(in: 0...3, using: &random)))
    switch Int.random(in: 0..<16, using: &random) {
    case 0: return name(is: s)
    case 1: return name(isNot: s)
    case 2:
      return RandomTerm(
        "name < \(s)", { $0.name < s }, { c, _ in TextOrder(c.nameRead) < TextOrder(s) })
    case 3:
      return RandomTerm(
        "name >= \(s)", { $0.name >= s }, { c, _ in TextOrder(c.nameRead) >= TextOrder(s) })
    case 4:
      return RandomTerm("nickname == \(s)", { $0.nickname == s }, { c, _ in c.nickname == s })
    case 5:
      return RandomTerm("nickname != \(s)", { $0.nickname != s }, { c, _ in c.nickname != s })
    case 6: return hasNickname(false)
    case 7:
      return RandomTerm(
        "nickname <= \(s)", { $0.nickname <= s },
        { c, _ in c.nickname.map { TextOrder($0) <= TextOrder(s) } ?? false })
    case 8:
      return RandomTerm(
        "nickname > \(s)", { $0.nickname > s },
        { c, _ in c.nickname.map { TextOrder($0) > TextOrder(s) } ?? false })
    case 9: return nickname(beginsWith: cut)
    case 10: return name(beginsWith: cut)
    case 11:
      return RandomTerm(
        "name suffix \(t.suffix(1))", { $0.name.hasSuffix(String(t.suffix(1))) },
        { c, _ in c.nameRead.hasSuffix(String(t.suffix(1))) })
    case 12:
      return RandomTerm(
        "name contains \(cut)", { $0.name.contains(cut) },
        { c, _ in cut.isEmpty || c.nameRead.contains(cut) })
    case 13:
      return RandomTerm(
        "name in \([s, t])", { [s, t].contains($0.name) }, { c, _ in [s, t].contains(c.nameRead) })
    case 14:
      return RandomTerm(
        "nickname in \([s, nil])", { $0.nickname.isIn([s, nil]) },
        { c, _ in [s, nil].contains(c.nickname) })
    default:
      return RandomTerm(
        "name in \(min(s, t))..<\(max(s, t))", { $0.name.isIn(min(s, t)..<max(s, t)) },
        { c, _ in
          TextOrder(c.nameRead) >= TextOrder(min(s, t))
            && TextOrder(c.nameRead) < TextOrder(max(s, t))
        })
    }
  }

  private static func number(_ random: inout SeededGenerator) -> RandomTerm {
    let n = Int.random(in: -6...21, using: &random)
    let m = Int.random(in: n...22, using: &random)
    let x = World.elevations.randomElement(using: &random) ?? 0
    let r = Int16.random(in: -2...2, using: &random)
    switch Int.random(in: 0..<15, using: &random) {
    case 12...: return wealth(&random)
    case 0:
      return RandomTerm(
        "population == \(n)", { $0.population == n }, { c, _ in c.populationRead == n })
    case 1: return population(isAbove: n)
    case 2:
      return RandomTerm(
        "population <= \(n)", { $0.population <= n }, { c, _ in c.populationRead <= n })
    case 3:
      return RandomTerm(
        "population in \(n)...\(m)", { (n...m).contains($0.population) },
        { c, _ in (n...m).contains(c.populationRead) })
    case 4:
      return RandomTerm(
        "population in \([n, m, 0])", { [n, m, 0].contains($0.population) },
        { c, _ in [n, m, 0].contains(c.populationRead) })
    case 5:
      return RandomTerm("elevation == \(x)", { $0.elevation == x }, { c, _ in c.elevation == x })
    case 6:
      return RandomTerm(
        "elevation > \(x)", { $0.elevation > x }, { c, _ in c.elevation.map { $0 > x } ?? false })
    case 7:
      return RandomTerm(
        "elevation <= \(x)", { $0.elevation <= x },
        { c, _ in c.elevation.map { $0 <= x } ?? false })
    case 8:
      return RandomTerm(
        "elevation < \(x)", { $0.elevation < x }, { c, _ in c.elevation.map { $0 < x } ?? false })
    case 9:
      return RandomTerm(
        "elevation != nil", { $0.elevation != nil }, { c, _ in c.elevation != nil })
    case 10: return rank(is: r)
    default:
      return RandomTerm(
        "rank >= \(r)", { $0.rank >= r }, { c, _ in c.rank.map { $0 >= r } ?? false })
    }
  }

  /// Compares decimals, among them NaN, which has a place in Swift's order.
  private static func wealth(_ random: inout SeededGenerator) -> RandomTerm {
    let x = World.wealths.randomElement(using: &random) ?? 0
    func term(
      _ sign: String, _ predicate: (PropertyPath<City, City>) -> FetchPredicate,
      _ isTrue: @escaping (Decimal) -> Bool
    ) -> RandomTerm {
      RandomTerm("wealth \(sign) \(x)", predicate, { c, _ in c.wealth.map(isTrue) ?? false })
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return term("==", { $0.wealth == x }, { $0 == x })
    case 1: return term("<", { $0.wealth < x }, { $0 < x })
    case 2: return term("<=", { $0.wealth <= x }, { $0 <= x })
    case 3: return term(">", { $0.wealth > x }, { $0 > x })
    case 4: return term(">=", { $0.wealth >= x }, { $0 >= x })
    default: return term("in", { $0.wealth.isIn([x, 0]) }, { [x, 0].contains($0) })
    }
  }

  private static func other(_ random: inout SeededGenerator) -> RandomTerm {
    let flag = Bool.random(using: &random)
    let kind = Kind.allCases.randomElement(using: &random) ?? .town
    let date = Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &random)))
    let code = UUID(
      uuidString: "00000000-0000-0000-0000-00000000000\(Int.random(in: 0...9, using: &random))")
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return isWalled(flag)
    case 1: return RandomTerm("kind == \(kind)", { $0.kind == kind }, { c, _ in c.kind == kind })
    case 2: return RandomTerm("kind != \(kind)", { $0.kind != kind }, { c, _ in c.kind != kind })
    case 3: return RandomTerm("kind == nil", { $0.kind == nil }, { c, _ in c.kind == nil })
    case 4:
      return RandomTerm(
        "founded < \(date)", { $0.founded < date },
        { c, _ in c.founded.map { $0 < date } ?? false })
    case 5:
      return RandomTerm(
        "code == \(String(describing: code))", { $0.code == code }, { c, _ in c.code == code })
    default:
      return RandomTerm(
        "founded in \(date)...", { $0.founded.isIn(date...date.addingTimeInterval(2)) },
        { c, _ in c.founded.map { (date...date.addingTimeInterval(2)).contains($0) } ?? false })
    }
  }

  private static func link(in world: World, _ random: inout SeededGenerator) -> RandomTerm {
    // A key among those that were countries once: 1 to 6.
    let key = ObjectKey(
      entity: world.country.number, serial: UInt64.random(in: 1...6, using: &random))
    let id = world.id(key)
    let s = String((World.names.randomElement(using: &random) ?? "").prefix(1))
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return country(is: key, in: world)
    case 1:
      return RandomTerm("country != \(key)", { $0.country != id }, { c, _ in c.country != key })
    case 2: return RandomTerm("country == nil", { $0.country == nil }, { c, _ in c.country == nil })
    case 3:
      return RandomTerm(
        "country in", { $0.country.isIn([id, id]) }, { c, _ in c.country == key })
    case 4: return countryName(beginsWith: s)
    case 5:
      return RandomTerm(
        "country.name > \(s)", { $0.country.name > s },
        { c, w in w.country(of: c).map { TextOrder($0.name ?? "") > TextOrder(s) } ?? false })
    case 6:
      return RandomTerm(
        "country.name == nil", { $0.country.name == nil }, { c, w in w.country(of: c) == nil })
    case 7:
      return RandomTerm(
        "country.motto == nil", { $0.country.motto == nil },
        { c, w in w.country(of: c)?.motto == nil })
    default:
      return RandomTerm(
        "country.motto != m", { $0.country.motto != "m" },
        { c, w in w.country(of: c)?.motto != "m" })
    }
  }
}

/// A sort key, and its meaning in plain Swift.
struct RandomSortKey {
  let text: String
  let apply: (FetchRequest<City>) -> FetchRequest<City>
  /// Negative if the first comes first.
  let order: (Entry, Entry, World) -> Int

  /// A city as the model has it.
  typealias Entry = (key: ObjectKey, value: CityValue)

  static func random(_ random: inout SeededGenerator) -> RandomSortKey {
    let direction: SortOrder = Bool.random(using: &random) ? .forward : .reverse
    let sign = direction == .forward ? 1 : -1
    func key<T: Comparable>(
      _ text: String, _ apply: @escaping (FetchRequest<City>) -> FetchRequest<City>,
      _ value: @escaping (CityValue) -> T?
    ) -> RandomSortKey {
      related(text, apply) { city, _ in value(city.value) }
    }
    func related<T: Comparable>(
      _ text: String, _ apply: @escaping (FetchRequest<City>) -> FetchRequest<City>,
      _ value: @escaping (Entry, World) -> T?
    ) -> RandomSortKey {
      RandomSortKey(text: "\(text) \(direction)", apply: apply) { left, right, world in
        sign * compare(value(left, world), value(right, world))
      }
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0:
      return key("name", { $0.sorted(by: \.name, order: direction) }, { TextOrder($0.nameRead) })
    case 1:
      return key(
        "nickname", { $0.sorted(by: \.nickname, order: direction) },
        { $0.nickname.map(TextOrder.init) })
    case 2, 3:
      return key("population", { $0.sorted(by: \.population, order: direction) }, \.populationRead)
    case 4:
      return key(
        "elevation", { $0.sorted(by: \.elevation, order: direction) },
        { $0.elevation.map(NumberOrder.init) })
    case 5: return key("rank", { $0.sorted(by: \.rank, order: direction) }, \.rank)
    case 6:
      return key(
        "isWalled", { $0.sorted(by: \.isWalled, order: direction) }, { $0.isWalledRead ? 1 : 0 })
    case 7:
      return related(
        "country.motto", { $0.sorted(by: { $0.country.motto }, order: direction) },
        { $1.country(of: $0.value)?.motto.map(TextOrder.init) })
    case 8:
      return related(
        "country.name", { $0.sorted(by: { $0.country.name }, order: direction) },
        { $1.country(of: $0.value).map { TextOrder($0.name ?? "") } })
    case 9:
      return related(
        "twins.count", { $0.sorted(by: { $0.twins.count }, order: direction) },
        { $1.twins[$0.key]?.count ?? 0 })
    case 10:
      return key(
        "population * -3", { $0.sorted(by: { $0.population * -3 }, order: direction) },
        { -$0.populationRead })
    case 11:
      return key(
        "elevation * 2", { $0.sorted(by: { $0.elevation * 2 }, order: direction) },
        { $0.elevation.map { NumberOrder(number: $0 * 2) } })
    default: return key("founded", { $0.sorted(by: \.founded, order: direction) }, \.founded)
    }
  }

  /// The order of a city and another by `keys`, and then by their own keys.
  static func areInOrder(
    _ left: Entry, _ right: Entry, by keys: [RandomSortKey], in world: World
  ) -> Bool {
    for key in keys {
      let order = key.order(left, right, world)
      if order != 0 { return order < 0 }
    }
    return left.key < right.key
  }

  private static func compare<T: Comparable>(_ left: T?, _ right: T?) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let left?, let right?): left == right ? 0 : left < right ? -1 : 1
    }
  }
}

/// A number in the order of sort keys: NaN comes last.
struct NumberOrder: Comparable {
  let number: Double

  static func == (left: NumberOrder, right: NumberOrder) -> Bool {
    left.number == right.number || (left.number.isNaN && right.number.isNaN)
  }

  static func < (left: NumberOrder, right: NumberOrder) -> Bool {
    right.number.isNaN ? !left.number.isNaN : left.number < right.number
  }
}

/// A text in the order of the bytes of its normal form, which `String.<` is meant to have.
struct TextOrder: Comparable {
  let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.precomposedStringWithCanonicalMapping.utf8) }

  static func < (left: TextOrder, right: TextOrder) -> Bool {
    left.bytes.precedes(right.bytes)
  }
}
