// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The plan of a request for rows.
///
/// | rows | source | memory |
/// | --- | --- | --- |
/// | one for each object | the plan of the objects, with its order and window | one row |
/// | distinct | the plan of the objects; the window counts distinct rows | all distinct rows |
/// | grouped | all objects, unordered; the groups are sorted at the end | all groups |
///
/// Rows are grouped if there are group keys, an aggregate among the columns, or a condition on
/// groups. Without group keys, all objects form one group, even if there are no objects.
///
/// ## Isolation
/// Sendable and without state.
package struct RowPlan: Sendable {
  /// The resolved parts of a request for grouped rows.
  struct Groups {
    let keys: [any Operand]
    let aggregates: [RowAggregate]
    let having: (any Condition)?
    /// The order of the groups. If empty, groups are ordered by their first object.
    let sort: [ResolvedSortKey]
  }

  /// The plan of the objects from which the rows are computed.
  package let objects: QueryPlan
  /// The paths of the columns, of the groups and of the condition on groups.
  package let log: PathLog
  let columns: [ResolvedColumn]
  /// The index from which the rows are computed without records; nil if records are read.
  let covered: CoveredRows?
  /// nil if there is one row for each object.
  let groups: Groups?
  let isDistinct: Bool
  let offset: Int
  let limit: Int?

  package var names: [String] { columns.map(\.name) }

  /// Plans a request for rows.
  ///
  /// - Parameters:
  ///   - hasWindowOfObjects: whether offset and limit apply to the objects, instead of the rows.
  ///   - objectLog: records the paths of the objects' predicate and order.
  /// - Throws: the errors of `QueryPlan.init`; `ungroupedProperty`, `misplacedAggregate`,
  ///   `unfitGroupKey`; `toManyProperty` if a column is a to-many relationship.
  package init(
    _ request: UntypedRowRequest, entity: EntitySchema, schema: Schema,
    hasWindowOfObjects: Bool = false, objectLog: PathLog? = nil
  ) throws(QueryError) {
    let log = PathLog()
    self.log = log
    var resolver = PathResolver(schema: schema, entity: entity, log: log)
    var keys: [any Operand] = []
    for node in request.groupKeys {
      let key = try node.resolved(by: resolver.resolving(node.extent))
      guard key is PathOperand || key is IdentityOperand else {
        throw .unfitGroupKey(key.description)
      }
      keys.append(key)
    }
    let grouping = RowGrouping(by: keys)
    resolver.grouping = grouping
    var columns: [ResolvedColumn] = []
    for (name, node) in request.columns {
      let operand = try node.resolved(by: resolver.resolving(node.extent))
      columns.append(ResolvedColumn(operand, name: name))
    }
    let test = request.having
    let having = try test?.resolved(by: resolver.resolving(test?.extent ?? .nothing))
    var source = request.objects
    if !keys.isEmpty || !grouping.aggregates.isEmpty || having != nil {
      var sort: [ResolvedSortKey] = []
      if !hasWindowOfObjects {
        for key in source.sortKeys { sort.append(try ResolvedSortKey(key, resolver)) }
        (source.offset, source.limit) = (0, nil)
      }
      if source.offset == 0, source.limit == nil { source.sortKeys = [] }
      if let ungrouped = grouping.ungrouped { throw ungrouped }
      groups = Groups(keys: keys, aggregates: grouping.aggregates, having: having, sort: sort)
    } else {
      groups = nil
      if request.isDistinct { (source.offset, source.limit) = (0, nil) }
    }
    let hasOwnWindow = (groups != nil || request.isDistinct) && !hasWindowOfObjects
    self.columns = columns
    isDistinct = request.isDistinct
    offset = hasOwnWindow ? request.objects.offset : 0
    limit = hasOwnWindow ? request.objects.limit : nil
    objects = try QueryPlan(source, entity: entity, schema: schema, log: objectLog)
    covered = CoveredRows(of: objects, log, groups)
  }
}
