// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
import CStrataLMDB
import StrataPrimitives
import Synchronization

/// The one transaction that may change the file.
///
/// After an operation threw anything but `badValueSize`, abort it: LMDB refuses the rest with
/// `badTransaction`.
///
/// ## States
/// Open, ended.
/// - open → ended: `commit` (durable as the environment's options say), `abort`, a commit that
///   fails, or deinit, which aborts. Nothing of an aborted transaction is ever visible.
///
/// ## Lifetime
/// The transaction is live until it is committed or aborted. Cursors must not be moved after it has
/// ended; they may be dropped then.
///
/// ## Isolation
/// The writer thread, from `begin` to its end.
@usableFromInline
package final class WriteTransaction: Transaction {
  /// The trees that this transaction opened, which are published when it commits.
  private var openedTrees: [String: Tree] = [:]
  private var holdsDirectory = false
  /// Whether another process had the file open when the transaction began.
  package final var isShared = false
  /// Whether the commit seals a file that has no seal.
  final var beginsSealing = false
  /// Whether anything was put or removed.
  final var hasChanges = false
  /// Whether it only makes pages usable that the commits before it have freed.
  package final var isReclaiming = false
  /// By how many bytes the keys and values of all entries have become longer, or shorter if it is
  /// negative.
  final var byteChange = 0
  /// The bytes of records of the history among them: a deletion may have a record that is longer
  /// than the deleted objects.
  package final var recordByteCount = 0
  /// By how much the digest of the file's content has changed.
  final var contentChange: UInt64 = 0
  /// Whether the commit seals the content.
  final var isSealing: Bool { environment.options.keepsName }

  @usableFromInline override var freesCursors: Bool { true }

  deinit { abort() }

  // MARK: - Trees

  /// The tree called `name`, or nil.
  ///
  /// - Throws: `incompatibleTree`, `treesFull`, `badTransaction`.
  package func tree(named name: String) throws(LMDBError) -> Tree? {
    try openTree(name, creates: false)
  }

  /// The tree called `name`, made if it is missing. If the transaction aborts, a tree that it made
  /// is gone and the handle invalid.
  ///
  /// - Throws: `incompatibleTree`, `treesFull`, `mapFull`, `diskFull`, `io`, `badTransaction`.
  package func makeTree(named name: String) throws(LMDBError) -> Tree {
    guard let tree = try openTree(name, creates: true) else { throw .badTree }
    return tree
  }

  /// Removes all entries of `tree` and frees its pages. The tree stays.
  package func clear(_ tree: Tree) throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    try noteCleared(tree)
    try check(guarded_drop(raw, tree.handle, 0))
  }

  /// Removes `tree` itself.
  ///
  /// - Important: The handle is invalid at once, also if the transaction aborts, and its number may
  ///   be given to another tree: no other transaction may use it any more (lmdb.h: mdb_dbi_close).
  ///   For migration, while there are no readers.
  package func drop(_ tree: Tree) throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    try noteCleared(tree)
    enterDirectory()
    environment.trees.forget(tree)
    openedTrees = openedTrees.filter { $0.value != tree }
    try check(guarded_drop(raw, tree.handle, 1))
  }

  private func openTree(_ name: String, creates: Bool) throws(LMDBError) -> Tree? {
    guard let raw else { throw .badTransaction }
    if let tree = openedTrees[name] ?? environment.trees[name] { return tree }
    enterDirectory()
    // A reader may have opened it while this waited to enter.
    if let tree = environment.trees[name] { return tree }
    do {
      guard let tree = try Tree(named: name, in: raw, creates: creates) else { return nil }
      if creates { hasChanges = true }
      openedTrees[name] = tree
      return tree
    } catch .io(let code) {
      throw environment.failure(code)
    }
  }

  private func enterDirectory() {
    if holdsDirectory { return }
    environment.trees.enter()
    holdsDirectory = true
  }

  // MARK: - Ending

  /// Makes the changes visible and, as the durability says, durable. The transaction has ended
  /// then, whether or not this throws.
  ///
  /// - Throws: `diskFull`, `reserveTooSmall`, `io`, `mapFull`, `badTransaction` (it has ended, or
  ///   something failed in it): nothing was saved. A later `panic` means that this is unknown.
  ///   `fileReplaced`: the changes were saved to a file that the path no longer leads to.
  package func commit() throws(LMDBError) {
    guard let raw else { throw .badTransaction }
    if environment.mapped.isBroken { throw .corrupted }
    try writeSeal()
    try checkRoom()
    let number = transactionID
    let code = finish { guarded_txn_commit(raw) }
    leaveDirectory(isCommitted: code == 0)
    if code != 0 { environment.noteFailedCommit(number) }
    try environment.check(code)
    environment.noteCommit()
    environment.takeStamp(ofCommit: UInt64(number))
    // The file may have been replaced since the transaction began.
    try environment.checkPath()
    environment.clearDeadReadersNowAndThen()
  }

  /// Undoes everything. Does nothing when the transaction has ended.
  package func abort() {
    guard let raw else { return }
    // A forked child has neither the writer thread nor the lock.
    if ForkGuard.isInForkedChild { return }
    _ = finish {
      guarded_txn_abort(raw)
      return 0
    }
    leaveDirectory(isCommitted: false)
  }

  /// - Throws: `mapFull`, `diskFull`, `reserveTooSmall`: the file has no room for this transaction.
  private func checkRoom() throws(LMDBError) {
    guard let raw else { return }
    let change = FileRoom.Change(
      kind: kindOfChange, pageCounts: (environment.pageCount, strata_page_count(raw)),
      byteCount: byteChange)
    try environment.mapped.room.check(
      change, in: environment.file, freePageCount: { environment.freePageCount })
  }

  private var kindOfChange: FileRoom.Change.Kind {
    if isReclaiming { return .reclaiming }
    if byteChange <= 0 { return .deletion }
    return byteChange <= recordByteCount ? .recording : .addition
  }

  private func finish(_ end: () -> Int32) -> Int32 {
    require(
      environment.isOnWriterThread, "A write transaction ends on the writer thread.")
    epoch &+= 1
    raw = nil
    isLive = false
    environment.isWriting.store(false, ordering: .relaxed)
    return end()
  }

  private func leaveDirectory(isCommitted: Bool) {
    guard holdsDirectory else { return }
    holdsDirectory = false
    environment.trees.leave(publishing: isCommitted ? openedTrees : [:])
    openedTrees = [:]
  }
}

extension Environment {
  /// The commits after which dead readers are cleared again. Until then the file grows with each:
  /// no page that a dead reader might see is used again.
  private static var commitCountBetweenChecks: Int { 128 }

  fileprivate func clearDeadReadersNowAndThen() {
    let count = uncheckedCommitCount.load(ordering: .relaxed) + 1
    let isDue = count >= Self.commitCountBetweenChecks
    uncheckedCommitCount.store(isDue ? 0 : count, ordering: .relaxed)
    // The commit is valid, whether or not the table can be cleared.
    if isDue { mdb_reader_check(raw, nil) }
  }
}
