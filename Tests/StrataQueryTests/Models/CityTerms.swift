// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataQuery
import StrataRecord

// The terms about a city that random predicates of every kind have: those of the differential test
// and those that indexes answer.

extension RandomTerm {
  static func name(is name: String) -> RandomTerm {
    RandomTerm("name == \(name)", { $0.name == name }, { c, _ in c.nameRead == name })
  }

  static func name(isNot name: String) -> RandomTerm {
    RandomTerm("name != \(name)", { $0.name != name }, { c, _ in c.nameRead != name })
  }

  static func name(beginsWith prefix: String) -> RandomTerm {
    RandomTerm(
      "name prefix \(prefix)", { $0.name.hasPrefix(prefix) },
      { c, _ in c.nameRead.hasPrefix(prefix) })
  }

  static func nickname(beginsWith prefix: String) -> RandomTerm {
    RandomTerm(
      "nickname prefix \(prefix)", { $0.nickname.hasPrefix(prefix) },
      { c, _ in c.nickname?.hasPrefix(prefix) ?? false })
  }

  static func hasNickname(_ hasOne: Bool) -> RandomTerm {
    hasOne
      ? RandomTerm("nickname != nil", { $0.nickname != nil }, { c, _ in c.nickname != nil })
      : RandomTerm("nickname == nil", { $0.nickname == nil }, { c, _ in c.nickname == nil })
  }

  static func population(isAbove number: Int) -> RandomTerm {
    RandomTerm(
      "population > \(number)", { $0.population > number }, { c, _ in c.populationRead > number })
  }

  static func rank(is rank: Int16) -> RandomTerm {
    RandomTerm("rank == \(rank)", { $0.rank == rank }, { c, _ in c.rank == rank })
  }

  static func isWalled(_ isWalled: Bool) -> RandomTerm {
    RandomTerm(
      "isWalled == \(isWalled)", { $0.isWalled == isWalled },
      { c, _ in c.isWalledRead == isWalled })
  }

  static func country(is key: ObjectKey, in world: World) -> RandomTerm {
    let id = world.id(key)
    return RandomTerm("country == \(key)", { $0.country == id }, { c, _ in c.country == key })
  }

  static func countryName(beginsWith prefix: String) -> RandomTerm {
    RandomTerm(
      "country.name prefix \(prefix)", { $0.country.name.hasPrefix(prefix) },
      { c, w in w.country(of: c).map { ($0.name ?? "").hasPrefix(prefix) } ?? false })
  }
}
