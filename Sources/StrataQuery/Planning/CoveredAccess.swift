// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// An index that has everything that a request for rows asks of its objects: the entries in a range
/// decide the whole predicate, and their values are all that is computed with. So no record is
/// read. SQLite: a covering index.
///
/// Where a key does not say its value exactly, the object's own record is read (`IndexRecord`).
///
/// ## Invariants
/// - I1 An object satisfies the predicate exactly if it has an entry in the range.
struct CoveredAccess: Sendable {
  let access: IndexAccess
  /// The slots that are computed with.
  let slots: SlotSet
  /// The index in the order of the request; nil if the request has no order. Its values are never
  /// cut: cut ones are in an order of their own.
  let order: IndexOrder?

  /// The best such index; nil without one.
  ///
  /// - Parameter slots: the slots of the object that the rows are computed from, and nothing else.
  init?(_ plan: QueryPlan, slots: SlotSet) {
    let terms = plan.condition?.terms ?? []
    let planner = AccessPlanner(
      schema: plan.schema, entity: plan.entity, readsEntriesAlone: true)
    let accesses =
      terms.isEmpty
      ? plan.entity.valueIndexes.filter { plan.schema.entities(with: $0.number) == plan.family }
        .map { IndexAccess(whole: $0, of: plan.entity) }
      : planner.accesses(SlotTerms(terms)).filter {
        $0.answered.count == terms.count && $0.range.certainty == .all
      }
    let covered = accesses.compactMap { access -> CoveredAccess? in
      guard slots.isSubset(of: access.index.slots) else { return nil }
      return CoveredAccess(access, slots, plan.sort)
    }
    let best = covered.min { one, two in
      let (first, second) = (
        Selectivity(one.access.widths + [.whole]), Selectivity(two.access.widths + [.whole])
      )
      if first != second { return first < second }
      return one.access.index.partCount < two.access.index.partCount
    }
    guard let best else { return nil }
    self = best
  }

  private init?(_ access: IndexAccess, _ slots: SlotSet, _ sort: [ResolvedSortKey]) {
    self.access = access
    self.slots = slots
    if sort.isEmpty {
      order = nil
      return
    }
    guard let order = IndexOrder(access, by: sort), order.isToTheEnd,
      order.keyCount == sort.count, access.index.hasOnlyWholeValues
    else { return nil }
    self.order = order
  }
}

extension IndexSchema {
  /// More parts of fixed size than these may be cut, as texts and data may be.
  private static let wholePartCountMax = 8

  /// Whether no value is cut.
  fileprivate var hasOnlyWholeValues: Bool {
    partCount <= Self.wholePartCountMax && parts.allSatisfy { !SlotCode($0.kind).isVariable }
  }
}
