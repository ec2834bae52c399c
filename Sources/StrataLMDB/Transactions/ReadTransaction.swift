// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// One snapshot of the file, which no writer changes.
///
/// A reader that works turn by turn keeps one transaction and its cursors and renews them, at no
/// more than the price of finding the newest snapshot: beginning one costs an allocation and a
/// search of the reader table. It keeps its reader slot until it is deallocated.
///
/// ## States
/// Live, ended.
/// - live → live: `renew`, to the newest snapshot.
/// - live → ended: `end`. The snapshot is released; lookups throw `badTransaction`.
/// - ended → live: `renew`.
/// - live or ended → gone: deinit.
///
/// ## Lifetime
/// As long as it is live, the pages of its snapshot cannot be used again and the file grows with
/// each commit: end it when the turn ends. It holds the environment; its cursors hold it.
///
/// ## Isolation
/// One isolation at a time, as for every `Transaction`. The last reference may be released on any
/// thread: the environment has MDB_NOTLS, so a read transaction belongs to its holder, not to the
/// thread that began it.
@usableFromInline
package final class ReadTransaction: Transaction {
  /// How often the transaction was renewed.
  private var renewalCount: UInt = 0

  @usableFromInline override var freesCursors: Bool { false }

  deinit {
    // In a forked child the slot is the parent's.
    if let raw, !ForkGuard.isInForkedChild { mdb_txn_abort(raw) }
  }

  /// Releases the snapshot, and keeps the transaction and its cursors for `renew`.
  package func end() {
    guard let raw, !ForkGuard.isInForkedChild else { return }
    epoch &+= 1
    isLive = false
    mdb_txn_reset(raw)
  }

  /// Moves to the newest snapshot. Bytes taken before are no longer valid; cursors have no position
  /// and may be used again.
  ///
  /// - Throws: `badReaderSlot` (release the transaction and begin a new one), `mapResized`,
  ///   `panic`, `forked`, `fileReplaced`. The transaction has then ended.
  package func renew() throws(LMDBError) {
    try ForkGuard.check()
    end()
    guard let raw else { throw .badTransaction }
    try environment.check(mdb_txn_renew(raw))
    isLive = true
    renewalCount &+= 1
    do throws(LMDBError) {
      try environment.checkNumber(of: raw, isWriting: false)
      if renewalCount.isMultiple(of: Environment.renewalsPerLook) { try environment.checkPath() }
    } catch {
      end()
      throw error
    }
  }
}
