// SPDX-License-Identifier: Apache-2.0
import StrataQuery
import StrataTestSupport

// Terms about to-many relationships, calculations, pairs of properties and texts with options.

extension RandomTerm {
  static func collection(_ random: inout SeededGenerator) -> RandomTerm {
    let n = Int.random(in: 0...20, using: &random)
    let m = Int.random(in: 0...3, using: &random)
    let s = String((World.names.randomElement(using: &random) ?? "").prefix(3))
    let options: TextOptions =
      [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ].randomElement(using: &random) ?? []
    let letters = "\(options)"
    let folded = Plain.folded(s, letters)
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      return RandomTerm(
        "any of country.cities has population > \(n)",
        { $0.country.cities.any { $0.population > n } },
        { c, w in w.neighbours(of: c).contains { $0.populationRead > n } })
    case 1:
      return RandomTerm(
        "all of country.cities have population <= \(n)",
        { $0.country.cities.all { $0.population <= n } },
        { c, w in w.neighbours(of: c).allSatisfy { $0.populationRead <= n } })
    case 2:
      return RandomTerm(
        "none of country.cities has name == \(s)",
        { $0.country.cities.none { $0.name == s } },
        { c, w in !w.neighbours(of: c).contains { $0.nameRead == s } })
    case 3:
      return RandomTerm(
        "country.cities.count > \(m)", { $0.country.cities.count > m },
        { c, w in w.neighbours(of: c).count > m })
    case 4:
      return RandomTerm(
        "country.cities with rank >= 0, count == \(m)",
        { $0.country.cities.filter { $0.rank >= 0 }.count == m },
        { c, w in w.neighbours(of: c).count { ($0.rank ?? -1) >= 0 } == m })
    case 5:
      return RandomTerm(
        "sum of country.cities' populations < \(n * 3)",
        { $0.country.cities.sum { $0.population } < n * 3 },
        { c, w in w.neighbours(of: c).reduce(0) { $0 + $1.populationRead } < n * 3 })
    case 6:
      return RandomTerm(
        "least rank of country.cities == -2",
        { $0.country.cities.min { $0.rank } == -2 },
        { c, w in w.neighbours(of: c).compactMap(\.rank).min() == -2 })
    case 7:
      return RandomTerm(
        "country.cities has one more populous",
        { city in city.country.cities.any { $0.population > city.population } },
        { c, w in w.neighbours(of: c).contains { $0.populationRead > c.populationRead } })
    case 8:
      return RandomTerm(
        "population * 2 - \(m) > \(n)", { $0.population * 2 - m > n },
        { c, _ in c.populationRead * 2 - m > n })
    case 9:
      return RandomTerm(
        "name[\(letters)] == \(s)", { $0.name.isEqual(to: s, options: options) },
        { c, _ in Plain.folded(c.nameRead, letters) == folded })
    case 10:
      return RandomTerm(
        "nickname[\(letters)] prefix \(s)", { $0.nickname.hasPrefix(s, options: options) },
        { c, _ in c.nickname.map { Plain.folded($0, letters).hasPrefix(folded) } ?? false })
    default:
      return RandomTerm(
        "name like \(s)*", { $0.name.isLike(s + "*") }, { c, _ in c.nameRead.hasPrefix(s) })
    }
  }
}

extension World {
  /// The cities of a city's country, itself among them.
  func neighbours(of city: CityValue) -> [CityValue] {
    guard let country = city.country, countries[country] != nil else { return [] }
    return cities.values.filter { $0.country == country }
  }
}
