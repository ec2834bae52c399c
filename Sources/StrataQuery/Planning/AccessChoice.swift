// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The planner's choice between the order of an index, sources of keys, and the records.
///
/// 1. The best source of the predicate's terms, with further sources that are worth walking.
/// 2. An index in the order of the request, within the range that the terms leave, if no source is
/// better. With a limit, a range with one bound does not count as better: the first objects in
/// order are found soon, and the range may contain most objects.
/// 3. Without a source, the index of the order, if there is a limit or no predicate.
/// 4. Otherwise all records.
struct AccessChoice {
  let access: QueryPlan.Access
  /// The sort keys in which objects that satisfy the predicate can differ.
  let sort: [ResolvedSortKey]
  let filter: (any Condition)?

  init(
    condition: (any Condition)?, sort: [ResolvedSortKey], isLimited: Bool, _ planner: AccessPlanner
  ) {
    let terms = condition?.terms ?? []
    let slots = SlotTerms(terms)
    let sort = sort.isEmpty ? sort : sort.filter { $0.slot.map(slots.isFixed) != true }
    let accesses = planner.accesses(slots)
    let candidates = planner.candidates(for: terms, slots, accesses)
    self.sort = sort
    let answered: TermSet
    if let order = Self.order(by: sort, accesses, planner.entity, isLimited: isLimited),
      Self.isBetter(order, than: candidates.first, isLimited: isLimited, hasTerms: !terms.isEmpty)
    {
      access = .inOrder(order)
      answered = order.access.answered
    } else {
      let chosen = planner.worthWalking(candidates)
      if sort.isEmpty, isLimited || chosen.count == 1,
        case .index(let single)? = chosen.first?.source, let order = IndexOrder(unsorted: single)
      {
        // Objects with one value are in the order of their keys, and there is no further source:
        // they are passed on as they are found.
        access = .inOrder(order)
        answered = chosen[0].answered
      } else if let joined = AccessPlanner.joined(chosen) {
        access = .source(joined.source)
        answered = joined.answered
      } else {
        access = .records
        answered = TermSet()
      }
    }
    filter = Self.rest(of: condition, terms, answered)
  }

  /// Returns the terms that must still be evaluated; nil if there are none.
  private static func rest(
    of condition: (any Condition)?, _ terms: [any Condition], _ answered: TermSet
  ) -> (any Condition)? {
    switch answered.count {
    case terms.count: nil
    case 0: condition
    default: AllOf(terms.indices.filter { !answered.contains($0) }.map { terms[$0] })
    }
  }

  /// Creates the choice for a request that needs only the objects' keys. If index entries answer
  /// the request, even most of an index may be walked.
  init(readingEntriesAloneFor plan: QueryPlan, sort: [ResolvedSortKey]) {
    func choice(_ readsEntriesAlone: Bool) -> AccessChoice {
      AccessChoice(
        condition: plan.condition, sort: sort, isLimited: plan.limit != nil,
        AccessPlanner(
          schema: plan.schema, entity: plan.entity, readsEntriesAlone: readsEntriesAlone))
    }
    let best = choice(true)
    self = best.readsEntriesAlone ? best : choice(false)
  }

  private init(_ access: QueryPlan.Access, like choice: AccessChoice) {
    self.access = access
    (sort, filter) = (choice.sort, nil)
  }

  /// Returns the choice for another condition of the form of the only one; nil unless this choice
  /// is a range of a single index that answers the condition, and the other range is as wide.
  func with(_ condition: SlotCondition) -> AccessChoice? {
    guard filter == nil else { return nil }
    switch access {
    case .inOrder(let order):
      guard let other = order.access.with(condition) else { return nil }
      return AccessChoice(.inOrder(order.over(other)), like: self)
    case .source(.index(let access)):
      guard let other = access.with(condition) else { return nil }
      return AccessChoice(.source(.index(other)), like: self)
    case .source, .records: return nil
    }
  }

  /// Whether index entries are sufficient to find the objects.
  var readsEntriesAlone: Bool {
    guard filter == nil else { return false }
    if case .source = access { return sort.isEmpty }
    return true
  }

  /// Returns the index with the narrowest range among the indexes in the order of `sort`; of
  /// equally narrow ones, the index that covers most sort keys. nil if no index has the order, or
  /// if `sort` is empty.
  private static func order(
    by sort: [ResolvedSortKey], _ accesses: [IndexAccess], _ entity: EntitySchema, isLimited: Bool
  ) -> IndexOrder? {
    guard let first = sort.first else { return nil }
    let orders = entity.valueIndexes.compactMap { index -> IndexOrder? in
      let access = accesses.first { $0.index.number == index.number }
      guard access != nil || index.slot == first.slot else { return nil }
      return IndexOrder(access ?? IndexAccess(whole: index, of: entity), by: sort)
    }
    return orders.min { one, two in
      (selectivity(of: .index(one.access), isLimited), two.keyCount)
        < (selectivity(of: .index(two.access), isLimited), one.keyCount)
    }
  }

  private static func selectivity(of source: CandidateSource, _ isLimited: Bool) -> Selectivity {
    isLimited ? source.selectivity.closed : source.selectivity
  }

  private static func isBetter(
    _ order: IndexOrder, than best: AccessPlanner.Candidate?, isLimited: Bool, hasTerms: Bool
  ) -> Bool {
    guard let best else { return isLimited || !hasTerms }
    return selectivity(of: .index(order.access), isLimited)
      <= selectivity(of: best.source, isLimited)
  }
}
