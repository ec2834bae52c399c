// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Finds the sources that conditions on one entity's objects have: its indexes, and through its
/// relationships those of other entities.
///
/// It goes by the form of the condition alone. A value is guessed to be rarer than a prefix, a prefix
/// than a range, and that is wrong as often as data are uneven; but what a range holds is found out by
/// walking it, at an eighth of the price of its objects' records, so a wrong guess costs little and
/// statistics would cost every save.
struct AccessPlanner {
  let schema: Schema
  let entity: EntitySchema
  /// Whether the entries may be the whole answer, so that walking most of an index is still better than
  /// walking the records.
  let readsEntriesAlone: Bool

  /// A source among those of an "and".
  struct Candidate {
    let source: CandidateSource
    /// The terms that need not be asked of what is found.
    let answered: TermSet

    init(_ source: CandidateSource, answered: TermSet) {
      self.source = source
      self.answered = answered
    }

    /// Made when it is asked for: most requests have one candidate, which is compared with none.
    var selectivity: Selectivity { source.selectivity }
  }

  /// A source for a condition, and whether the objects that it finds need not be asked for the condition.
  /// Objects with uncertain entries are asked anyway.
  private typealias Found = (source: CandidateSource, isWhole: Bool)

  /// How many sources are walked for one "and" at most.
  private static let intersectionCountMax = 4

  // MARK: - Conditions

  /// The best source for a condition; nil if it has none.
  private func source(for condition: any Condition) -> Found? {
    let terms = condition.terms
    let slots = SlotTerms(terms)
    let chosen = worthWalking(candidates(for: terms, slots, accesses(slots)))
    guard let (source, answered) = Self.joined(chosen) else { return nil }
    return (source, answered.count == terms.count)
  }

  /// What the terms leave of the indexes that they say something of, as they are declared: a single
  /// index before a compound one. O(indexes).
  func accesses(_ slots: SlotTerms) -> [IndexAccess] {
    entity.indexes.compactMap { IndexAccess($0, of: entity, slots) }
  }

  /// All sources for the terms of an "and", the one with the fewest keys first, as far as can be
  /// guessed. O(terms · indexes).
  func candidates(
    for terms: [any Condition], _ slots: SlotTerms, _ accesses: [IndexAccess]
  ) -> [Candidate] {
    var found: [Candidate] = []
    /// The terms on slots that an index begins with.
    var served = TermSet()
    for access in accesses {
      if let joined = slots[access.index.slot] { served.formUnion(joined.terms) }
      guard readsEntriesAlone || access.widths.first != .most else { continue }
      found.append(Candidate(.index(access), answered: access.answered))
    }
    for (index, term) in terms.enumerated() where !served.contains(index) {
      guard let (source, isWhole) = term.lead.flatMap(source(at:)) else { continue }
      found.append(Candidate(source, answered: isWhole ? TermSet(index) : TermSet()))
    }
    if found.count < 2 { return found }
    // Of equals the first declared.
    return found.enumerated()
      .sorted { ($0.element.selectivity, $0.offset) < ($1.element.selectivity, $1.offset) }
      .map(\.element)
  }

  /// The candidates to walk together: the best, and those that answer a term which the ones before do
  /// not, if they are likely to be narrow.
  func worthWalking(_ candidates: [Candidate]) -> [Candidate] {
    guard candidates.count > 1 else { return candidates }
    let first = candidates[0]
    var chosen = [first]
    if first.selectivity <= .one { return chosen }
    var answered = first.answered
    for candidate in candidates.dropFirst() where chosen.count < Self.intersectionCountMax {
      guard !candidate.answered.isSubset(of: answered),
        readsEntriesAlone || candidate.selectivity.isNarrow
      else { continue }
      chosen.append(candidate)
      answered.formUnion(candidate.answered)
    }
    return chosen
  }

  /// What candidates are together; nil if there are none.
  static func joined(_ candidates: [Candidate]) -> (source: CandidateSource, answered: TermSet)? {
    guard let first = candidates.first else { return nil }
    return (
      candidates.count == 1 ? first.source : .intersection(candidates.map(\.source)),
      candidates.reduce(into: TermSet()) { $0.formUnion($1.answered) }
    )
  }

  // MARK: - Leads

  private func source(at lead: Lead) -> Found? {
    switch lead {
    case .objects(let keys): return (.keys(keys), true)
    case .anyOf(let branches):
      var sources: [CandidateSource] = []
      var isWhole = true
      for branch in branches {
        guard let found = source(for: branch) else { return nil }
        sources.append(found.source)
        isWhole = isWhole && found.isWhole
      }
      return (.union(sources), isWhole)
    case .over(let hops, let condition):
      return source(over: hops[...]) { $0.source(for: condition) }
    case .members(let place, let condition):
      return source(over: place.hops[...]) { $0.source(ofOwnersIn: place.relationship, condition) }
    }
  }

  /// The source that `find` has for the objects at the end of to-one slots, led back to the objects
  /// of this planner's entity.
  private func source(
    over hops: ArraySlice<Int>, _ find: (AccessPlanner) -> Found?
  ) -> Found? {
    guard let slot = hops.first else { return find(self) }
    // After a cast the slot is another entity's.
    guard let index = entity.index(at: slot), entity.relationships.indices.contains(slot),
      let relationship = entity.relationships[slot],
      let found = destination(of: relationship)?.source(over: hops.dropFirst(), find)
    else { return nil }
    let hop = CandidateSource.Hop(
      way: .referrers(index: index.number, slot: slot), owner: entity, property: relationship.name)
    return (.related(hop, found.source), found.isWhole)
  }

  /// The source of members of a to-many relationship that satisfy a condition, led back to their
  /// owners.
  private func source(
    ofOwnersIn relationship: RelationshipSchema, _ condition: any Condition
  ) -> Found? {
    guard let members = destination(of: relationship), let found = members.source(for: condition)
    else { return nil }
    let hop: CandidateSource.Hop
    switch relationship.storage {
    case .slot: return nil
    case .inverseSlot(_, let slot):
      hop = CandidateSource.Hop(
        way: .targets(slot: slot), owner: members.entity,
        property: members.entity.description.properties[slot].name)
    case .links(_, let mirror):
      hop = CandidateSource.Hop(
        way: .links(mirror: mirror), owner: entity, property: relationship.name)
    }
    return (.related(hop, found.source), found.isWhole)
  }

  /// The planner for the objects that a relationship leads to. Each of them costs a look-up, so only
  /// what is narrow will do.
  private func destination(of relationship: RelationshipSchema) -> AccessPlanner? {
    guard let destination = schema.entity(relationship.destination) else { return nil }
    return AccessPlanner(schema: schema, entity: destination, readsEntriesAlone: false)
  }
}
