// SPDX-License-Identifier: Apache-2.0
public import CStrataLMDB

// MARK: - Entries

extension WriteTransaction {
  /// Puts `value` under `key`. All bytes taken from this transaction before are void.
  ///
  /// - Parameters:
  ///   - key: 1 to `Environment.keyByteCountMax` bytes.
  ///   - value: up to 4 GiB - 1 bytes; may be empty.
  /// - Throws: `keyExists` (`.insert` only), `badValueSize`, `mapFull`, `transactionFull`,
  ///   `diskFull`, `io`, `badTransaction`, `badTree`, `corrupted`.
  /// - Complexity: O(log n) for n entries.
  @inlinable
  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in tree: Tree,
    mode: PutMode = .overwrite
  ) throws(LMDBError) {
    var entry = MDB_val(value)
    try put(key, &entry, in: tree, mode: mode, reserving: 0)
  }

  /// Puts a value of `byteCount` bytes under `key`, which `fill` writes into the page itself, all
  /// of them: they are not cleared before.
  ///
  /// - Important: `fill` must not use the transaction, nor keep the buffer.
  /// - Throws: as `put`.
  @inlinable
  package func put(
    _ key: UnsafeRawBufferPointer, byteCount: Int, in tree: Tree, mode: PutMode = .overwrite,
    fill: (UnsafeMutableRawBufferPointer) -> Void
  ) throws(LMDBError) {
    var entry = MDB_val(mv_size: byteCount, mv_data: nil)
    try put(key, &entry, in: tree, mode: mode, reserving: UInt32(MDB_RESERVE))
    fill(UnsafeMutableRawBufferPointer(start: entry.mv_data, count: byteCount))
  }

  /// Removes the entry under `key`.
  ///
  /// - Returns: whether there was one.
  /// - Throws: as `put`.
  @inlinable
  @discardableResult
  package func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws(LMDBError) -> Bool {
    guard let raw else { throw .badTransaction }
    var sought = try MDB_val(key: key)
    let code = mdb_del(raw, tree.handle, &sought, nil)
    if code == MDB_NOTFOUND { return false }
    try check(code)
    return true
  }

  /// A cursor that puts a sorted batch into `tree`.
  @inlinable
  package func writeCursor(in tree: Tree) throws(LMDBError) -> WriteCursor {
    try WriteCursor(in: tree, of: self)
  }

  @inlinable
  func put(
    _ key: UnsafeRawBufferPointer, _ value: inout MDB_val, in tree: Tree, mode: PutMode,
    reserving flags: UInt32
  ) throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    var sought = try MDB_val(key: key)
    switch mode {
    case .overwrite:
      try check(mdb_put(raw, tree.handle, &sought, &value, flags))
    case .insert:
      let code = mdb_put(raw, tree.handle, &sought, &value, flags | UInt32(MDB_NOOVERWRITE))
      try check(code)
    case .append:
      var code = mdb_put(raw, tree.handle, &sought, &value, flags | UInt32(MDB_APPEND))
      // The key is not above the last one; LMDB has changed nothing.
      if code == MDB_KEYEXIST { code = mdb_put(raw, tree.handle, &sought, &value, flags) }
      try check(code)
    }
  }
}
