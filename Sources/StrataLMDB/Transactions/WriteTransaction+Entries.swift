// SPDX-License-Identifier: Apache-2.0
public import CStrataLMDB

// MARK: - Entries

extension WriteTransaction {
  /// Puts `value` under `key`, replacing an existing entry. All bytes taken from this transaction
  /// before become invalid.
  ///
  /// - Parameters:
  ///   - key: 1 to `Environment.keyByteCountMax` bytes.
  ///   - value: up to 4 GiB - 1 bytes; may be empty.
  /// - Throws: `badValueSize`, `mapFull`, `transactionFull`, `diskFull`, `io`, `badTransaction`,
  ///   `badTree`, `corrupted`.
  /// - Complexity: O(log n) for n entries.
  @inlinable
  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in tree: Tree
  ) throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    var (sought, entry) = (try MDB_val(key: key), MDB_val(value))
    try check(mdb_put(raw, tree.handle, &sought, &entry, 0))
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
}
