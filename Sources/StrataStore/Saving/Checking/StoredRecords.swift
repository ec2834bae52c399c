// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel

/// The records of one entity as a transaction has them, asked for one by one in the order of their keys.
///
/// Saves often change neighbours: an object close to the one before is looked for at the next entry, and
/// searched from the root only if it is farther away. Most new objects are above all that the store has,
/// and are not looked for.
///
/// ## Lifetime
/// That of its transaction's bytes, and within those until the next question.
struct StoredRecords: ~Copyable {
  private var cursor: Cursor
  /// The serial of the last record; 0 if there is none.
  private let last: UInt64
  /// The serial that the cursor is on; nil while it stands nowhere.
  private var place: UInt64?

  init(in tree: Tree, of transaction: Transaction) throws(LMDBError) {
    var cursor = try transaction.cursor(in: tree)
    last = try cursor.last() ? RecordKey.number(of: cursor.key) ?? .max : 0
    self.cursor = cursor
  }

  /// The record of `key` in its envelope, unchecked; nil if there is none.
  ///
  /// - Parameter key: above all keys that were asked for before.
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
