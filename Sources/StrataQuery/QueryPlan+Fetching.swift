// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel

extension QueryPlan {
  /// The objects that the request is about, in its order, as `view` shows them: saved and pending in
  /// any layer alike.
  ///
  /// - Throws: what the store throws.
  /// - Complexity: O(results + pending matches) with an index that fits; O(objects of the entity)
  ///   without one.
  package func fetch(in view: ReadView) throws -> [FetchedRow] {
    try FetchSession.rows(of: self, in: view)
  }

  /// The keys of the objects that `fetch` would return. A request that an index answers alone reads
  /// no record at all.
  ///
  /// - Throws: what the store throws.
  package func fetchKeys(in view: ReadView) throws -> [ObjectKey] {
    try FetchSession.keys(of: self, in: view)
  }

  /// How many rows `fetch` would return. Core Data: `count(for:)`.
  ///
  /// No record is read if an index answers the predicate, or if there is none; then the store's own
  /// count is corrected by what is pending.
  ///
  /// - Throws: what the store throws.
  package func count(in view: ReadView) throws -> Int {
    if condition == nil {
      var count = 0
      for entity in family { count += try countAll(of: entity, in: view) }
      return min(max(count - offset, 0), limit ?? .max)
    }
    return try unordered.fetchKeys(in: view).count
  }

  private func countAll(of entity: EntityNumber, in view: ReadView) throws -> Int {
    var count = try view.snapshot.count(of: entity)
    for (key, change) in view.pendingObjects(of: entity) {
      if try view.snapshot.contains(key) { count -= 1 }
      if change.kind != .delete { count += 1 }
    }
    return count
  }
}
