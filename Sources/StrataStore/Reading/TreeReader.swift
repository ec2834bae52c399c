// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataPrimitives
import StrataRecord

/// A transaction with its open resources: idle cursors, and trees of records.
///
/// It outlives the view that reads through it: the next view of the pool finds all of them open. It
/// has what a view needs of the store, so that a view counts no reference that all threads share.
///
/// ## Lifetime
/// It keeps the store's file open.
///
/// ## Isolation
/// The isolation of its transaction.
final class TreeReader {
  let transaction: Transaction
  let trees: Trees
  let schema: Schema
  /// The pool that the reader goes back to; nil for a reader that the writer makes.
  let pool: TreeReaderPool?
  /// Keeps the file open; nil for a reader that the writer makes, which keeps it
  /// open itself.
  private let store: OpenStore?

  /// By the index of their tree.
  private var idle: [IdleCursor?] = []
  // Safety: `@exclusivity(unchecked)` spares each scan some run-time checks. A reader is of one
  // isolation, and nothing of the program runs while a cursor is taken or given back.
  /// By the index of their tree. To count a reference would take as long as a fifth of a look-up.
  @exclusivity(unchecked) private var records: [Uncounted<RecordTree>?] = []
  /// The trees in `records`.
  private var held: [RecordTree] = []

  private final class IdleCursor {
    var cursor: EntryCursor?
  }

  /// A reader of a transaction that another keeps: of a write transaction, or of a batch.
  init(_ transaction: Transaction, _ trees: Trees, _ schema: Schema) {
    (self.transaction, self.trees, self.schema) = (transaction, trees, schema)
    (pool, store) = (nil, nil)
  }

  /// A reader of the newest state of a store.
  ///
  /// - Throws: `storage`.
  init(of store: OpenStore) throws(StoreError) {
    let queue = store.queue
    do throws(LMDBError) {
      transaction = try queue.environment.read()
    } catch {
      throw StoreError(error)
    }
    (trees, schema) = (queue.trees, queue.schema)
    (pool, self.store) = (store.readers, store)
  }

  /// Another reader of the newest state of the same file, which does not wait for a compaction: the
  /// file is not replaced before this reader has ended. Nil for a reader that the writer makes.
  ///
  /// - Throws: `storage`.
  func another() throws(StoreError) -> TreeReader? {
    if let idle = try pool?.take() { return idle }
    guard let store else { return nil }
    return try TreeReader(of: store)
  }

  /// Reads in `tree`.
  ///
  /// - Throws: the errors of `body`, with the name of the tree.
  @inline(__always)
  func reading<Result>(
    _ tree: Tree, _ body: (Transaction) throws(LMDBError) -> Result
  ) throws(StoreError) -> Result {
    do throws(LMDBError) {
      return try body(transaction)
    } catch {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }

  /// The value under `key`, or nil.
  func get(
    _ key: UnsafeRawBufferPointer, in tree: Tree
  ) throws(StoreError) -> UnsafeRawBufferPointer? {
    try reading(tree) { (_) throws(LMDBError) in
      var cursor = takeCursor(on: tree)
      let isThere = try cursor.seek(exactly: key)
      let value = cursor.value
      giveBack(cursor, on: tree)
      return isThere ? value : nil
    }
  }

  // MARK: - Records

  /// Reads in a tree of records.
  ///
  /// - Throws: the errors of `body`, with the name of the tree.
  @inline(__always)
  func readingRecords<Result>(
    _ tree: Tree, _ body: (RecordTree) throws(LMDBError) -> Result
  ) throws(StoreError) -> Result {
    try reading(tree) { (_) throws(LMDBError) in
      try records(of: tree).with { records in
        Swift.Result { () throws(LMDBError) in try body(records) }
      }.get()
    }
  }

  /// A tree of records, which the reader holds.
  @inline(__always)
  func records(of tree: Tree) -> Uncounted<RecordTree> {
    let known = tree.index < records.count ? records[tree.index] : nil
    return known ?? open(tree)
  }

  @inline(never)
  private func open(_ tree: Tree) -> Uncounted<RecordTree> {
    let opened = RecordTree(tree, named: trees.name(of: tree), in: transaction)
    held.append(opened)
    while records.count <= tree.index { records.append(nil) }
    records[tree.index] = Uncounted(opened)
    return Uncounted(opened)
  }

  // MARK: - Cursors

  /// Calls `body` with a cursor on `tree`. A scan in the body has a cursor of its own.
  ///
  /// - Throws: the errors of `body`; an `LMDBError` as a `StoreError` with the name of the tree.
  @inline(__always)
  func withCursor(on tree: Tree, _ body: (inout EntryCursor) throws -> Void) throws {
    do {
      var cursor = takeCursor(on: tree)
      try body(&cursor)
      giveBack(cursor, on: tree)
    } catch let error as LMDBError {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }

  private func takeCursor(on tree: Tree) -> EntryCursor {
    if tree.index < idle.count, let cursor = idle[tree.index]?.cursor.take() { return cursor }
    return EntryCursor(on: tree, named: trees.name(of: tree), in: transaction)
  }

  private func giveBack(_ cursor: consuming EntryCursor, on tree: Tree) {
    while idle.count <= tree.index { idle.append(nil) }
    if idle[tree.index] == nil { idle[tree.index] = IdleCursor() }
    idle[tree.index]?.cursor = consume cursor
  }
}
