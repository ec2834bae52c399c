// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Finds the sources that conditions on one entity's objects have: its indexes, and through its
/// relationships those of other entities.
///
/// It goes by the form of the condition alone. A value is guessed to be rarer than a prefix, a prefix
/// than a range, and that is wrong as often as data are uneven; but what a stretch holds is found out by
/// walking it, at an eighth of the price of its objects' records, so a wrong guess costs little and
/// statistics would cost every save.
package struct AccessPlanner: Sendable {
  let schema: Schema
  let entity: EntitySchema
  /// Whether the entries may be the whole answer, so that walking most of an index is still better than
  /// walking the records.
  let readsEntriesAlone: Bool

  /// A source among those of an "and".
  struct Candidate {
    let source: KeySource
    let rank: SourceRank
    /// The terms that need not be asked of what is found.
    let answered: TermSet
  }

  /// So many sources are walked for one "and" at most.
  private static let intersectionCountMax = 4

  // MARK: - Conditions

  /// The best source for a condition; nil if it has none.
  func source(for condition: any Condition) -> RankedSource? {
    let terms = condition.terms
    let slots = SlotStretches(terms)
    let chosen = worthWalking(candidates(for: terms, slots, accesses(slots)))
    guard let first = chosen.first else { return nil }
    let answered = Self.answered(by: chosen)
    return RankedSource(
      source: Self.joined(chosen), rank: first.rank, isWhole: answered.count == terms.count)
  }

  /// What the terms leave of the indexes that they say something of, as they are declared: a single
  /// index before a compound one. O(indexes).
  func accesses(_ slots: SlotStretches) -> [IndexAccess] {
    entity.indexes.compactMap { IndexAccess($0, slots) }
  }

  /// All sources for the terms of an "and", the one with the fewest keys first, as far as can be
  /// guessed. O(terms · indexes).
  func candidates(
    for terms: [any Condition], _ slots: SlotStretches, _ accesses: [IndexAccess]
  ) -> [Candidate] {
    var found: [Candidate] = []
    /// The terms on slots that an index begins with.
    var served = TermSet()
    for access in accesses {
      if let joined = slots[access.index.slot] { served.formUnion(joined.terms) }
      guard readsEntriesAlone || access.widths.first != .most else { continue }
      found.append(
        Candidate(
          source: .stretch(access, entity), rank: SourceRank(access), answered: access.answered))
    }
    for (index, term) in terms.enumerated() where !served.contains(index) {
      guard let ranked = term.source(in: self) else { continue }
      found.append(
        Candidate(
          source: ranked.source, rank: ranked.rank,
          answered: ranked.isWhole ? TermSet(index) : TermSet()))
    }
    if found.count < 2 { return found }
    // Of equals the first declared.
    return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element)
  }

  /// The candidates to walk together: the best, and those that answer a term which the ones before do
  /// not, if they are likely to be narrow.
  func worthWalking(_ candidates: [Candidate]) -> [Candidate] {
    guard let first = candidates.first else { return [] }
    var chosen = [first]
    if first.rank <= .one { return chosen }
    var answered = first.answered
    for candidate in candidates.dropFirst() where chosen.count < Self.intersectionCountMax {
      guard !candidate.answered.isSubset(of: answered),
        readsEntriesAlone || candidate.rank.isNarrow
      else { continue }
      chosen.append(candidate)
      answered.formUnion(candidate.answered)
    }
    return chosen
  }

  static func answered(by candidates: [Candidate]) -> TermSet {
    candidates.reduce(into: TermSet()) { $0.formUnion($1.answered) }
  }

  static func joined(_ candidates: [Candidate]) -> KeySource {
    candidates.count == 1 ? candidates[0].source : .intersection(candidates.map(\.source))
  }

  // MARK: - Relationships

  /// The source that `find` has for the objects at the end of to-one slots, led back to the objects
  /// of this planner's entity.
  func source(
    over hops: [Int], _ find: (AccessPlanner) -> RankedSource?
  ) -> RankedSource? {
    var end = self
    var ways: [KeySource.ToOneHop] = []
    for slot in hops {
      // After a cast the slot is another entity's.
      guard let index = end.entity.index(at: slot),
        end.entity.relationships.indices.contains(slot),
        let relationship = end.entity.relationships[slot],
        let next = end.destination(of: relationship)
      else { return nil }
      ways.append(KeySource.ToOneHop(owner: end.entity, slot: slot, index: index.number))
      end = next
    }
    guard var found = find(end) else { return nil }
    for way in ways.reversed() {
      found = RankedSource(
        source: .referrers(way, found.source), rank: found.rank.behind(.hop),
        isWhole: found.isWhole)
    }
    return found
  }

  /// The source that `find` has for members of a to-many relationship, led back to their owners.
  func source(
    ofOwnersIn relationship: RelationshipSchema, _ find: (AccessPlanner) -> RankedSource?
  ) -> RankedSource? {
    guard let members = destination(of: relationship), let found = find(members) else { return nil }
    let source: KeySource
    switch relationship.storage {
    case .slot: return nil
    case .inverseSlot(let index, let slot):
      source = .targets(
        KeySource.ToOneHop(owner: members.entity, slot: slot, index: index), found.source)
    case .links(_, let mirror):
      source = .linked(
        KeySource.LinkHop(owner: entity, relationship: relationship, mirror: mirror), found.source)
    }
    return RankedSource(source: source, rank: found.rank.behind(.hop), isWhole: found.isWhole)
  }

  /// The planner for the objects that a relationship leads to. Each of them costs a look-up, so only
  /// what is narrow will do.
  private func destination(of relationship: RelationshipSchema) -> AccessPlanner? {
    guard let destination = schema.entity(relationship.destination) else { return nil }
    return AccessPlanner(schema: schema, entity: destination, readsEntriesAlone: false)
  }
}
