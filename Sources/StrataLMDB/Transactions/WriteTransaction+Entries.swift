// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
import CStrataLMDB

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
  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in tree: Tree
  ) throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    var (sought, entry) = (try MDB_val(key: key), MDB_val(value))
    let code = guarded_put(raw, tree.handle, &sought, &entry, UInt32(MDB_NOOVERWRITE))
    if code == MDB_KEYEXIST {
      try check(value: entry)
      noteRemoved(key, UnsafeRawBufferPointer(entry), in: tree)
      entry = MDB_val(value)
      try check(guarded_put(raw, tree.handle, &sought, &entry, 0))
    } else {
      try check(code)
    }
    noteAdded(key, value, in: tree)
  }

  /// Removes the entry under `key`.
  ///
  /// - Returns: whether there was one.
  /// - Throws: as `put`.
  @discardableResult
  package func delete(_ key: UnsafeRawBufferPointer, in tree: Tree) throws(LMDBError) -> Bool {
    guard let raw else { throw .badTransaction }
    guard let former = try get(key, in: tree) else { return false }
    noteRemoved(key, former, in: tree)
    var sought = try MDB_val(key: key)
    try check(guarded_del(raw, tree.handle, &sought))
    return true
  }

  /// A cursor that puts a sorted batch into `tree`.
  @inlinable
  package func writeCursor(in tree: Tree) throws(LMDBError) -> WriteCursor {
    try WriteCursor(in: tree, of: self)
  }
}
