// SPDX-License-Identifier: Apache-2.0

/// The objects and links of a graph as plain values: objects are numbers in the order in which they
/// were made.
enum ModelGraph {
  enum Kind: Hashable { case city, country, language, government, ferry }

  /// A link of a many-to-many relationship.
  enum Tie: Hashable {
    /// A country and a language.
    case spoken(Int, Int)
    /// Two countries, the smaller number first.
    case neighbours(Int, Int)

    static func between(_ a: Int, _ b: Int) -> Tie { .neighbours(min(a, b), max(a, b)) }

    var ends: [Int] {
      switch self {
      case .spoken(let a, let b), .neighbours(let a, let b): [a, b]
      }
    }
  }

  /// The values of one object.
  struct Row: Equatable {
    var kind: Kind
    var name = ""
    var population = 0
    /// Of a city.
    var country: Int?
  }
}
