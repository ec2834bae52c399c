// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel
import StrataRecord

extension QueryPlan {
  /// The first of `keys` that its own record does not make a result: an index has named it, and is
  /// damaged. A fetch believes its indexes; what deletes objects does not.
  ///
  /// - Parameter keys: of objects that `fetchKeys` has found in `view`, whose changes are all in the
  ///   store.
  /// - Throws: what the store throws.
  /// - Complexity: O(keys), a record each; O(1) for a request without a predicate.
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
