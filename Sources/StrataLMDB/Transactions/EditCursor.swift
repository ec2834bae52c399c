// SPDX-License-Identifier: Apache-2.0
public import CGuardedLMDB
public import CStrataLMDB

/// A cursor that reads the entries of one tree and changes them in place.
///
/// It serves values that are changed in part: an entry is read, and put back or removed, with one
/// search.
///
/// After a change the cursor's position is undefined: seek before the next step. (lmdb.h allows
/// more; LMDB 0.9.24 keeps less.)
///
/// ## Lifetime
/// Holds its transaction; must not be used after that has ended. The cursor's `key` and `value` are
/// invalid after any change in the transaction.
///
/// ## Isolation
/// The writer thread.
@usableFromInline
package struct EditCursor: ~Copyable {
  /// The cursor's position. Moving it changes nothing.
  @usableFromInline package var cursor: Cursor
  @usableFromInline let tree: Tree
  @usableFromInline let transaction: WriteTransaction

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
    cursor.requireTransaction()
    var (sought, entry) = (try MDB_val(key: key), MDB_val(value))
    let code = guarded_cursor_put(cursor.raw, &sought, &entry, UInt32(MDB_NOOVERWRITE))
    if code == MDB_KEYEXIST {
      try transaction.check(value: entry)
      transaction.noteRemoved(key, UnsafeRawBufferPointer(entry), in: tree)
      entry = MDB_val(value)
      try transaction.check(guarded_cursor_put(cursor.raw, &sought, &entry, 0))
    } else {
      try transaction.check(code)
    }
    transaction.noteAdded(key, value, in: tree)
  }

  /// Puts `value` under a key that is above all of the tree, which fills pages wholly.
  ///
  /// - Returns: false if the key is not above all: nothing has changed then.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func append(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    cursor.requireTransaction()
    var (sought, entry) = (try MDB_val(key: key), MDB_val(value))
    let code = guarded_cursor_put(cursor.raw, &sought, &entry, UInt32(MDB_APPEND))
    if code == MDB_KEYEXIST { return false }
    try transaction.check(code)
    transaction.noteAdded(key, value, in: tree)
    return true
  }

  /// Removes the entry under `key`.
  ///
  /// - Returns: whether there was one.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  @discardableResult
  package mutating func remove(_ key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
    guard try cursor.seek(exactly: key) else { return false }
    try removeCurrent()
    return true
  }

  /// Removes the entry that the cursor is on.
  ///
  /// - Important: nothing was changed in the tree since the cursor came there.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func removeCurrent() throws(LMDBError) {
    cursor.requireTransaction()
    transaction.noteRemoved(cursor.key, cursor.value, in: tree)
    try transaction.check(guarded_cursor_del(cursor.raw))
  }
}

extension WriteTransaction {
  /// A cursor that changes entries of `tree` in place.
  @inlinable
  package func editCursor(in tree: Tree) throws(LMDBError) -> EditCursor {
    try EditCursor(in: tree, of: self)
  }
}
