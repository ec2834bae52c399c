// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport

/// A predicate that indexes answer, alone, together, one after the other or from the other end of
/// relationships, and its meaning in plain Swift.
struct AccessTerm {
  let predicate: FetchPredicate
  let text: String
  let isTrue: (ObjectKey, World) -> Bool

  private init(
    _ text: String, _ predicate: FetchPredicate, _ isTrue: @escaping (ObjectKey, World) -> Bool
  ) {
    self.text = text
    self.predicate = predicate
    self.isTrue = isTrue
  }

  private init(
    _ text: String, keyed predicate: (PropertyPath<City, City>) -> FetchPredicate,
    _ isTrue: @escaping (ObjectKey, World) -> Bool
  ) {
    self.init(text, predicate(PropertyPath()), isTrue)
  }

  private init(_ term: RandomTerm) {
    self.init(term.text, term.predicate) { key, world in
      world.cities[key].map { term.isTrue($0, world) } ?? false
    }
  }

  /// Some of these terms joined at random.
  static func random(in world: World, _ random: inout SeededGenerator) -> AccessTerm {
    let one = accessibleLeaf(in: world, &random)
    guard Bool.random(using: &random) else { return one }
    let two = accessibleLeaf(in: world, &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let three = accessibleLeaf(in: world, &random)
      return .and(.or(one, two), three)
    case 1: return .or(one, two)
    case 2:
      let three = accessibleLeaf(in: world, &random)
      return .and(.and(one, two), three)
    default: return .and(one, two)
    }
  }

  private static func and(_ one: AccessTerm, _ two: AccessTerm) -> AccessTerm {
    AccessTerm("(\(one.text) && \(two.text))", one.predicate && two.predicate) {
      one.isTrue($0, $1) && two.isTrue($0, $1)
    }
  }

  private static func or(_ one: AccessTerm, _ two: AccessTerm) -> AccessTerm {
    AccessTerm("(\(one.text) || \(two.text))", one.predicate || two.predicate) {
      one.isTrue($0, $1) || two.isTrue($0, $1)
    }
  }

  private static func accessibleLeaf(
    in world: World, _ random: inout SeededGenerator
  ) -> AccessTerm {
    let number = Int.random(in: 0..<(ofValues.count + ofKeys.count), using: &random)
    guard number >= ofValues.count else { return AccessTerm(ofValues[number](world, &random)) }
    return ofKeys[number - ofValues.count](world, &random)
  }

  private typealias Maker<Term> = @Sendable (World, inout SeededGenerator) -> Term

  /// Terms that the city's own values and its links answer. All are as likely.
  private static let ofValues: [Maker<RandomTerm>] = [
    { .country(is: $1.country(of: $0), in: $0) },
    { world, random in
      let keys = [random.country(of: world), random.country(of: world)]
      let ids = keys.map(world.id)
      return RandomTerm(
        "country in two", { $0.country.isIn(ids) },
        { c, _ in c.country.map(keys.contains) ?? false })
    },
    { .name(is: $1.name()) },
    { .name(isNot: $1.name()) },
    { .name(beginsWith: $1.beginning()) },
    { .nickname(beginsWith: $1.beginning()) },
    { _, _ in .hasNickname(true) },
    { _, _ in .hasNickname(false) },
    { .population(isAbove: $1.population()) },
    { _, random in
      let n = random.population()
      return RandomTerm(
        "population in \(n)...", { $0.population.isIn(n...(n + 3)) },
        { c, _ in (n...(n + 3)).contains(c.populationRead) })
    },
    { .isWalled(Bool.random(using: &$1)) },
    { .rank(is: $1.rank()) },
    { _, random in
      let rank = random.rank()
      return RandomTerm(
        "rank < \(rank)", { $0.rank < rank }, { c, _ in c.rank.map { $0 < rank } ?? false })
    },
    { _, random in
      let index = Int.random(in: 0..<6, using: &random)
      let name = "\(World.names[index * 2 + 1])\(index)"
      return RandomTerm(
        "country.name == \(name)", { $0.country.name == name },
        { c, w in w.country(of: c)?.name == name })
    },
    { .countryName(beginsWith: $1.beginning()) },
    { _, random in
      let name = random.name()
      return RandomTerm(
        "country.cities any name == \(name)", { $0.country.cities.any { $0.name == name } },
        { c, w in w.neighbours(of: c).contains { $0.nameRead == name } })
    },
    { _, random in
      let (n, prefix) = (random.population(), random.beginning())
      return RandomTerm(
        "country.cities with population in \(n)..., any name prefix \(prefix)",
        {
          $0.country.cities.filter { $0.population.isIn(n...(n + 5)) }
            .any { $0.name.hasPrefix(prefix) }
        },
        { c, w in
          w.neighbours(of: c).contains {
            (n...(n + 5)).contains($0.populationRead) && $0.nameRead.hasPrefix(prefix)
          }
        })
    },
  ]

  /// Terms that go by the object itself, which a plain value does not know.
  private static let ofKeys: [Maker<AccessTerm>] = [
    { world, random in
      let key = random.cities(of: world).first ?? world.goneCity
      let id = world.id(key)
      return AccessTerm("self == \(key)", keyed: { $0 == id }, { own, _ in own == key })
    },
    { world, random in
      let some = random.cities(of: world)
      let ids = (some + [world.goneCity]).map(world.id)
      return AccessTerm(
        "self in \(some)", keyed: { $0.isIn(ids) }, { own, _ in some.contains(own) })
    },
    { _, random in
      let name = random.name()
      return AccessTerm(
        "twins any name == \(name)", keyed: { $0.twins.any { $0.name == name } },
        { key, w in (w.twins[key] ?? []).contains { w.cities[$0]?.nameRead == name } })
    },
    { _, random in
      let n = random.population()
      return AccessTerm(
        "twins any population in \(n)...",
        keyed: { $0.twins.any { $0.population >= n && $0.population <= n + 2 } },
        { key, w in
          (w.twins[key] ?? []).contains {
            (n...(n + 2)).contains(w.cities[$0]?.populationRead ?? 99)
          }
        })
    },
    { world, random in
      let key = random.cities(of: world).first ?? world.goneCity
      let id = world.id(key)
      return AccessTerm(
        "country.sights contains \(key)", keyed: { $0.country.sights.contains(id) },
        { own, w in
          guard let country = w.cities[own]?.country, w.countries[country] != nil else {
            return false
          }
          return (w.sights[country] ?? []).contains(key)
        })
    },
  ]
}

extension World {
  /// The key of a city that never was.
  fileprivate var goneCity: ObjectKey { ObjectKey(entity: city.number, serial: 100_000) }
}

// MARK: - What terms compare with

extension SeededGenerator {
  fileprivate mutating func name() -> String { World.names.randomElement(using: &self) ?? "" }

  fileprivate mutating func beginning() -> String {
    String(name().prefix(Int.random(in: 0...3, using: &self)))
  }

  fileprivate mutating func population() -> Int { Int.random(in: -6...21, using: &self) }

  fileprivate mutating func rank() -> Int16 { Int16.random(in: -2...2, using: &self) }

  /// A key among those that were countries once.
  fileprivate mutating func country(of world: World) -> ObjectKey {
    ObjectKey(entity: world.country.number, serial: UInt64.random(in: 1...6, using: &self))
  }

  /// None to five cities, in the order of their keys.
  fileprivate mutating func cities(of world: World) -> [ObjectKey] {
    let keys = world.cities.keys.sorted().shuffled(using: &self)
    return keys.prefix(Int.random(in: 0...5, using: &self)).sorted()
  }
}
