// SPDX-License-Identifier: Apache-2.0
public import CGuardedLMDB
public import CStrataLMDB
public import StrataPrimitives

/// Puts a batch of entries into one tree, fastest in key order.
///
/// An entry of a sorted batch is mostly put beside the entry before it, so the cursor keeps its
/// position and skips the search from the root. Keys above the tree's last are appended, which
/// fills pages wholly instead of splitting them in halves. MDB_APPEND is used only there: another
/// process's keys may be in between.
///
/// ## States
/// Appending, inserting (below a last key).
/// - appending → inserting: a key is not above the tree's last, which is then remembered.
/// - inserting → appending: a key is above the remembered last. A remembered key may be outdated by
///   other writes in the transaction. That costs time, never order: LMDB compares again before it
///   appends.
///
/// ## Lifetime
/// Holds its transaction; must not be used after that has ended.
///
/// ## Isolation
/// The writer thread.
@usableFromInline
package struct WriteCursor: ~Copyable {
  @usableFromInline var cursor: Cursor
  @usableFromInline let tree: Tree
  @usableFromInline let transaction: WriteTransaction
  /// The tree's last key while inserting, nil while appending.
  @usableFromInline var lastKey: [UInt8]?
  /// Whether the cursor is on an entry that `overwrite` has just written: nothing has moved there.
  @usableFromInline var isOnEntry = false

  @usableFromInline
  init(in tree: Tree, of transaction: WriteTransaction) throws(LMDBError) {
    cursor = try transaction.cursor(in: tree)
    (self.tree, self.transaction) = (tree, transaction)
  }

  /// Puts `value` under `key`, replacing an existing entry.
  ///
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(LMDBError) {
    var entry = MDB_val(value)
    try put(key, &entry, reserving: 0)
    transaction.noteAdded(key, value, in: tree)
  }

  /// Puts a value of `byteCount` bytes under `key`, which `fill` writes into the page itself.
  ///
  /// - Important: `fill` must write all bytes, use no transaction and not keep the buffer.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func put(
    _ key: UnsafeRawBufferPointer, byteCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(LMDBError) {
    var entry = MDB_val(mv_size: byteCount, mv_data: nil)
    try put(key, &entry, reserving: UInt32(MDB_RESERVE))
    fill(UnsafeMutableRawBufferPointer(start: entry.mv_data, count: byteCount))
    transaction.noteAdded(
      key, UnsafeRawBufferPointer(start: entry.mv_data, count: byteCount), in: tree)
  }

  /// Puts `value` under `key`, which is expected to have a value of the same length: that is
  /// overwritten in place. If `key` comes right after the one overwritten before, it is found by a
  /// step.
  ///
  /// - Parameter isNext: whether that is likely; if it is wrong, `key` is searched for.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func overwrite(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isNext: Bool
  ) throws(LMDBError) {
    cursor.requireTransaction()
    var isThere = false
    if isNext, isOnEntry, try cursor.next() { isThere = cursor.key.isEqual(to: key) }
    if !isThere { isThere = try cursor.seek(exactly: key) }
    isOnEntry = isThere && cursor.value.count == value.count
    guard isOnEntry else { return try put(key, value) }
    transaction.noteRemoved(key, cursor.value, in: tree)
    // The caller's key and not the cursor's: if the value does not fit, LMDB moves entries of the
    // page to make room, and would put the entry under the key that is there then.
    var (current, entry) = (try MDB_val(key: key), MDB_val(value))
    try cursor.transaction.check(
      guarded_cursor_put(cursor.raw, &current, &entry, UInt32(MDB_CURRENT)))
    transaction.noteAdded(key, value, in: tree)
  }

  /// Puts an entry; the caller notes that it was added.
  @inlinable
  mutating func put(
    _ key: UnsafeRawBufferPointer, _ value: inout MDB_val, reserving flags: UInt32
  ) throws(LMDBError) {
    cursor.requireTransaction()
    isOnEntry = false
    var sought = try MDB_val(key: key)
    if lastKey?.withUnsafeBytes({ $0.isBelow(key) }) ?? true {
      let code = guarded_cursor_put(cursor.raw, &sought, &value, flags | UInt32(MDB_APPEND))
      if code == 0 {
        lastKey = nil
        return
      }
      if code != MDB_KEYEXIST { throw cursor.transaction.failure(code) }
      if try cursor.last() { lastKey = [UInt8](cursor.key) }
    }
    let wanted = value
    let code = guarded_cursor_put(cursor.raw, &sought, &value, flags | UInt32(MDB_NOOVERWRITE))
    guard code == MDB_KEYEXIST else { return try cursor.transaction.check(code) }
    try cursor.transaction.check(value: value)
    transaction.noteRemoved(key, UnsafeRawBufferPointer(value), in: tree)
    value = wanted
    try cursor.transaction.check(guarded_cursor_put(cursor.raw, &sought, &value, flags))
  }
}
