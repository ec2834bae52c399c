// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Where the keys of objects that may satisfy a condition come from, without a look at the records of
/// the entity: a tree whose leaves are stretches of indexes and keys that the predicate names.
enum KeySource: Sendable {
  case stretch(IndexAccess, EntitySchema)
  /// Ascending.
  case keys([ObjectKey])
  case union([KeySource])
  /// Those with the fewest keys first, as far as can be guessed.
  case intersection([KeySource])
  /// The objects whose to-one slot leads to one of those found.
  indirect case referrers(ToOneHop, KeySource)
  /// The objects that the to-one slot of those found leads to.
  indirect case targets(ToOneHop, KeySource)
  /// The objects at the other end of links from those found.
  indirect case linked(LinkHop, KeySource)

  /// A to-one relationship, from its owners' side.
  struct ToOneHop: Sendable {
    let owner: EntitySchema
    let slot: Int
    let index: PropertyNumber

    var name: String { "\(owner.description.name).\(owner.description.properties[slot].name)" }
  }

  /// A relationship kept as links: under `mirror` lie, by target, the owners.
  struct LinkHop: Sendable {
    let owner: EntitySchema
    let relationship: RelationshipSchema
    let mirror: PropertyNumber

    var name: String { "\(owner.description.name).\(relationship.name)" }
  }

  var children: [KeySource] {
    switch self {
    case .stretch, .keys: []
    case .union(let sources), .intersection(let sources): sources
    case .referrers(_, let source), .targets(_, let source), .linked(_, let source): [source]
    }
  }
}

extension KeySource: CustomStringConvertible {
  /// On one line, without user values.
  var description: String {
    switch self {
    case .stretch(let access, let entity): "index on \(access.description(in: entity))"
    case .keys: "given objects"
    case .union(let sources): "(" + sources.map(\.description).joined(separator: " or ") + ")"
    case .intersection(let sources): sources.map(\.description).joined(separator: " and ")
    case .referrers(let hop, let source): "\(hop.name) from \(source)"
    case .targets(let hop, let source): "targets of \(hop.name) from \(source)"
    case .linked(let hop, let source): "links of \(hop.name) from \(source)"
    }
  }
}

/// A source, and how few keys it promises.
package struct RankedSource: Sendable {
  let source: KeySource
  let rank: SourceRank
  /// Whether every object found satisfies the condition, but for entries that are not certain.
  let isWhole: Bool

  init(source: KeySource, rank: SourceRank, isWhole: Bool = true) {
    self.source = source
    self.rank = rank
    self.isWhole = isWhole
  }
}
