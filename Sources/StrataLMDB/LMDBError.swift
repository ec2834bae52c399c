// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// An operation of the storage engine failed; each case names the remedy.
///
/// "Not found" is not an error: a lookup that finds nothing returns nil or false. Sources: lmdb.h,
/// "Return Codes"; errno.
@usableFromInline
package enum LMDBError: Error, Hashable, Sendable {
  // MARK: Opening

  /// There is no file at the path, and `createIfMissing` was not asked for. Check the path.
  case noSuchFile
  /// The process may not read and write the file, its lock file or their folder. A reader writes to
  /// the lock file too, except on a read-only medium. Change their owner or mode.
  case permissionDenied
  /// The file is empty, no regular file, or does not begin as an LMDB file does. It is another
  /// program's, or damaged: restore a backup.
  case notAnLMDBFile
  /// The file at this path, beside the data file, has the name of its lock file, and is another: a
  /// link, a folder, a device, or a file with another content or a second name. It was not changed.
  /// Move it elsewhere, and open the data file again.
  case foreignLockFile(path: String)
  /// The file, or liblmdb itself, has a format that this program does not support. Use the program
  /// that wrote it, or update this one.
  case versionMismatch
  /// The file is on a file system whose locks and memory maps LMDB cannot rely on. Move it to a
  /// local disk.
  case unsupportedFileSystem(name: String)
  /// The file is open in this process with another durability. Open it with the same one.
  case alreadyOpen(durability: StoreDurability)
  /// The process was forked from one that uses the store. Only the parent may go on; the child
  /// must `exec` first.
  case forked
  /// Another process, whose ID is nil if it is not known, has had the lock of writers for longer
  /// than `busyTimeout`, or has been opening the file for as long. It may have been stopped.
  /// Nothing was changed. Try again, and continue or end that process.
  case busy(processID: Int32?)
  /// The call would wait for the writer thread, and was made on that thread: by code that the
  /// writer calls. Nothing was changed. Make the call afterwards.
  case wouldDeadlock
  /// The path no longer leads to the file that the environment has open, or the lock file belongs
  /// to another data file: the file was deleted, moved, or replaced by a backup while it was open.
  /// Close every environment of the path, in all processes, and open it again.
  case fileReplaced(path: String)

  /// The file was opened on a read-only medium, without locks, and was written to since: through
  /// another mount, or after the medium was mounted for writing. Turns that read in the meantime
  /// may have read wrong data. Close the environment and open it again.
  case mediumChanged(path: String)

  /// Another program writes to the file, and does not use the lock file beside this path: it has
  /// opened the file by another name, or through another mount. Neither knows of the other's
  /// readers and writers, so the file was not opened, or nothing was saved. Use one path in all
  /// programs.
  case writtenByAnother(path: String)

  // MARK: Room

  /// The file may not grow as far as the transaction needs. Abort the transaction; reads and
  /// deletes go on. Clear dead readers, end long readers, or open with a larger `byteCountMax`.
  case mapFull
  /// The disk is full. The transaction is lost, nothing earlier is. Free space and repeat it.
  case diskFull
  /// The disk is full, and a transaction that frees content needs more pages for that than the file
  /// has. About `fittingPermille` thousandths of it fit. The transaction is lost, nothing earlier
  /// is. Free less at once.
  case reserveTooSmall(fittingPermille: Int)
  /// All reader slots are taken, also after dead readers were cleared: `readerCountMax` of the
  /// process that has made the lock file. End read transactions.
  case readersFull
  /// The transaction changes too many pages. Abort it and split the work.
  case transactionFull
  /// More trees are open than `treeCountMax` allows. Open with a larger one.
  case treesFull
  /// Memory or address space ran out. Nothing was changed.
  case outOfMemory

  // MARK: Using

  /// The key is empty or longer than `Environment.keyByteCountMax`, or the value is longer than
  /// 4 GiB - 1. Nothing was changed.
  case badValueSize
  /// The transaction has ended, or something failed in it earlier. Abort it and begin another.
  case badTransaction
  /// The tree is unknown to the transaction, which is older than it: renew the transaction.
  case badTree
  /// The tree in the file is of a kind that Strata never makes (sorted duplicates, for one).
  case incompatibleTree
  /// Another process has grown the file beyond this map. Close the environment and open it again:
  /// LMDB maps the whole file.
  case mapResized
  /// The transaction's reader slot was taken away, by a mistaken clearing of live readers. Drop the
  /// transaction and take another.
  case badReaderSlot

  // MARK: Damage

  /// A page differs from its parent's description. Stop writing, check the file, restore or
  /// salvage.
  case corrupted
  /// A page that is referred to does not exist: the file is damaged. Stop writing, and restore a
  /// backup.
  case pageNotFound
  /// A check of the whole file has found a damaged page. Nothing was written. Restore a backup, or
  /// salvage the readable rest.
  case damagedPage(number: UInt64, PageFlaw)
  /// Writing the file's header failed earlier, so the state on disk is unknown. Close and reopen
  /// the environment, and check by the transaction number whether the last commit is there.
  case panic

  // MARK: The rest

  /// The system call behind the operation failed with this errno.
  case io(errno: Int32)
  /// A code of liblmdb that no operation of this layer should give. Report it.
  case other(code: Int32)
}

// MARK: - From codes

extension LMDBError {
  /// The error for a return code of liblmdb, which must not be 0.
  @usableFromInline
  package init(code: Int32) {
    switch code {
    case MDB_PAGE_NOTFOUND: self = .pageNotFound
    case MDB_CORRUPTED: self = .corrupted
    case MDB_PANIC: self = .panic
    case MDB_VERSION_MISMATCH: self = .versionMismatch
    case MDB_INVALID: self = .notAnLMDBFile
    case MDB_MAP_FULL: self = .mapFull
    case MDB_DBS_FULL: self = .treesFull
    case MDB_READERS_FULL: self = .readersFull
    case MDB_TXN_FULL: self = .transactionFull
    case MDB_MAP_RESIZED: self = .mapResized
    case MDB_INCOMPATIBLE: self = .incompatibleTree
    case MDB_BAD_RSLOT: self = .badReaderSlot
    case MDB_BAD_TXN: self = .badTransaction
    case MDB_BAD_VALSIZE: self = .badValueSize
    case MDB_BAD_DBI: self = .badTree
    case ENOENT: self = .noSuchFile
    case EACCES, EPERM, EROFS: self = .permissionDenied
    case ENOSPC, EDQUOT, EFBIG: self = .diskFull
    case ENOMEM: self = .outOfMemory
    case 1...: self = .io(errno: code)
    default: self = .other(code: code)
    }
  }

  /// Creates the error of a code of liblmdb or the system. An EIO on a full disk is `diskFull`:
  /// liblmdb reports a short write as EIO, and a disk that has room for half a page writes short.
  init(code: Int32, writingTo file: Int32) {
    var statistics = statvfs()
    if code == EIO, fstatvfs(file, &statistics) == 0,
      UInt64(statistics.f_bavail) * UInt64(statistics.f_frsize) < Self.fullDiskByteCount
    {
      self = .diskFull
    } else {
      self.init(code: code)
    }
  }

  /// Less free space than this counts as full: a commit writes some pages at once, so that the
  /// write falls short while some blocks are still free.
  private static var fullDiskByteCount: UInt64 { 1 << 20 }
}

/// For codes that no file or transaction can say more about.
func check(_ code: Int32) throws(LMDBError) {
  if code != 0 { throw LMDBError(code: code) }
}
