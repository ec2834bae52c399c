// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// How a fetch request is carried out: which index is walked or that all records are, what is asked
/// of each object found, and how the order comes about.
///
/// A plan depends on the request and the schema alone, never on data, so the same request is always
/// carried out the same way and its plan can be kept. There is one exception: a stretch of an index
/// that turns out to hold a large part of the entity's objects is given up for a walk over the
/// records, which visits each in a fraction of the time that a look-up takes.
///
/// ## How it is chosen
/// 1. The narrowest stretch of an index that the predicate's terms allow: equal values before a
///    prefix before a range with two ends before one with one end.
/// 2. A range with one end gives way to the index of the first sort key if there is a limit.
/// 3. Without a stretch, the index of the first sort key, if there is a limit or nothing to filter.
/// 4. Else all records.
package struct QueryPlan: Sendable {
  /// Where candidates come from.
  package enum Access: Sendable {
    /// Every record of the family, in the order of the keys.
    case records
    /// The entries of an index within a stretch.
    case index(IndexSchema, KeyStretch)
  }

  /// How candidates come into the order of the request.
  package enum Ordering: Sendable, Hashable {
    /// They come in it: an index's entries, reversed if descending. Entries with one value are put
    /// in the order of the remaining sort keys, then of the objects' keys.
    case byIndex(isReversed: Bool)
    /// By object key, in which they come.
    case byKey
    /// By object key, into which they are sorted.
    case sortingKeys
    /// By sort keys.
    case sorting
  }

  package let schema: Schema
  package let entity: EntitySchema
  /// The entities whose objects are results. Ascending.
  package let family: [EntityNumber]
  package let access: Access
  package let ordering: Ordering
  /// What to ask of each candidate; nil if the access answers the whole predicate.
  package let filter: (any Condition)?
  /// The whole predicate, for a walk over all records; nil for all objects.
  package let condition: (any Condition)?
  package let sort: [ResolvedSortKey]
  package let limit: Int?
  package let offset: Int

  /// Plans a typed request.
  ///
  /// - Throws: as the untyped one.
  package init<Root>(
    _ request: FetchRequest<Root>, entity: EntitySchema, schema: Schema
  ) throws(QueryError) {
    try self.init(request.untyped, entity: entity, schema: schema)
  }

  private init(_ plan: QueryPlan, _ choice: AccessChoice) {
    schema = plan.schema
    entity = plan.entity
    condition = plan.condition
    sort = []
    family = plan.family
    access = choice.access
    ordering = choice.ordering
    filter = choice.filter
    limit = plan.limit
    offset = plan.offset
  }

  /// The plan for as many objects in whatever order is easiest, for when they are only counted.
  var unordered: QueryPlan {
    QueryPlan(
      self,
      AccessChoice(condition: condition, sort: [], isLimited: limit != nil, entity: entity))
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
      condition: condition, sort: sort, isLimited: request.limit != nil, entity: entity)

    self.schema = schema
    self.entity = entity
    self.condition = condition
    self.sort = sort
    family =
      request.includesSubentities ? entity.family : entity.family.filter { $0 == entity.number }
    access = choice.access
    ordering = choice.ordering
    filter = choice.filter
    limit = request.limit
    offset = request.offset
  }
}

// MARK: - Description

extension QueryPlan: CustomStringConvertible {
  /// What is used, without user values, such as
  /// "City: index on name (prefix); filter: population >; best by population; limit 50".
  package var description: String {
    var parts: [String] = []
    switch access {
    case .records: parts.append("all records")
    case .index(let index, let stretch):
      let name = entity.description.properties[index.slot].name
      let isWhole = stretch.ranges == .all
      parts.append("index on \(name)" + (isWhole ? "" : " (\(stretch.width.rawValue))"))
    }
    if let filter { parts.append("filter: \(filter)") }
    switch ordering {
    case .byIndex(let isReversed): parts.append(isReversed ? "in reverse order" : "in order")
    case .byKey, .sortingKeys: break
    case .sorting:
      let keys = sort.map(\.description).joined(separator: ", ")
      parts.append((limit == nil ? "sorted by " : "best by ") + keys)
    }
    if offset > 0 { parts.append("offset \(offset)") }
    if let limit { parts.append("limit \(limit)") }
    return "\(entity.description.name): " + parts.joined(separator: "; ")
  }
}
