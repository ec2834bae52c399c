// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The planner's choice between the indexes' order, sources of keys, and the records.
///
/// 1. The best source that the predicate's terms have, with those beside it that are worth walking too.
/// 2. Or an index in whose order the request is, within the stretch that the terms leave of it, if no
///    source is better. With a limit a range with one end does not count as better: the first few in
///    order are soon found, and the range may be most of the objects.
/// 3. Without a source, the index of the order, if there is a limit or nothing to filter.
/// 4. Else all records.
struct AccessChoice {
  let access: QueryPlan.Access
  /// The sort keys that objects which satisfy the predicate can differ in.
  let sort: [ResolvedSortKey]
  let filter: (any Condition)?

  init(
    condition: (any Condition)?, sort: [ResolvedSortKey], isLimited: Bool, _ planner: AccessPlanner
  ) {
    let terms = condition?.terms ?? []
    let slots = SlotStretches(terms)
    let sort = sort.isEmpty ? sort : sort.filter { !slots.isFixed($0.slot) }
    let accesses = planner.accesses(slots)
    let candidates = planner.candidates(for: terms, slots, accesses)
    self.sort = sort
    let answered: TermSet
    if let order = Self.order(by: sort, accesses, planner.entity, isLimited: isLimited),
      Self.isBetter(
        order, than: candidates.first, isLimited: isLimited, hasTerms: !terms.isEmpty)
    {
      access = .inOrder(order, planner.entity)
      answered = order.access.answered
    } else {
      let chosen = planner.worthWalking(candidates)
      if sort.isEmpty, isLimited || chosen.count == 1,
        case .stretch(let stretch, _)? = chosen.first?.source,
        let order = IndexOrder(unsorted: stretch)
      {
        // The objects that have one value come in the order of the keys, and there is nothing to
        // intersect them with: they are handed on as they come.
        access = .inOrder(order, planner.entity)
        answered = stretch.answered
      } else {
        access = chosen.isEmpty ? .records : .source(AccessPlanner.joined(chosen))
        answered = AccessPlanner.answered(by: chosen)
      }
    }
    filter = Self.rest(of: condition, terms, answered)
  }

  /// The terms that are still to be asked; nil if there are none.
  private static func rest(
    of condition: (any Condition)?, _ terms: [any Condition], _ answered: TermSet
  ) -> (any Condition)? {
    switch answered.count {
    case terms.count: nil
    case 0: condition
    default: AllOf(terms.indices.filter { !answered.contains($0) }.map { terms[$0] })
    }
  }

  /// The choice where the objects' keys are wanted alone: if the entries of indexes give them, most of
  /// an index may be walked for it.
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

  private var readsEntriesAlone: Bool {
    guard filter == nil else { return false }
    if case .source = access { return sort.isEmpty }
    return true
  }

  /// The index with the narrowest stretch among those that have the order; of such, the one that covers
  /// most sort keys. nil if there is none, or no order.
  private static func order(
    by sort: [ResolvedSortKey], _ accesses: [IndexAccess], _ entity: EntitySchema, isLimited: Bool
  ) -> IndexOrder? {
    guard let first = sort.first else { return nil }
    var best: IndexOrder?
    func consider(_ access: IndexAccess) {
      guard let order = IndexOrder(access, by: sort) else { return }
      guard let known = best else {
        best = order
        return
      }
      let (one, two) = (rank(order, isLimited), rank(known, isLimited))
      if one < two || one == two && order.keyCount > known.keyCount { best = order }
    }
    for index in entity.indexes {
      if let access = accesses.first(where: { $0.index.number == index.number }) {
        consider(access)
      } else if index.slot == first.slot {
        consider(IndexAccess(whole: index))
      }
    }
    return best
  }

  private static func rank(_ order: IndexOrder, _ isLimited: Bool) -> SourceRank {
    let rank = SourceRank(order.access)
    return isLimited ? rank.closed : rank
  }

  private static func isBetter(
    _ order: IndexOrder, than best: AccessPlanner.Candidate?, isLimited: Bool, hasTerms: Bool
  ) -> Bool {
    guard let best else { return isLimited || !hasTerms }
    return rank(order, isLimited) <= (isLimited ? best.rank.closed : best.rank)
  }
}
