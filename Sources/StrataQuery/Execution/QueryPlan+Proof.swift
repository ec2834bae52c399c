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
    guard let condition else { return nil }
    let reader = RowReader(view: view)
    var impostor: ObjectKey?
    try view.snapshot.visitRecords(of: keys) { key, _, bytes in
      guard impostor == nil else { return }
      guard family.contains(key.entity), let layout = schema.layout(of: key.entity),
        let row = bytes.flatMap({ Row(key, 0, $0, layout) }), try condition.isTrue(of: row, reader)
      else {
        impostor = key
        return
      }
    }
    return impostor
  }
}
