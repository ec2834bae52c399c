// SPDX-License-Identifier: Apache-2.0
public import CStrataLMDB

/// A cursor that looks at the entries of one tree and changes them where it stands.
///
/// It exists for values that are changed in part: what lies there is read, and put back or removed,
/// with one search.
///
/// After a change the cursor stands nowhere in particular: seek before the next step. (lmdb.h allows
/// more; LMDB 0.9.24 keeps less.)
///
/// ## Lifetime
/// Holds its transaction; must not be used after that has ended. `key` and `value` are void after a
/// change of anything in the transaction.
///
/// ## Isolation
/// The writer thread.
@usableFromInline
package struct EditCursor: ~Copyable {
  @usableFromInline var cursor: Cursor

  @usableFromInline
  init(in tree: Tree, of transaction: WriteTransaction) throws(LMDBError) {
    cursor = try transaction.cursor(in: tree)
  }

  /// The key of the entry that the cursor is on.
  @inlinable package var key: UnsafeRawBufferPointer { cursor.key }

  /// The value of the entry that the cursor is on.
  @inlinable package var value: UnsafeRawBufferPointer { cursor.value }

  // MARK: - Moving

  /// As `Cursor.last`.
  @inlinable package mutating func last() throws(LMDBError) -> Bool { try cursor.last() }

  /// As `Cursor.seek(atOrAbove:)`.
  @inlinable package mutating func seek(
    atOrAbove key: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    try cursor.seek(atOrAbove: key)
  }

  /// As `Cursor.next`.
  @inlinable package mutating func next() throws(LMDBError) -> Bool { try cursor.next() }

  /// As `Cursor.previous`.
  @inlinable package mutating func previous() throws(LMDBError) -> Bool { try cursor.previous() }

  // MARK: - Changing

  /// Puts `value` under `key`, replacing what lies there.
  ///
  /// - Parameter isLast: whether all keys of the tree are known to be below; then pages are filled
  ///   wholly. If it is not so after all, the entry is put where it belongs.
  /// - Throws: as `WriteTransaction.put`.
  @inlinable
  package mutating func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isLast: Bool
  ) throws(LMDBError) {
    precondition(
      cursor.epoch == cursor.transaction.epoch, "The write transaction of the cursor has ended.")
    var sought = try MDB_val(key: key)
    var entry = MDB_val(value)
    if isLast {
      let code = mdb_cursor_put(cursor.raw, &sought, &entry, UInt32(MDB_APPEND))
      if code == 0 { return }
      // LMDB has changed nothing.
      if code != MDB_KEYEXIST { throw cursor.transaction.failure(code) }
    }
    let code = mdb_cursor_put(cursor.raw, &sought, &entry, 0)
    try cursor.transaction.check(code)
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
    precondition(
      cursor.epoch == cursor.transaction.epoch, "The write transaction of the cursor has ended.")
    let code = mdb_cursor_del(cursor.raw, 0)
    try cursor.transaction.check(code)
  }
}

extension WriteTransaction {
  /// A cursor that changes entries of `tree` where they lie.
  @inlinable
  package func editCursor(in tree: Tree) throws(LMDBError) -> EditCursor {
    try EditCursor(in: tree, of: self)
  }
}
