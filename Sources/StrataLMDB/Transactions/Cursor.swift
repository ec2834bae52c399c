// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
public import CStrataLMDB
public import StrataPrimitives

/// A position in a tree that moves along its keys in byte order.
///
/// It follows its transaction: when a read transaction was renewed, the next absolute move (first,
/// last, seek) takes the cursor to the new snapshot, so that one cursor serves turn after turn.
///
/// ## Invariants
/// - I1: `raw` belongs to the snapshot of `epoch`. A move of another epoch renews it first.
///
/// ## Lifetime
/// Holds its transaction. `key` and `value` are valid after a move that returned true, until the
/// next move and as long as the transaction's bytes are. A write to the tree invalidates them, and
/// the next step may then be from the entry that took its place. Seek again after a write.
///
/// ## Isolation
/// The isolation of its transaction.
@usableFromInline
package struct Cursor: ~Copyable {
  @usableFromInline let raw: OpaquePointer
  @usableFromInline let transaction: Transaction
  @usableFromInline var epoch: UInt
  @usableFromInline var currentKey = MDB_val()
  @usableFromInline var currentValue = MDB_val()

  @usableFromInline
  init(in tree: Tree, of transaction: Transaction) throws(LMDBError) {
    guard let parent = transaction.raw else { throw .badTransaction }
    if tree != .directory { try transaction.environment.checkWhole() }
    var opened: OpaquePointer?
    try transaction.check(mdb_cursor_open(parent, tree.handle, &opened))
    guard let opened else { throw .outOfMemory }
    raw = opened
    self.transaction = transaction
    epoch = transaction.epoch
  }

  deinit {
    // A write transaction that has ended has freed its cursors.
    if !transaction.freesCursors {
      mdb_cursor_close(raw)
    } else if epoch == transaction.epoch {
      guarded_cursor_close(raw)
    }
  }

  /// The key of the entry that the cursor is on.
  @inlinable package var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(currentKey) }

  /// The value of the entry that the cursor is on.
  @inlinable package var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(currentValue) }

  // MARK: - Absolute moves

  /// Moves to the first entry.
  ///
  /// - Returns: false when the tree is empty.
  /// - Throws: `badTransaction`, `badTree`, `corrupted`, `pageNotFound`, as all moves do.
  @inlinable package mutating func first() throws(LMDBError) -> Bool {
    try follow()
    return try move(MDB_FIRST)
  }

  /// Moves to the last entry.
  ///
  /// - Returns: false when the tree is empty.
  @inlinable package mutating func last() throws(LMDBError) -> Bool {
    try follow()
    return try move(MDB_LAST)
  }

  /// Moves to the first entry whose key is `key` or above.
  ///
  /// - Returns: false when all keys are below.
  /// - Throws: also `badValueSize`.
  @inlinable package mutating func seek(
    atOrAbove key: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    try follow()
    currentKey = try MDB_val(key: key)
    return try move(MDB_SET_RANGE)
  }

  /// Moves to the entry under `key`.
  ///
  /// - Returns: false if there is no such entry; the cursor then has no position.
  /// - Throws: also `badValueSize`.
  @inlinable package mutating func seek(
    exactly key: UnsafeRawBufferPointer
  ) throws(LMDBError) -> Bool {
    try follow()
    currentKey = try MDB_val(key: key)
    return try move(MDB_SET_KEY)
  }

  // MARK: - Steps

  /// Moves to the entry after this one; from nowhere, to the first.
  ///
  /// - Important: After the transaction was renewed, an absolute move comes first.
  /// - Returns: false behind the last entry.
  @inlinable package mutating func next() throws(LMDBError) -> Bool {
    require(epoch == transaction.epoch, "The cursor's snapshot is gone: seek before a step.")
    return try move(MDB_NEXT)
  }

  /// Moves to the entry before this one; from nowhere, to the last.
  ///
  /// - Important: After the transaction was renewed, an absolute move comes first.
  /// - Returns: false before the first entry.
  @inlinable package mutating func previous() throws(LMDBError) -> Bool {
    require(epoch == transaction.epoch, "The cursor's snapshot is gone: seek before a step.")
    return try move(MDB_PREV)
  }

  /// Traps unless the transaction that the cursor writes in is open.
  @inlinable @inline(__always)
  func requireTransaction() {
    require(epoch == transaction.epoch, "The write transaction of the cursor has ended.")
  }

  // MARK: - How it moves

  @inlinable @inline(__always)
  mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    let code = mdb_cursor_get(raw, &currentKey, &currentValue, operation)
    if code == 0 {
      try transaction.check(key: currentKey, value: currentValue)
      return true
    }
    if code == MDB_NOTFOUND { return false }
    throw transaction.failure(code)
  }

  @inlinable @inline(__always)
  mutating func follow() throws(LMDBError) {
    if epoch != transaction.epoch { try renew() }
  }

  /// Takes the cursor to its transaction's present snapshot (lmdb.h: mdb_cursor_renew).
  @usableFromInline
  mutating func renew() throws(LMDBError) {
    guard let parent = transaction.raw else { throw .badTransaction }
    try transaction.check(mdb_cursor_renew(parent, raw))
    epoch = transaction.epoch
  }
}
