// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataLMDB
import StrataPrimitives
package import StrataRecord

/// The entries of one index that come and go.
package struct IndexChanges: Sendable {
  package let number: PropertyNumber
  package var removed: IndexRun
  package var added: IndexRun

  package init(
    _ number: PropertyNumber, removed: IndexRun = IndexRun(), added: IndexRun = IndexRun()
  ) {
    (self.number, self.removed, self.added) = (number, removed, added)
  }

  var isEmpty: Bool { removed.isEmpty && added.isEmpty }
}

/// Writes a save's plan to one tree of a write transaction, in the cheapest way (`TreeStrategy`).
///
/// ## Isolation
/// The writer thread. Nothing else writes to the tree at the same time.
package struct TreeWriter {
  private let tree: Tree
  private let name: String
  private let transaction: WriteTransaction

  /// - Parameter name: of the tree, for errors.
  package init(_ tree: Tree, named name: String, in transaction: WriteTransaction) {
    (self.tree, self.name, self.transaction) = (tree, name, transaction)
  }

  /// Removes all entries.
  ///
  /// The tree is walked first: LMDB frees the pages that its branches name without looking at their
  /// content, and in a damaged file they may belong to other trees.
  ///
  /// - Throws: `StoreError.damaged` unless the tree has its recorded number of entries, in order;
  ///   `LMDBError`.
  package func empty() throws {
    let count = try transaction.statistics(of: tree).entryCount
    var cursor = try transaction.cursor(in: tree)
    var walkedCount = 0
    var last: [UInt8] = []
    var isThere = try cursor.first()
    while isThere, cursor.key.count <= Environment.keyByteCountMax,
      last.withUnsafeBytes({ $0.isBelow(cursor.key) })
    {
      last.replaceSubrange(last.indices, with: cursor.key)
      walkedCount += 1
      isThere = try cursor.next()
    }
    guard walkedCount == count else {
      throw damaged("\(walkedCount) of its \(count) entries are in order")
    }
    try transaction.clear(tree)
  }

  /// Removes all entries of an index, or all links of a relationship.
  ///
  /// - Throws: `LMDBError`.
  package func removeEntries(of number: PropertyNumber) throws {
    try withUnsafeBytes(of: number.rawValue.bigEndian) { prefix in
      var editor = try transaction.editCursor(in: tree)
      while try editor.cursor.seek(atOrAbove: prefix), editor.cursor.key.starts(with: prefix) {
        try editor.removeCurrent()
      }
    }
  }

  // MARK: - Records

  /// Removes records.
  ///
  /// - Parameters:
  ///   - serials: the serials of the objects, ascending.
  ///   - strategy: nil for the cheapest.
  /// - Returns: whether the tree was rewritten.
  /// - Throws: `StoreError.damaged`, `LMDBError`.
  package func removeRecords(_ serials: [UInt64], by strategy: TreeStrategy? = nil) throws -> Bool {
    if try rewrites(strategy, removing: serials.count, adding: 0, at: { serials.count }),
      let rest = try records(without: serials)
    {
      try write(rest)
      return true
    }
    var cursor = try transaction.editCursor(in: tree)
    for serial in serials { try RecordKey(serial).withBytes { _ = try cursor.remove($0) } }
    return false
  }

  /// The other records; nil if the tree is not in order.
  private func records(without serials: [UInt64]) throws -> TreeImage? {
    let image = TreeImage()
    var place = 0
    var former: UInt64 = 0
    var cursor = try transaction.cursor(in: tree)
    var isThere = try cursor.first()
    while isThere {
      guard let serial = RecordKey.number(of: cursor.key), serial > former else { return nil }
      former = serial
      while place < serials.count, serials[place] < serial { place += 1 }
      if place == serials.count || serials[place] != serial {
        image.append(cursor.key, cursor.value)
      }
      isThere = try cursor.next()
    }
    return image
  }

  // MARK: - Index entries

  /// Adds and removes index entries.
  ///
  /// - Parameters:
  ///   - changes: the changes of all indexes in the tree, ascending by number.
  ///   - strategy: nil for the cheapest.
  /// - Returns: the number of removed entries that existed, and whether the tree was rewritten.
  /// - Throws: `StoreError.damaged`, `LMDBError`.
  package func apply(
    _ changes: [IndexChanges], by strategy: TreeStrategy? = nil
  ) throws -> (removedCount: Int, isRewritten: Bool) {
    var (goingCount, comingCount) = (0, 0)
    for changes in changes {
      goingCount += changes.removed.entries.count
      comingCount += changes.added.entries.count
    }
    let listCount = {
      changes.reduce(0) { $0 + $1.removed.listCountEstimate + $1.added.listCountEstimate }
    }
    if try rewrites(strategy, removing: goingCount, adding: comingCount, at: listCount),
      let (image, removedCount) = try IndexTreeMerge.merge(changes, with: tree, of: transaction)
    {
      try write(image)
      return (removedCount, true)
    }
    var removedCount = 0
    for changes in changes {
      var writer = try PostingWriter(changes.number, in: tree, named: name, of: transaction)
      try IndexRun.forEachEntry(removed: changes.removed, added: changes.added) { isAdded, entry in
        if isAdded {
          try writer.put(entry)
        } else if try writer.remove(entry) {
          removedCount += 1
        }
      }
      try writer.finish()
    }
    return (removedCount, false)
  }

  // MARK: - Rewriting

  private func rewrites(
    _ strategy: TreeStrategy?, removing removedCount: Int, adding addedCount: Int,
    at placeCount: () -> Int
  ) throws -> Bool {
    if let strategy { return strategy == .rewrite }
    // Most saves are small, and are spared the question.
    if removedCount + addedCount < TreeStrategy.rewrittenCountMin { return false }
    return TreeStrategy.isWorthwhile(
      removing: removedCount, adding: addedCount, try transaction.statistics(of: tree),
      at: placeCount)
  }

  private func write(_ image: TreeImage) throws {
    guard try image.write(into: tree, of: transaction) else {
      throw damaged("its keys are not in order")
    }
  }

  private func damaged(_ reason: String) -> StoreError {
    .damaged(tree: name, key: nil, reason: reason)
  }
}
