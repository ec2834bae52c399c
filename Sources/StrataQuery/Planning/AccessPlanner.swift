// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// Finds sources for conditions on one entity's objects: the entity's indexes, and through its
/// relationships the indexes of other entities.
///
/// The planner uses only the form of the condition. It assumes that a value is rarer than a prefix,
/// and a prefix rarer than a range. This is wrong for uneven data. But the walk over a range finds
/// its size, at an eighth of the cost of reading the records. A wrong assumption therefore costs
/// little, and statistics would cost every save.
struct AccessPlanner {
  let schema: Schema
  let entity: EntitySchema
  /// Whether index entries may answer the whole request. Walking most of an index is then still
  /// better than walking the records.
  let readsEntriesAlone: Bool

  /// One of the sources of an "and", and the terms that need not be evaluated for its objects.
  typealias Candidate = (source: CandidateSource, answered: TermSet)

  /// A source for a condition, and whether its objects satisfy the whole condition without
  /// evaluation. Objects with uncertain entries are always evaluated.
  private typealias Found = (source: CandidateSource, isWhole: Bool)

  /// The maximum number of sources to walk for one "and".
  private static let intersectionCountMax = 4

  // MARK: - Conditions

  /// Returns the best source for a condition; nil if the condition has no source.
  private func source(for condition: any Condition) -> Found? {
    let terms = condition.terms
    let slots = SlotTerms(terms)
    let chosen = worthWalking(candidates(for: terms, slots, accesses(slots)))
    guard let (source, answered) = Self.joined(chosen) else { return nil }
    return (source, answered.count == terms.count)
  }

  /// Returns the ranges of the indexes that the terms limit, in the order of declaration: single
  /// indexes before compound ones. O(indexes).
  func accesses(_ slots: SlotTerms) -> [IndexAccess] {
    entity.valueIndexes.compactMap { IndexAccess($0, of: entity, slots) }
  }

  /// Returns all sources for the terms of an "and", the one with the lowest estimated number of
  /// keys first. O(terms · indexes).
  func candidates(
    for terms: [any Condition], _ slots: SlotTerms, _ accesses: [IndexAccess]
  ) -> [Candidate] {
    var found: [Candidate] = []
    /// The terms on slots that are the first part of an index.
    var served = TermSet()
    for access in accesses {
      if let joined = slots[access.index.slot] { served.formUnion(joined.terms) }
      guard readsEntriesAlone || access.widths.first != .most else { continue }
      found.append((.index(access), access.answered))
    }
    for (index, term) in terms.enumerated() where !served.contains(index) {
      // Without closures, here and for branches: planning recurses, within a limit of the stack.
      guard let lead = term.lead, let (source, isWhole) = source(at: lead) else { continue }
      found.append((source, isWhole ? TermSet(index) : TermSet()))
    }
    if found.count < 2 { return found }
    // Equal sources remain in the order of declaration, but words come first: evaluating another
    // term costs less than searching a text.
    return found.enumerated()
      .sorted {
        ($0.element.source.selectivity, $0.element.source.readsWords ? 0 : 1, $0.offset)
          < ($1.element.source.selectivity, $1.element.source.readsWords ? 0 : 1, $1.offset)
      }
      .map(\.element)
  }

  /// Returns the candidates to walk together: the best one, and further ones that answer a new term
  /// and are likely to be narrow.
  func worthWalking(_ candidates: [Candidate]) -> [Candidate] {
    guard candidates.count > 1 else { return candidates }
    let first = candidates[0]
    var chosen = [first]
    if first.source.selectivity <= .one { return chosen }
    var answered = first.answered
    for candidate in candidates.dropFirst() where chosen.count < Self.intersectionCountMax {
      guard !candidate.answered.isSubset(of: answered),
        readsEntriesAlone || candidate.source.selectivity.isNarrow
      else { continue }
      chosen.append(candidate)
      answered.formUnion(candidate.answered)
    }
    return chosen
  }

  /// Joins candidates into one source; nil without candidates.
  static func joined(_ candidates: [Candidate]) -> Candidate? {
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
    case .words(let slot, let words):
      return source(ofWords: words, at: slot).map { ($0, words.isWhole) }
    case .over(let hops, let condition):
      return source(over: hops[...]) { $0.source(for: condition) }
    case .members(let place, let condition):
      return source(over: place.hops[...]) { $0.source(ofOwnersIn: place.relationship, condition) }
    }
  }

  /// Returns the source of the objects that have a word in each of the ranges; nil if the words of
  /// the slot's text have no index.
  // Not inlined: planning recurses through its caller, within a limit of the stack.
  @inline(never)
  private func source(ofWords words: WordSource, at slot: Int) -> CandidateSource? {
    guard let index = entity.wordIndex(at: slot) else { return nil }
    let sources = words.ranges.map { range -> CandidateSource in
      let source = CandidateSource.index(IndexAccess(words: range, in: index, of: entity))
      // An object may have several words in a range: a union has each object once.
      return range.width == .point ? source : .union([source])
    }
    if sources.count == 1 { return sources[0] }
    return .words(
      sources.enumerated().sorted {
        ($0.element.selectivity, $0.offset) < ($1.element.selectivity, $1.offset)
      }.map(\.element), isWhole: words.isWhole)
  }

  /// Returns the source that `find` returns for the objects at the end of to-one slots, followed
  /// back to the objects of this planner's entity.
  private func source(
    over hops: ArraySlice<Int>, _ find: (AccessPlanner) -> Found?
  ) -> Found? {
    guard let slot = hops.first else { return find(self) }
    // After a cast, the slot belongs to another entity.
    guard entity.index(at: slot) != nil, entity.relationships.indices.contains(slot),
      let relationship = entity.relationships[slot],
      let found = destination(of: relationship)?.source(over: hops.dropFirst(), find)
    else { return nil }
    let hop = CandidateSource.Hop(
      step: relationship.stepBack, owner: entity, property: relationship.name)
    return (.related(hop, found.source), found.isWhole)
  }

  /// Returns the source of members of a to-many relationship that satisfy a condition, followed
  /// back to their owners.
  private func source(
    ofOwnersIn relationship: RelationshipSchema, _ condition: any Condition
  ) -> Found? {
    guard let members = destination(of: relationship), let found = members.source(for: condition)
    else { return nil }
    var (owner, property) = (entity, relationship.name)
    if case .target(let slot) = relationship.stepBack {
      (owner, property) = (members.entity, members.entity.description.properties[slot].name)
    }
    let hop = CandidateSource.Hop(step: relationship.stepBack, owner: owner, property: property)
    return (.related(hop, found.source), found.isWhole)
  }

  /// Returns the planner for the targets of a relationship. Each target costs a look-up, so only
  /// narrow sources are worthwhile.
  private func destination(of relationship: RelationshipSchema) -> AccessPlanner? {
    guard let destination = schema.entity(relationship.destination) else { return nil }
    return AccessPlanner(schema: schema, entity: destination, readsEntriesAlone: false)
  }
}
