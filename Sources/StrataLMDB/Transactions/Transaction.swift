// SPDX-License-Identifier: Apache-2.0
public import CStrataLMDB
import StrataPrimitives

/// The common part of read and write transactions: lookups and cursors in one snapshot.
///
/// A function can then read from a snapshot and from a write transaction alike.
///
/// ## Invariants
/// - I1: `raw` is nil from the end of a write transaction on; a read transaction keeps its pointer
///   until deinit, because LMDB refuses by itself to use one that was reset.
/// - I2: `epoch` grows whenever the snapshot behind the transaction ends. A cursor of an older
///   epoch does not touch its former page.
///
/// ## Lifetime
/// Bytes that a lookup returns are in the file's map, or in a page that is being written. They are
/// valid until the transaction ends or is renewed and, in a write transaction, until the next write
/// of any kind in it. Copy bytes to keep them longer.
///
/// ## Isolation
/// Not Sendable: one isolation at a time. A read transaction may be sent to another; a write
/// transaction stays on the writer thread.
@usableFromInline
package class Transaction {
  @usableFromInline final let environment: Environment
  // Safety: the exclusivity checks cost 5 % of a lookup (Tests/LMDBCost). Nothing holds an
  // access to these two across a call, and the class is not Sendable.
  @exclusivity(unchecked) @usableFromInline final var raw: OpaquePointer?
  @exclusivity(unchecked) @usableFromInline final var epoch: UInt = 0
  /// Whether there is a snapshot behind the transaction.
  final var isLive = true

  init(environment: Environment, raw: OpaquePointer) {
    self.environment = environment
    self.raw = raw
  }

  /// Whether the transaction's end frees its cursors (lmdb.h: mdb_cursor_open).
  @usableFromInline var freesCursors: Bool { stopProgram("Read or write.") }

  /// The value under `key`, or nil. See Lifetime for how long the bytes are good.
  ///
  /// - Throws: `badValueSize`, `badTransaction`, `badTree`, `corrupted`, `pageNotFound`.
  /// - Complexity: O(log n) for n entries.
  @inlinable
  package final func get(
    _ key: UnsafeRawBufferPointer, in tree: Tree
  ) throws(LMDBError) -> UnsafeRawBufferPointer? {
    guard let raw else { throw .badTransaction }
    if !environment.isChecked, tree != .directory { return try getInUncheckedFile(key, in: tree) }
    var sought = try MDB_val(key: key)
    var found = MDB_val()
    let code = mdb_get(raw, tree.handle, &sought, &found)
    if code == 0 {
      try check(value: found)
      return UnsafeRawBufferPointer(found)
    }
    if code == MDB_NOTFOUND { return nil }
    throw failure(code)
  }

  /// A cursor on `tree`, not yet on any entry.
  ///
  /// - Throws: `badTransaction`, `badTree`, `outOfMemory`.
  @inlinable
  package final func cursor(in tree: Tree) throws(LMDBError) -> Cursor {
    try Cursor(in: tree, of: self)
  }

  /// The number of the snapshot: the number of the commit that made it, or that this transaction
  /// will make.
  package final var transactionID: UInt64 { raw.map { UInt64(mdb_txn_id($0)) } ?? 0 }

  /// The names of all trees in the file, in byte order.
  package final func treeNames() throws(LMDBError) -> [String] {
    var names: [String] = []
    var cursor = try cursor(in: .directory)
    while try cursor.next() {
      if cursor.key.first == Self.firstByteOfNotes { continue }
      names.append(String(decoding: cursor.key, as: UTF8.self))
    }
    return names
  }

  /// Size and shape of `tree`. O(1).
  package final func statistics(of tree: Tree) throws(LMDBError) -> TreeStatistics {
    guard let raw else { throw .badTransaction }
    var statistics = MDB_stat()
    try check(mdb_stat(raw, tree.handle, &statistics))
    return TreeStatistics(statistics)
  }

  /// Size and shape of the trees that LMDB keeps for itself: of the names, and of the free pages.
  package final func statisticsOfOwnTrees() throws(LMDBError) -> [TreeStatistics] {
    [try statistics(of: .directory), try statistics(of: .freePages)]
  }

  // MARK: - Errors

  @inlinable @inline(__always)
  final func check(_ code: Int32) throws(LMDBError) {
    if code != 0 { throw failure(code) }
  }

  // LMDB takes the lengths of an entry's key and value from the entry, which may be damaged. It has
  // read the bytes before them itself, so an entry that ends in the same page of the system is
  // readable. Most entries do, and need no further check. Longer ones are compared with the file's
  // range.

  /// - Throws: `corrupted` if the value of an entry that was found goes beyond the file's end.
  @inlinable @inline(__always)
  final func check(value: MDB_val) throws(LMDBError) {
    if !value.endsInSamePage(as: value.mv_data) { try check(long: value) }
  }

  /// - Throws: `corrupted` if the key or the value of an entry goes beyond the file's end.
  @inlinable @inline(__always)
  final func check(key: MDB_val, value: MDB_val) throws(LMDBError) {
    // A key precedes its value, unless that has pages of its own.
    if value.endsInSamePage(as: key.mv_data) { return }
    try check(long: key)
    try check(long: value)
  }

  @inline(never)
  @usableFromInline final func check(long bytes: MDB_val) throws(LMDBError) {
    guard try environment.mapped.holds(bytes, in: environment) ?? freesCursors else {
      throw .corrupted
    }
  }

  /// The error for a code of an operation of this transaction. To LMDB, an unknown tree, and any
  /// tree after a reset, is an invalid argument.
  @usableFromInline
  final func failure(_ code: Int32) -> LMDBError {
    if code == EINVAL { return isLive ? .badTree : .badTransaction }
    return environment.failure(code)
  }
}

// MARK: - Bytes

extension MDB_val {
  /// - Throws: `badValueSize` for a key that no tree can hold.
  @inlinable @inline(__always)
  init(key: UnsafeRawBufferPointer) throws(LMDBError) {
    guard 1...Environment.keyByteCountMax ~= key.count else { throw .badValueSize }
    self.init(key)
  }

  /// Whether the last of these bytes is in the same page of the system as the byte before `start`.
  @inlinable @inline(__always)
  func endsInSamePage(as start: UnsafeMutableRawPointer?) -> Bool {
    let before = UInt(bitPattern: start) &- 1
    let last = UInt(bitPattern: mv_data) &+ UInt(bitPattern: mv_size) &- 1
    return before ^ last < SystemPage.byteCount
  }

  /// liblmdb takes mutable pointers even for input that it only reads.
  @inlinable @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }
}

extension UnsafeRawBufferPointer {
  @inlinable @inline(__always)
  init(_ value: MDB_val) {
    self.init(start: value.mv_data, count: value.mv_size)
  }
}
