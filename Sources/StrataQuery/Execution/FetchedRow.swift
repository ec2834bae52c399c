// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// One result of a fetch.
package struct FetchedRow: Sendable {
  package let key: ObjectKey
  /// The object's record as the read view shows it: always there in the result of a fetch, while
  /// rows are sorted where it was copied anyway.
  package let record: StoredRecord?

  package init(key: ObjectKey, record: StoredRecord?) {
    self.key = key
    self.record = record
  }
}
