// SPDX-License-Identifier: Apache-2.0
import Foundation
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

  private init(
    _ text: String, _ predicate: (PropertyPath<City, City>) -> FetchPredicate,
    _ isTrue: @escaping (CityValue, World) -> Bool
  ) {
    self.init(text, predicate(PropertyPath())) { key, world in
      world.cities[key].map { isTrue($0, world) } ?? false
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
    let s = World.names.randomElement(using: &random) ?? ""
    let cut = String(s.prefix(Int.random(in: 0...3, using: &random)))
    let n = Int.random(in: -6...21, using: &random)
    let rank = Int16.random(in: -2...2, using: &random)
    let flag = Bool.random(using: &random)
    let country = ObjectKey(
      entity: world.country.number, serial: UInt64.random(in: 1...6, using: &random))
    let other = ObjectKey(
      entity: world.country.number, serial: UInt64.random(in: 1...6, using: &random))
    let (id, otherID) = (world.id(country), world.id(other))
    let index = Int.random(in: 0..<6, using: &random)
    switch Int.random(in: 0..<22, using: &random) {
    case 0:
      return AccessTerm(
        "country == \(country)", { $0.country == id },
        { c, _ in
          c.country == country
        })
    case 1:
      return AccessTerm(
        "country in two", { $0.country.isIn([id, otherID]) },
        { c, _ in
          c.country == country || c.country == other
        })
    case 2: return AccessTerm("name == \(s)", { $0.name == s }, { c, _ in c.nameRead == s })
    case 3:
      return AccessTerm(
        "name prefix \(cut)", { $0.name.hasPrefix(cut) },
        { c, _ in
          c.nameRead.hasPrefix(cut)
        })
    case 4:
      return AccessTerm(
        "population > \(n)", { $0.population > n }, { c, _ in c.populationRead > n })
    case 5:
      return AccessTerm(
        "population in \(n)...", { $0.population.isIn(n...(n + 3)) },
        { c, _ in
          (n...(n + 3)).contains(c.populationRead)
        })
    case 6:
      return AccessTerm(
        "isWalled == \(flag)", { $0.isWalled == flag },
        { c, _ in
          c.isWalledRead == flag
        })
    case 7: return AccessTerm("rank == \(rank)", { $0.rank == rank }, { c, _ in c.rank == rank })
    case 8:
      return AccessTerm(
        "rank < \(rank)", { $0.rank < rank },
        { c, _ in
          c.rank.map { $0 < rank } ?? false
        })
    case 9:
      return AccessTerm(
        "nickname prefix \(cut)", { $0.nickname.hasPrefix(cut) },
        { c, _ in
          c.nickname?.hasPrefix(cut) ?? false
        })
    case 10:
      return AccessTerm("nickname == nil", { $0.nickname == nil }, { c, _ in c.nickname == nil })
    case 11:
      return AccessTerm("nickname != nil", { $0.nickname != nil }, { c, _ in c.nickname != nil })
    case 12: return AccessTerm("name != \(s)", { $0.name != s }, { c, _ in c.nameRead != s })
    case 13:
      let name = "\(World.names[index * 2 + 1])\(index)"
      return AccessTerm(
        "country.name == \(name)", { $0.country.name == name },
        { c, w in
          w.country(of: c)?.name == name
        })
    case 14:
      return AccessTerm(
        "country.name prefix \(cut)", { $0.country.name.hasPrefix(cut) },
        { c, w in
          w.country(of: c).map { ($0.name ?? "").hasPrefix(cut) } ?? false
        })
    case 15:
      return AccessTerm(
        "country.cities any name == \(s)", { $0.country.cities.any { $0.name == s } },
        { c, w in w.neighbours(of: c).contains { $0.nameRead == s } })
    case 16:
      return AccessTerm(
        "country.cities with population in \(n)..., any name prefix \(cut)",
        {
          $0.country.cities.filter { $0.population.isIn(n...(n + 5)) }
            .any { $0.name.hasPrefix(cut) }
        },
        { c, w in
          w.neighbours(of: c).contains {
            (n...(n + 5)).contains($0.populationRead) && $0.nameRead.hasPrefix(cut)
          }
        })
    default: return keyed(in: world, &random)
    }
  }

  /// Terms that go by the object itself, which a plain value does not know.
  private static func keyed(in world: World, _ random: inout SeededGenerator) -> AccessTerm {
    let keys = world.cities.keys.sorted()
    let s = World.names.randomElement(using: &random) ?? ""
    let n = Int.random(in: -6...21, using: &random)
    let some = Set(keys.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
    let gone = ObjectKey(entity: world.city.number, serial: 100_000)
    let ids = (some.sorted() + [gone]).map(world.id)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      let key = some.first ?? gone
      let id = world.id(key)
      return AccessTerm("self == \(key)", keyed: { $0 == id }, { own, _ in own == key })
    case 1:
      return AccessTerm(
        "self in \(some)", keyed: { $0.isIn(ids) }, { own, _ in some.contains(own) })
    case 2:
      return AccessTerm(
        "twins any name == \(s)", keyed: { $0.twins.any { $0.name == s } },
        {
          key, w in
          (w.twins[key] ?? []).contains { w.cities[$0]?.nameRead == s }
        })
    case 3:
      return AccessTerm(
        "twins any population in \(n)...",
        keyed: { $0.twins.any { $0.population >= n && $0.population <= n + 2 } },
        { key, w in
          (w.twins[key] ?? []).contains {
            (n...(n + 2)).contains(w.cities[$0]?.populationRead ?? 99)
          }
        })
    default:
      let id = ids[0]
      let key = some.sorted().first ?? gone
      return AccessTerm(
        "country.sights contains \(key)", keyed: { $0.country.sights.contains(id) },
        {
          own, w in
          guard let country = w.cities[own]?.country, w.countries[country] != nil else {
            return false
          }
          return (w.sights[country] ?? []).contains(key)
        })
    }
  }
}
