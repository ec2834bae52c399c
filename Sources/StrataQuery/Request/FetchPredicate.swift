// SPDX-License-Identifier: Apache-2.0

/// A condition that selects the objects of a fetch. Core Data: `NSPredicate`.
///
/// A predicate is written with Swift's operators over property paths:
///
/// ```swift
/// City.where { $0.population > 1_000_000 && $0.country.name.hasPrefix("I") }
/// ```
///
/// | form | true if |
/// | --- | --- |
/// | `$0.name == "Bam"`, `!=` | equal, not equal; `nil` is equal only to `nil` |
/// | `$0.age < 5`, `<=`, `>`, `>=` | in that order; false for nil |
/// | `(1...10).contains($0.age)`, `$0.age.isIn(1...10)` | within the range; false for nil |
/// | `["Bam", "Qom"].contains($0.name)`, `$0.name.isIn(…)` | equal to an element of the list |
/// | `$0.name.hasPrefix("A")`, `hasSuffix`, `contains` | as methods of `String`; false for nil |
/// | `$0.text.contains(words: "object sto*")` | has all words; see `WordQuery` |
/// | `$0.address.city == "Bam"` | the member of a `Codable` attribute, which is decoded, is equal |
/// | `$0.name.isLike("A*")`, `matches("A+")` | the whole text matches; `options:` fold it first |
/// | `$0.cities.any { $0.population > 5 }`, `all`, `none` | some, every or no member satisfies it |
/// | `$0.cities.count > 3`, `.filter { … }.count` | the number of members compares so |
/// | `$0.cities.sum { $0.population } > 5`, `min`, `max`, `average` | the aggregate compares so |
/// | `$0.population * 2 > $0.capacity` | a calculated value or another property compares so |
/// | `$0.country == id`, `$0.country == nil` | the target has that ID; there is no target |
/// | `&&`, `\|\|`, `!` | as for `Bool` |
///
/// Every predicate is either true or false, as in Swift: `a != b` is always `!(a == b)`. A city
/// without a name satisfies `name != "Bam"`. Strings compare as in Swift, by canonical equivalence:
/// both encodings of "é" are equal. A path through a relationship that is nil has the value nil.
public struct FetchPredicate: Sendable {
  package let node: any PredicateNode

  package init(_ node: any PredicateNode) { self.node = TreeExtent.limited(node) }
}
