// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// How rows of columns are fetched.
///
/// | rows | where they come from | memory |
/// | --- | --- | --- |
/// | one for each object | the plan of the objects, its order and window | one row |
/// | distinct | the same without the window, which counts distinct rows | all distinct rows |
/// | grouped | all objects in whatever order; groups are put in order at the end | all groups |
///
/// Rows are grouped if there is something to group by, an aggregate among the columns, or a condition
/// on groups; without anything to group by all objects are one group, even if there are none.
///
/// ## Isolation
/// Sendable and without state.
package struct RowPlan: Sendable {
  /// What becomes of groups.
  struct Groups {
    let keys: [any Operand]
    let aggregates: [RowAggregate]
    let having: (any Condition)?
    /// The order of the groups; by the first object of each if there is none.
    let sort: [ResolvedSortKey]
  }

  /// Which objects are looked at.
  let objects: QueryPlan
  let columns: [ResolvedColumn]
  /// nil for a row for each object.
  let groups: Groups?
  let isDistinct: Bool
  let offset: Int
  let limit: Int?

  /// The names of the columns.
  package var names: [String] { columns.map(\.name) }

  /// - Parameter hasWindowOfObjects: whether offset and limit say which objects are looked at, instead
  ///   of which rows come out.
  /// - Throws: as `QueryPlan.init`; `ungroupedProperty`, `misplacedAggregate`, `unfitGroupKey`; as for
  ///   an object, if a relationship's members are asked for.
  package init(
    _ request: UntypedRowRequest, entity: EntitySchema, schema: Schema,
    hasWindowOfObjects: Bool = false
  ) throws(QueryError) {
    var resolver = PathResolver(schema: schema, entity: entity)
    var keys: [any Operand] = []
    for node in request.groupKeys {
      let key = try node.resolved(by: resolver)
      guard key is PathOperand || key is IdentityOperand else {
        throw .unfitGroupKey(key.description)
      }
      keys.append(key)
    }
    let grouping = RowGrouping(by: keys)
    resolver.grouping = grouping
    var columns: [ResolvedColumn] = []
    for (name, node) in request.columns {
      columns.append(ResolvedColumn(try node.resolved(by: resolver), name: name))
    }
    let having = try request.having?.resolved(by: resolver)
    var source = request.objects
    if !keys.isEmpty || !grouping.aggregates.isEmpty || having != nil {
      var sort: [ResolvedSortKey] = []
      if !hasWindowOfObjects {
        for key in source.sortKeys {
          grouping.note(try resolver.end(of: PathReference([key.keyPath])), entity)
          sort.append(try ResolvedSortKey(key, resolver))
        }
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
    objects = try QueryPlan(source, entity: entity, schema: schema)
  }
}
