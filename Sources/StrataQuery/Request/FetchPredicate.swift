// SPDX-License-Identifier: Apache-2.0

/// A condition on objects: which ones a fetch is about. Core Data: `NSPredicate`.
///
/// It is written with Swift's own operators over property paths:
///
/// ```swift
/// City.where { $0.population > 1_000_000 && $0.country.name.hasPrefix("I") }
/// ```
///
/// | form | true if |
/// | --- | --- |
/// | `$0.name == "Bam"`, `!=` | equal, not equal; `nil` is equal to `nil` alone |
/// | `$0.age < 5`, `<=`, `>`, `>=` | in that order; false if there is no value |
/// | `(1...10).contains($0.age)`, `$0.age.isIn(1...10)` | within; false if there is no value |
/// | `["Bam", "Qom"].contains($0.name)`, `$0.name.isIn(…)` | equal to one of them |
/// | `$0.name.hasPrefix("A")`, `hasSuffix`, `contains` | as of `String`; false if no value |
/// | `$0.address.city == "Bam"` | so is that member of a `Codable` attribute, which is decoded |
/// | `$0.name.isLike("A*")`, `matches("A+")` | as the pattern; with `options:` as of folded texts |
/// | `$0.cities.any { $0.population > 5 }`, `all`, `none` | some, each or no member is so |
/// | `$0.cities.count > 3`, `.filter { … }.count` | so many members there are |
/// | `$0.cities.sum { $0.population } > 5`, `min`, `max`, `average` | so is what they have together |
/// | `$0.population * 2 > $0.capacity` | so is what is calculated, or another property |
/// | `$0.country == id`, `$0.country == nil` | linked to that object, to none |
/// | `&&`, `\|\|`, `!` | as of `Bool` |
///
/// Every condition is either true or false, as in Swift: `a != b` is always `!(a == b)`, so a city
/// without a name has a name other than "Bam". Strings compare as in Swift, by canonical
/// equivalence: both spellings of "é" are equal. A path through a relationship that leads nowhere
/// has no value.
public struct FetchPredicate: Sendable {
  package let node: any PredicateNode

  package init(_ node: any PredicateNode) { self.node = node }
}
