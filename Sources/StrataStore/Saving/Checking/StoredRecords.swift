// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel

/// The records of one entity in a transaction, looked up in ascending order of their keys.
///
/// Saves often change neighbours. A key close to the previous one is looked for at the next entry,
/// and searched from the root only if it is farther away. Most new objects have keys above all
/// stored ones, and are not searched at all.
///
/// ## Lifetime
/// Bytes are valid until the next call, at most as long as the transaction.
struct StoredRecords: ~Copyable {
  private var cursor: Cursor
  /// The serial of the last record, or 0.
  private let last: UInt64
  /// The serial of the cursor's record; nil while it has no position.
  private var place: UInt64?

  init(in tree: Tree, of transaction: Transaction) throws(LMDBError) {
    var cursor = try transaction.cursor(in: tree)
    last = try cursor.last() ? RecordKey.number(of: cursor.key) ?? .max : 0
    self.cursor = cursor
  }

  /// The record of `key` in its envelope, unchecked, or nil.
  ///
  /// - Parameter key: above all keys of previous calls.
  mutating func envelope(of key: ObjectKey) throws(LMDBError) -> UnsafeRawBufferPointer? {
    let serial = key.serial
    if serial > last { return nil }
    if let place, RecordKey.isNear(serial, above: place) {
      self.place = try cursor.next() ? RecordKey.number(of: cursor.key) : nil
    }
    if let place, place >= serial { return place == serial ? cursor.value : nil }
    let isThere = try RecordKey(key).withBytes { (bytes) throws(LMDBError) in
      try cursor.seek(exactly: bytes)
    }
    place = isThere ? serial : nil
    return isThere ? cursor.value : nil
  }
}
