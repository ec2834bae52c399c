// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel
import StrataRecord

extension QueryPlan {
  /// Returns the first of `keys` with a record that does not satisfy the request. An index has
  /// named that object and is damaged. A fetch trusts its indexes; code that deletes objects does
  /// not.
  ///
  /// - Parameter keys: the keys of objects that `fetchKeys` has found in `view`. All changes of the
  ///   view are in the store.
  /// - Throws: errors of the store.
  /// - Complexity: O(keys), one record each; O(1) for a request without a predicate.
  package func impostor(among keys: [ObjectKey], in view: ReadView) throws -> ObjectKey? {
    guard condition != nil else { return nil }
    let matching = try matching(keys, in: view)
    return zip(keys, matching).first { $0 != $1 }?.0 ?? keys.dropFirst(matching.count).first
  }

  /// Returns the keys that lead to objects of the request's entity that satisfy its
  /// predicate, in the same order.
  ///
  /// - Parameter view: a view whose changes are all in the store.
  /// - Throws: errors of the store.
  /// - Complexity: O(keys), one record each.
  package func matching(_ keys: [ObjectKey], in view: ReadView) throws -> [ObjectKey] {
    let reader = RowReader(view: view)
    var matching: [ObjectKey] = []
    matching.reserveCapacity(keys.count)
    try view.snapshot.visitRecords(of: keys) { key, _, bytes in
      guard family.contains(key.entity), let layout = schema.layout(of: key.entity),
        let row = bytes.flatMap({ Row(key, 0, $0, layout) }),
        try condition?.isTrue(of: row, reader) ?? true
      else { return }
      matching.append(key)
    }
    return matching
  }
}
