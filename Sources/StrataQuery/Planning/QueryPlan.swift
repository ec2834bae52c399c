// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// How a fetch request is carried out: which indexes are walked or that all records are, what is asked
/// of each object found, and how the order comes about.
///
/// A plan depends on the request and the schema alone, never on data, so it can be kept. What it cannot
/// know is how much an index holds: while it is carried out, a source that turns out to be a large part
/// of the entity's objects is given up for a walk over the records, which visits each in a fraction of
/// the time that a look-up takes.
///
/// | file | decides |
/// | --- | --- |
/// | `AccessPlanner` | which sources of keys a condition has |
/// | `AccessChoice` | between them, the order of an index, and the records |
/// | `SourceReader` | on the way, which of several sources pay |
///
/// A class, because a fetch hands it on several times, and all of it is constant.
package final class QueryPlan: Sendable {
  /// Where candidates come from.
  enum Access: Sendable {
    /// Every record of the family, in the order of the keys.
    case records
    /// The entries of an index in the order of the request.
    case inOrder(IndexOrder)
    /// The keys that indexes give, put into the order of the request afterwards.
    case source(CandidateSource)
  }

  package let schema: Schema
  package let entity: EntitySchema
  /// The entities whose objects are results. Ascending.
  package let family: [EntityNumber]
  let access: Access
  /// What to ask of each candidate; nil if the access answers the whole predicate.
  package let filter: (any Condition)?
  /// The whole predicate, for a walk over all records; nil for all objects.
  package let condition: (any Condition)?
  /// What the objects have to be put in order by; without keys, by their own.
  package let sort: [ResolvedSortKey]
  package let limit: Int?
  package let offset: Int

  /// Plans a typed request.
  ///
  /// - Throws: as the untyped one.
  package convenience init<Root>(
    _ request: FetchRequest<Root>, entity: EntitySchema, schema: Schema
  ) throws(QueryError) {
    try self.init(request.untyped, entity: entity, schema: schema)
  }

  /// Plans `request` for the objects of `entity`.
  ///
  /// - Throws: `QueryError`, if the request names what the entity does not have, or compares it with
  ///   what it cannot be.
  package init(
    _ request: UntypedFetchRequest, entity: EntitySchema, schema: Schema
  ) throws(QueryError) {
    let resolver = PathResolver(schema: schema, entity: entity)
    let condition = try request.predicate?.node.resolved(by: resolver)
    var sort: [ResolvedSortKey] = []
    for key in request.sortKeys { sort.append(try ResolvedSortKey(key, resolver)) }
    let choice = AccessChoice(
      condition: condition, sort: sort, isLimited: request.limit != nil,
      AccessPlanner(schema: schema, entity: entity, readsEntriesAlone: false))

    self.schema = schema
    self.entity = entity
    self.condition = condition
    family =
      request.includesSubentities ? entity.family : entity.family.filter { $0 == entity.number }
    access = choice.access
    self.sort = choice.sort
    filter = choice.filter
    limit = request.limit.map { max($0, 0) }
    offset = max(request.offset, 0)
  }

  private init(_ plan: QueryPlan, sort: [ResolvedSortKey]) {
    let choice = AccessChoice(readingEntriesAloneFor: plan, sort: sort)
    schema = plan.schema
    entity = plan.entity
    condition = plan.condition
    family = plan.family
    access = choice.access
    self.sort = choice.sort
    filter = choice.filter
    limit = plan.limit
    offset = plan.offset
  }

  /// The plan for as many objects in whatever order is easiest, for when they are only counted.
  var forCounting: QueryPlan { sort.isEmpty ? forKeys : QueryPlan(self, sort: []) }

  /// The plan for when the objects' keys are wanted alone, so that no record need be read.
  var forKeys: QueryPlan { readsEntriesAlone ? self : QueryPlan(self, sort: sort) }

  /// Whether entries of indexes are all that it takes to find the objects.
  private var readsEntriesAlone: Bool {
    if filter != nil { return false }
    return switch access {
    case .records: condition == nil
    case .inOrder: true
    case .source: sort.isEmpty
    }
  }
}

// MARK: - Description

extension QueryPlan: CustomStringConvertible {
  /// What is used, on one line without user values, such as
  /// "City: index on name (prefix); filter: population >; best by population; limit 50".
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
    if offset > 0 { parts.append("offset \(offset)") }
    if let limit { parts.append("limit \(limit)") }
    return "\(entity.description.name): " + parts.joined(separator: "; ")
  }

  private func keys(_ keys: ArraySlice<ResolvedSortKey>) -> String? {
    keys.isEmpty ? nil : keys.map(\.description).joined(separator: ", ")
  }
}
