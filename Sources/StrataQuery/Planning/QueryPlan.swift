// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// The plan of a fetch request: the access to candidates, the conditions to evaluate for each
/// candidate, and the order.
///
/// A plan depends only on the request and the schema, never on data, so it can be cached. It does
/// not know the number of entries in an index. During execution, a source that contains a large
/// part of the entity's objects is given up for a walk over the records, which reads each in a
/// fraction of the time of a look-up.
///
/// | file | decides |
/// | --- | --- |
/// | `AccessPlanner` | the sources of keys for a condition |
/// | `AccessChoice` | between sources, the order of an index, and the records |
/// | `SourceReader` | during execution, which of several sources are worthwhile |
///
/// A class, because a fetch passes the plan on several times, and all of it is constant.
///
/// ## Isolation
/// Sendable: constant.
package final class QueryPlan: Sendable {
  /// The source of candidates.
  enum Access: Sendable {
    /// All records of the family, in the order of the keys.
    case records
    /// The entries of an index in the order of the request.
    case inOrder(IndexOrder)
    /// The keys from indexes, sorted afterwards.
    case source(CandidateSource)
  }

  package let schema: Schema
  package let entity: EntitySchema
  /// The entities of the results, in ascending order.
  package let family: [EntityNumber]
  private let choice: AccessChoice
  var access: Access { choice.access }
  /// The condition to evaluate for each candidate; nil if the access answers the whole predicate.
  package var filter: (any Condition)? { choice.filter }
  /// The whole predicate, for a walk over all records; nil for all objects.
  package let condition: (any Condition)?
  /// The sort keys. If empty, objects are in the order of their keys.
  package var sort: [ResolvedSortKey] { choice.sort }
  package let limit: Int?
  package let offset: Int

  /// Plans a typed request.
  ///
  /// - Parameter log: records the paths of the predicate and the order.
  /// - Throws: `QueryError` if the request names a property that the entity does not have, or
  ///   compares a property with a constant that does not fit.
  package convenience init<Root>(
    _ request: FetchRequest<Root>, entity: EntitySchema, schema: Schema, log: PathLog? = nil
  ) throws(QueryError) {
    try self.init(request.untyped, entity: entity, schema: schema, log: log)
  }

  /// Plans `request` for the objects of `entity`.
  ///
  /// - Parameter log: records the paths of the predicate and the order.
  /// - Throws: `QueryError` if the request names a property that the entity does not have, or
  ///   compares a property with a constant that does not fit.
  package init(
    _ request: UntypedFetchRequest, entity: EntitySchema, schema: Schema, log: PathLog? = nil
  ) throws(QueryError) {
    let resolver = PathResolver(schema: schema, entity: entity, log: log)
    let node = request.predicate?.node
    let condition = try node?.resolved(by: resolver.resolving(node?.extent ?? .nothing))
    var sort: [ResolvedSortKey] = []
    for key in request.sortKeys { sort.append(try ResolvedSortKey(key, resolver)) }
    choice = AccessChoice(
      condition: condition, sort: sort, isLimited: request.limit != nil,
      AccessPlanner(schema: schema, entity: entity, readsEntriesAlone: false))

    self.schema = schema
    self.entity = entity
    self.condition = condition
    family =
      request.includesSubentities ? entity.family : entity.family.filter { $0 == entity.number }
    limit = request.limit.map { max($0, 0) }
    offset = max(request.offset, 0)
  }

  private init(_ plan: QueryPlan, sort: [ResolvedSortKey]) {
    choice = AccessChoice(readingEntriesAloneFor: plan, sort: sort)
    schema = plan.schema
    entity = plan.entity
    condition = plan.condition
    family = plan.family
    limit = plan.limit
    offset = plan.offset
  }

  /// Returns the plan with another condition, of the same form as this plan's only one; nil unless
  /// planning would choose the same access.
  func with(_ condition: SlotCondition, limit: Int?, offset: Int) -> QueryPlan? {
    guard let choice = choice.with(condition) else { return nil }
    return QueryPlan(self, condition, choice, limit: limit, offset: offset)
  }

  private init(
    _ plan: QueryPlan, _ condition: SlotCondition, _ choice: AccessChoice, limit: Int?, offset: Int
  ) {
    self.choice = choice
    self.condition = condition
    schema = plan.schema
    entity = plan.entity
    family = plan.family
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// The plan for counting the objects, without their order.
  var forCounting: QueryPlan { sort.isEmpty ? forKeys : QueryPlan(self, sort: []) }

  /// The plan for fetching only the objects' keys, which reads no records if possible.
  var forKeys: QueryPlan { choice.readsEntriesAlone ? self : QueryPlan(self, sort: sort) }
}

// MARK: - Description

extension QueryPlan: CustomStringConvertible {
  /// A description of the plan on one line, without user values, such as "City: index on name
  /// (prefix); filter: population >; best by population; limit 50".
  package var description: String {
    var parts: [String] = []
    var ordering: String?
    switch access {
    case .records: parts.append("all records")
    case .inOrder(let order):
      parts.append("index on \(order.access)")
      ordering = order.isReversed ? "in reverse order" : "in order"
      if order.keyCount < sort.count, let next = keys(sort.dropFirst(order.keyCount)) {
        ordering?.append(", then by \(next)")
      }
    case .source(let source): parts.append(source.description)
    }
    if let filter { parts.append("filter: \(filter)") }
    if let ordering {
      parts.append(ordering)
    } else if let keys = keys(sort[...]) {
      parts.append((limit == nil ? "sorted by " : "best by ") + keys)
    }
    return "\(entity.description.name): " + (parts + bounds).joined(separator: "; ")
  }

  /// The descriptions of the offset and the limit, if the request has them.
  var bounds: [String] {
    (offset > 0 ? ["offset \(offset)"] : []) + (limit.map { ["limit \($0)"] } ?? [])
  }

  private func keys(_ keys: ArraySlice<ResolvedSortKey>) -> String? {
    keys.isEmpty ? nil : keys.map(\.description).joined(separator: ", ")
  }
}
