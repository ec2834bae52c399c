// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A source of the keys of objects that may satisfy a condition, without reading the entity's
/// records. The source is a tree. Its leaves are index ranges and keys that the predicate names.
enum CandidateSource: Sendable {
  case index(IndexAccess)
  /// The keys that the predicate names, in ascending order.
  case keys([ObjectKey])
  case union([CandidateSource])
  /// One or more sources, the one with the lowest estimated number of keys first.
  case intersection([CandidateSource])
  /// The objects with all of several words, each a source. The request does not say which is rare.
  /// If it is not whole, the texts are searched for phrases.
  case words([CandidateSource], isWhole: Bool)
  /// The objects at the other end of a relationship from the objects of a source.
  indirect case related(Hop, CandidateSource)

  /// One step over a relationship.
  struct Hop: Sendable {
    /// The step from the found objects.
    let step: RelationshipStep
    /// The entity that has the relationship, and the relationship's name.
    let owner: EntitySchema
    let property: String

    var name: String { "\(owner.description.name).\(property)" }
  }

  var selectivity: Selectivity {
    switch self {
    case .index(let access): access.isOneObject ? .one : Selectivity(access.widths + [.whole])
    case .keys: .named
    case .union(let sources): (sources.map(\.selectivity).max() ?? .named).behind(.union)
    case .intersection(let sources), .words(let sources, _): sources[0].selectivity
    case .related(_, let source): source.selectivity.behind(.hop)
    }
  }
}

extension CandidateSource {
  /// Whether the source reads an index of words. To walk more of its entries is better than to look
  /// for the words in the text of each object.
  var readsWords: Bool {
    switch self {
    case .index(let access): access.index.isOfWords
    case .keys: false
    case .union(let sources), .intersection(let sources): sources.contains(where: \.readsWords)
    case .words: true
    case .related(_, let source): source.readsWords
    }
  }
}

extension CandidateSource: CustomStringConvertible {
  /// A description on one line, without user values.
  var description: String {
    switch self {
    case .index(let access): "index on \(access)"
    case .keys: "given objects"
    case .union(let sources): "(" + sources.map(\.description).joined(separator: " or ") + ")"
    case .intersection(let sources), .words(let sources, _):
      sources.map(\.description).joined(separator: " and ")
    case .related(let hop, let source):
      switch hop.step {
      case .referrers: "\(hop.name) from \(source)"
      case .target: "targets of \(hop.name) from \(source)"
      case .linked: "links of \(hop.name) from \(source)"
      }
    }
  }
}
