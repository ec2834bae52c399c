// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

// What lies below a context's own changes: what a merge brings them onto.

extension ReadView {
  /// The object's state without the context's own changes.
  package func findInherited(_ key: ObjectKey) throws -> Found {
    for segment in inherited {
      guard let change = segment.change(for: key) else { continue }
      guard let record = change.record else { return .deleted }
      return .record(StoredRecord(record: record, generation: change.base?.generation ?? 0))
    }
    guard let stored = try snapshot.record(for: key) else { return .absent }
    return .record(stored)
  }
}
