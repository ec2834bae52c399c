// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// One object on its way through a fetch: its key, and its record's bytes wherever they lie. That is what
/// conditions see. It is the borrowed form; the owned one is `StoredRecord`.
///
/// - Important: it points to bytes that belong to the code that shows it, and is valid during that call.
package struct Row {
  package let key: ObjectKey
  package let start: UnsafeRawPointer
  // Safety: the schema holds its layouts, and the code that shows a row holds the schema. A row is
  // copied for each object of a walk, and so counts no references.
  package unowned(unsafe) let layout: RecordLayout
  /// The generation of the store's record that the bytes go back to.
  package let generation: UInt64
  private let byteCount: Int
  // Safety: valid during the call that shows the row, as the bytes are.
  /// The record that the bytes are of, if it is in memory.
  private let record: UnsafePointer<Record>?

  /// - Parameter bytes: of a record.
  /// - Returns: nil if there are none.
  init?(
    _ key: ObjectKey, _ generation: UInt64, _ bytes: UnsafeRawBufferPointer, _ layout: RecordLayout
  ) {
    guard let start = bytes.baseAddress else { return nil }
    self.init(key: key, start: start, layout: layout, generation, byteCount: bytes.count, nil)
  }

  /// A row that is read, but never kept.
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

  /// The record, copied unless it is in memory.
  package func kept(in arena: inout RecordArena) -> Record {
    record?.pointee ?? arena.append(copying: UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  /// The owned form.
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
