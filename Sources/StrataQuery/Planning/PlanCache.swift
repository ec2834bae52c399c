// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The plans of a context's latest requests, to be used again with other constants.
///
/// Most requests of a program have a few forms: `name ==` a constant, in the order of `age`, the
/// first 50. Planning takes longer than reading the few entries of such a request. The plan of a
/// form is kept if one index answers the predicate: then only the range of the index depends on the
/// constant. All other requests are planned each time.
///
/// Forms are compared by the identity of key paths, which is a comparison of addresses. The cache
/// retains the key paths, so that no other takes their address.
///
/// ## Invariants
/// - I1 A plan from the cache is the one that planning the request anew would give. A constant with
///   which planning could decide otherwise is planned anew: nil, a value of another type, a text
///   that is cut in the index.
///
/// ## Isolation
/// The isolation of its context.
package final class PlanCache {
  private struct Known {
    let entity: EntitySchema
    let term: ConstantTerm
    let request: UntypedFetchRequest
    let plan: QueryPlan
    let condition: SlotCondition

    func hasForm(
      of other: UntypedFetchRequest, _ otherTerm: ConstantTerm, _ otherEntity: EntitySchema
    ) -> Bool {
      term.hasForm(of: otherTerm) && entity === otherEntity
        && request.includesSubentities == other.includesSubentities
        && (request.limit == nil) == (other.limit == nil)
        && request.sortKeys.count == other.sortKeys.count
        && zip(request.sortKeys, other.sortKeys).allSatisfy { $0.hasForm(of: $1) }
    }
  }

  private var all: [Known] = []
  /// The next plan to replace, when there are too many.
  private var next = 0

  private static let countMax = 32

  package init() {}

  /// Plans a request.
  ///
  /// - Throws: as `QueryPlan.init(_:entity:schema:log:)`.
  /// - Complexity: O(forms), for a request whose form is known.
  package func plan<Root>(
    _ request: FetchRequest<Root>, entity: EntitySchema, schema: Schema
  ) throws(QueryError) -> QueryPlan {
    let request = request.untyped
    guard let term = request.predicate?.node.constantTerm else {
      return try QueryPlan(request, entity: entity, schema: schema)
    }
    let known = all.first { $0.hasForm(of: request, term, entity) }
    if let known, let condition = known.condition.with(term.constant),
      let plan = known.plan.with(condition, limit: request.limit, offset: request.offset)
    {
      return plan
    }
    let plan = try QueryPlan(request, entity: entity, schema: schema)
    if known == nil, let condition = plan.condition as? SlotCondition,
      plan.with(condition, limit: plan.limit, offset: plan.offset) != nil
    {
      keep(
        Known(entity: entity, term: term, request: request, plan: plan, condition: condition))
    }
    return plan
  }

  private func keep(_ known: Known) {
    if all.count < Self.countMax { return all.append(known) }
    all[next] = known
    next = (next + 1) % Self.countMax
  }
}

extension SortKey {
  fileprivate func hasForm(of other: SortKey) -> Bool {
    guard let keyPath = operand.keyPath, order == other.order else { return false }
    return keyPath === other.operand.keyPath
  }
}
