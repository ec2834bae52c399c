// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives
import Synchronization

/// One LMDB file, open in this process.
///
/// LMDB documents operations that a caller must never do: open a file twice, write from two
/// threads, go on after a fork, keep a dead reader. This API cannot express them: the registry
/// gives out one environment per file, one thread of its own writes, and a forked child gets an
/// error.
///
///     environment ── registry          one per file and process
///          │
///          ├── ReadTransaction   any thread, any number, none waits
///          ├── WriterThread ── WriteTransaction   one job at a time, on one thread
///          └── TreeDirectory ── Tree
///
/// ## Invariants
/// - I1: at most one environment is open per file (device and inode) in the process.
/// - I2: each write transaction begins and ends on the writer thread, at most one at a time.
/// - I3: at deinit no transaction and no cursor lives: each holds the environment.
///
/// ## Lifetime
/// The file stays open as long as the environment is retained: its owner, transactions, cursors and
/// submitted jobs retain it. If it was opened without `keepsName`, the file may be unlinked in the
/// meantime, with its lock file (`path` + "-lock"): the environment goes on, and the space is freed
/// when it closes. That is the in-memory store. Any other file must keep its name
/// (`Environment+Replacement.swift`).
///
/// ## Isolation
/// Sendable; all calls from any thread, except where they name the writer thread.
@usableFromInline
package final class Environment: Sendable {
  // Safety: liblmdb locks the shared state behind an environment; the pointer itself never changes.
  /// Only for this layer and its tests.
  package nonisolated(unsafe) let raw: OpaquePointer
  /// The path that the file was opened at, links resolved.
  package let path: String
  /// The requested options, with the size of the file that the system granted.
  package let options: EnvironmentOptions

  /// Whether the file can be written to. Only an environment that was opened for reading may be
  /// without that; `begin` throws `permissionDenied` then. On a read-only medium it has no lock
  /// file and no table of readers.
  package let isWritable: Bool
  /// The number of the last commit that the file may have: any with locks; without locks, that of
  /// the opening, because a reader that writers do not see may find its pages overwritten.
  let lastNumberMax: UInt64

  let identity: FileIdentity
  let mapped: MappedFile
  let writer: WriterThread
  let trees: TreeDirectory
  package let readers = ReaderWatch()
  /// I2. Changed only on the writer thread.
  let isWriting = Atomic<Bool>(false)
  /// Commits since dead readers were last cleared. Changed only on the writer thread.
  let uncheckedCommitCount = Atomic<Int>(0)
  /// Nil for a file without a name, which no other process can have, and on a read-only medium.
  let lockFile: LockFile?
  /// The code with which LMDB refuses all transactions until the file is closed; 0 if it does not.
  private let failureCode = Atomic<Int32>(0)
  /// The stamp of the file after the last commit of this process; nil before the first one.
  let lastStamp = CountedMutex<FileStamp?>(nil)

  /// The longest key, in bytes (lmdb.h: mdb_env_get_maxkeysize). The shortest has 1.
  @inlinable package static var keyByteCountMax: Int { 511 }

  /// Takes over an open environment. Only the registry calls this: I1.
  init(taking opened: consuming OpenedFile, options: EnvironmentOptions) {
    writer = WriterThread(idleLimit: options.writerIdleLimit)
    trees = TreeDirectory()
    identity = opened.identity
    path = opened.path
    isWritable = opened.isWritable
    lastNumberMax = opened.lastNumberMax
    var granted = options
    granted.byteCountMax = opened.byteCountMax
    self.options = granted
    let lockPath = EnvironmentRegistry.lockPath(of: path)
    lockFile =
      if opened.lockDescriptor >= 0 {
        LockFile(opened.lockDescriptor, at: lockPath)
      } else {
        options.keepsName ? LockFile(at: lockPath) : nil
      }
    writer.patience.setLimit(options.busyTimeout)
    let (byteCountMax, mapByteCount) = (opened.byteCountMax, opened.mapByteCount)
    let isChecked = opened.isChecked
    raw = opened.take()
    mapped = MappedFile(
      mapByteCount: mapByteCount, isChecked: isChecked,
      room: FileRoom(
        byteCountMax: byteCountMax, mapByteCount: mapByteCount,
        pageByteCount: Self.pageByteCount(of: raw), keepsBlocks: isWritable && options.keepsName))
    noteCommit()
  }

  deinit {
    writer.stop()
    // A forked child must not touch the reader table, which is the parent's.
    if !ForkGuard.isInForkedChild { EnvironmentRegistry.close(self) }
  }

  /// The error of all transactions until the file is closed and opened again: `panic`, because
  /// writing the file's header has failed, or `mapResized`, because another process has grown the
  /// file beyond the map. Nil if they succeed.
  package var lastingError: LMDBError? {
    let code = failureCode.load(ordering: .acquiring)
    return code == 0 ? nil : LMDBError(code: code)
  }

  func check(_ code: Int32) throws(LMDBError) {
    if code != 0 { throw failure(code) }
  }

  /// The error for a code of liblmdb, which tells a full disk from a broken one.
  func failure(_ code: Int32) -> LMDBError {
    if lockFile?.isLost == true { return .fileReplaced(path: path) }
    if code == MDB_PANIC || code == MDB_MAP_RESIZED {
      failureCode.store(code, ordering: .releasing)
    }
    return LMDBError(code: code, writingTo: file)
  }

  /// Gives back the pages of the file that this process has read. They count as its memory until
  /// then, and are read again from the system's cache of files.
  package func giveBackPages() { mapped.giveBackPages() }

  /// The size of the map.
  package var mapByteCount: Int { mapped.mapByteCount }

  /// The file's descriptor, which is LMDB's.
  var file: Int32 {
    var file: Int32 = -1
    mdb_env_get_fd(raw, &file)
    return file
  }
}

// MARK: - Trees

extension Environment {
  /// The tree called `name`, opened once and remembered. Make trees in a write transaction.
  ///
  /// Waits for a write transaction that is making trees. In a write transaction, ask that instead.
  ///
  /// - Returns: nil when the newest snapshot has no such tree.
  /// - Throws: `incompatibleTree`, `treesFull`, `readersFull`, `forked`; `wouldDeadlock` in a write
  ///   transaction, if the tree is not open yet.
  package func tree(named name: String) throws(LMDBError) -> Tree? {
    try ForkGuard.check()
    if let tree = trees[name] { return tree }
    return try trees(named: [name])[0]
  }

  /// The trees called `names`, each as `tree(named:)` gives it: those that are not open yet are
  /// opened together, which takes a transaction less for each but one.
  ///
  /// - Throws: as `tree(named:)`; no tree is opened then.
  package func trees(named names: [String]) throws(LMDBError) -> [Tree?] {
    try ForkGuard.check()
    // LMDB would give the transaction the same number for another tree.
    if writer.isCurrent, isWriting.load(ordering: .relaxed) { throw .wouldDeadlock }
    return try trees.open(names, in: raw)
  }
}
