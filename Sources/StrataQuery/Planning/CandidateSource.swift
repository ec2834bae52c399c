// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Where the keys of objects that may satisfy a condition come from, without a look at the records of
/// the entity: a tree whose leaves are ranges of indexes and keys that the predicate names.
enum CandidateSource: Sendable {
  case index(IndexAccess)
  /// Ascending.
  case keys([ObjectKey])
  case union([CandidateSource])
  /// The one with the fewest keys first, as far as can be guessed; one or more.
  case intersection([CandidateSource])
  /// The objects at the other end of a relationship from those found.
  indirect case related(Hop, CandidateSource)

  /// One step over a relationship.
  struct Hop: Sendable {
    enum Way: Sendable {
      /// To the objects whose to-one slot leads to those found.
      case referrers(index: PropertyNumber, slot: Int)
      /// To the objects that the to-one slot of those found leads to.
      case targets(slot: Int)
      /// Over links: under the number lie, by target, the owners.
      case links(mirror: PropertyNumber)
    }

    let way: Way
    /// The entity that has the relationship, and what it is called there.
    let owner: EntitySchema
    let property: String

    var name: String { "\(owner.description.name).\(property)" }
  }

  var selectivity: Selectivity {
    switch self {
    case .index(let access): access.isOneObject ? .one : Selectivity(access.widths + [.whole])
    case .keys: .named
    case .union(let sources): (sources.map(\.selectivity).max() ?? .named).behind(.union)
    case .intersection(let sources): sources[0].selectivity
    case .related(_, let source): source.selectivity.behind(.hop)
    }
  }
}

extension CandidateSource: CustomStringConvertible {
  /// On one line, without user values.
  var description: String {
    switch self {
    case .index(let access): "index on \(access)"
    case .keys: "given objects"
    case .union(let sources): "(" + sources.map(\.description).joined(separator: " or ") + ")"
    case .intersection(let sources): sources.map(\.description).joined(separator: " and ")
    case .related(let hop, let source):
      switch hop.way {
      case .referrers: "\(hop.name) from \(source)"
      case .targets: "targets of \(hop.name) from \(source)"
      case .links: "links of \(hop.name) from \(source)"
      }
    }
  }
}
