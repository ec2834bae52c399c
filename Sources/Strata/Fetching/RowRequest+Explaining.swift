// SPDX-License-Identifier: Apache-2.0
public import StrataQuery

extension RowRequest where Root: ManagedObject {
  /// Executes the request in `context` and reports how: as `explain(_:for:)` of the context does
  /// for objects. "values alone" says that the rows were computed from the values in an index,
  /// without records.
  ///
  /// - Throws: as `fetch(_:)` of the context.
  public func explained(in context: ManagedObjectContext) throws -> QueryExplanation {
    let plan = try context.fetcher.plan(self)
    return try plan.explanation(in: context.fetcher.viewToKeep(for: objects))
  }
}
