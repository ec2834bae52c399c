// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// One object during a fetch: its key and the bytes of its record, in the store or in memory.
/// Conditions read rows. A row is borrowed; the owned form is `StoredRecord`.
///
/// - Important: the row points to bytes of the code that passes it, and is valid only during that
///   call.
package struct Row {
  package let key: ObjectKey
  package let start: UnsafeRawPointer
  // Safety: the schema retains its layouts, and the code that passes a row retains the schema. A
  // walk copies a row for each object, so a row does no reference counting.
  package unowned(unsafe) let layout: RecordLayout
  /// The generation of the store's record on which the bytes are based.
  package let generation: UInt64
  private let byteCount: Int
  // Safety: valid during the call that passes the row, like the bytes.
  /// The record that contains the bytes, if it is in memory.
  private let record: UnsafePointer<Record>?

  /// - Parameter bytes: the bytes of a record.
  /// - Returns: nil if `bytes` is empty.
  init?(
    _ key: ObjectKey, _ generation: UInt64, _ bytes: UnsafeRawBufferPointer, _ layout: RecordLayout
  ) {
    guard let start = bytes.baseAddress else { return nil }
    self.init(key: key, start: start, layout: layout, generation, byteCount: bytes.count, nil)
  }

  /// Creates a row that is read but never kept.
  init(key: ObjectKey, start: UnsafeRawPointer, layout: RecordLayout) {
    self.init(key: key, start: start, layout: layout, 0, byteCount: 0, nil)
  }

  fileprivate init(
    key: ObjectKey, start: UnsafeRawPointer, layout: RecordLayout, _ generation: UInt64,
    byteCount: Int, _ record: UnsafePointer<Record>?
  ) {
    self.key = key
    self.start = start
    self.layout = layout
    self.generation = generation
    self.byteCount = byteCount
    self.record = record
  }

  /// Returns the record. The bytes are copied unless the record is in memory.
  package func kept(in arena: inout RecordArena) -> Record {
    record?.pointee ?? arena.append(copying: UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  /// Returns the owned form of the row.
  func owned(in arena: inout RecordArena) -> StoredRecord {
    StoredRecord(record: kept(in: &arena), generation: generation)
  }
}

@available(*, unavailable)
extension Row: Sendable {}

extension Record {
  /// Calls `body` with the record as the row of an object.
  package func withRow<R>(
    of key: ObjectKey, _ layout: RecordLayout, generation: UInt64 = 0, _ body: (Row) throws -> R
  ) rethrows -> R {
    try withUnsafePointer(to: self) { record in
      try body(
        Row(key: key, start: start, layout: layout, generation, byteCount: byteCount, record))
    }
  }
}
