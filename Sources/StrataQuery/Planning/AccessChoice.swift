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
    let sort = sort.filter { !slots.isFixed($0.slot) }
    let candidates = planner.candidates(for: terms, slots)
    let order =
      sort.isEmpty
      ? nil : Self.order(by: sort, slots, planner.entity, isLimited: isLimited)
    let answered: TermSet
    if let order,
      Self.isBetter(
        order, than: candidates.first, isLimited: isLimited, hasTerms: !terms.isEmpty)
    {
      access = .inOrder(order, planner.entity)
      answered = order.access.answered
    } else if sort.isEmpty, let order = Self.streamed(candidates, planner, isLimited: isLimited) {
      access = .inOrder(order, planner.entity)
      answered = order.access.answered
    } else {
      let chosen = planner.worthWalking(candidates)
      access = chosen.isEmpty ? .records : .source(AccessPlanner.joined(chosen))
      answered = AccessPlanner.answered(by: chosen)
    }
    self.sort = sort
    let rest = terms.indices.filter { !answered.contains($0) }.map { terms[$0] }
    filter = rest.isEmpty ? nil : AllOf(rest)
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
  /// most sort keys.
  private static func order(
    by sort: [ResolvedSortKey], _ slots: SlotStretches, _ entity: EntitySchema, isLimited: Bool
  ) -> IndexOrder? {
    let orders = entity.indexes.compactMap { index in
      IndexOrder(IndexAccess(index, slots) ?? IndexAccess(whole: index), by: sort)
    }
    return orders.min { left, right in
      let (one, two) = (rank(left, isLimited), rank(right, isLimited))
      return one == two ? left.keyCount > right.keyCount : one < two
    }
  }

  private static func rank(_ order: IndexOrder, _ isLimited: Bool) -> RankedSource.Rank {
    let rank = RankedSource.Rank(order.access)
    return isLimited ? rank.closed : rank
  }

  private static func isBetter(
    _ order: IndexOrder, than best: AccessPlanner.Candidate?, isLimited: Bool, hasTerms: Bool
  ) -> Bool {
    guard let best else { return isLimited || !hasTerms }
    return rank(order, isLimited) <= (isLimited ? best.rank.closed : best.rank)
  }

  /// The objects that have one value, whose entries come in the order of the keys and can be handed on
  /// as they come; nil if there is something to intersect them with.
  private static func streamed(
    _ candidates: [AccessPlanner.Candidate], _ planner: AccessPlanner, isLimited: Bool
  ) -> IndexOrder? {
    guard case .stretch(let access, _)? = candidates.first?.source,
      isLimited || planner.worthWalking(candidates).count == 1
    else { return nil }
    return IndexOrder(unsorted: access)
  }
}
