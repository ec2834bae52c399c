// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

// MARK: - In words

extension LMDBError: CustomStringConvertible {
  @usableFromInline package var description: String {
    switch self {
    case .noSuchFile:
      "There is no file at the path. Check the path, or ask for the file to be created."
    case .permissionDenied:
      "The file, its lock file or their folder may not be read and written. A reader writes to the "
        + "lock file too. Check their owner and mode."
    case .notAnLMDBFile:
      "This is no LMDB file, or its beginning is damaged. Check the path, or restore a backup."
    case .versionMismatch:
      "The file or liblmdb has a format that this program does not support. Update the older of "
        + "them."
    case .unsupportedFileSystem(let name):
      "The file is on a file system (\(name)) whose locks and memory maps are unreliable. "
        + "Move it to a local disk."
    case .alreadyOpen(let durability):
      "The file is already open in this process with durability \(durability). Open it with the "
        + "same one."
    case .forked:
      "The process was forked from one that uses the store. Use the store in the parent, or exec "
        + "first."
    case .fileReplaced(let path):
      "The file at \(path) was deleted, moved or replaced while it was open, here or in another "
        + "process. A write would not reach the file at the path. Close the store wherever it "
        + "is open, see that the right file is in place, and open it again."
    case .mediumChanged(let path):
      "The file at \(path) was opened on a read-only medium, without locks, and was written to "
        + "since. Data that was read in the meantime may be wrong. Close the store and open it "
        + "again; to write to it while it is read, mount its medium for writing everywhere."
    case .mapFull:
      "The memory map is full. End long readers, delete something, or open the file with a larger "
        + "map."
    case .diskFull:
      "The disk is full. Saved data is not lost; free some space and repeat the save."
    case .readersFull:
      "All reader slots are taken. End read transactions, or open the file with more slots."
    case .transactionFull:
      "The transaction changes too many pages. Split the work over several."
    case .treesFull:
      "More trees are open than the environment allows. Open the file with a larger number."
    case .outOfMemory:
      "Memory or address space ran out. Nothing was changed; free some and try again."
    case .badValueSize:
      "A key must have 1 to \(Environment.keyByteCountMax) bytes, and a value less than 4 GiB. "
        + "Shorten it."
    case .badTransaction:
      "The transaction has ended, or an operation in it failed. Abort it and begin another."
    case .badTree:
      "The tree is unknown to the transaction. Renew the transaction, or open the tree again."
    case .incompatibleTree:
      "The tree in the file is of a kind that this program does not make. It belongs to another "
        + "program."
    case .mapResized:
      "Another process has grown the file beyond the map. Close the file and open it with a larger "
        + "map."
    case .badReaderSlot:
      "The transaction's reader slot was taken by another. Release the transaction and begin a new "
        + "one."
    case .corrupted, .pageNotFound:
      "The file is damaged inside. Stop writing to it, check it, and restore or salvage it."
    case .damagedPage(let number, let flaw):
      "Page \(number) of the file is damaged: \(flaw.rawValue). Nothing was written to the file. "
        + "Restore a backup, or salvage what can be read."
    case .panic:
      "Writing the file's header failed, so it is unknown whether the disk has the last save. The "
        + "next use of the store opens the file again, if no snapshot of it is held: end backups, "
        + "and unpin query generations."
    case .io(let errno):
      "The system refused an operation on the file: \(String(cString: strerror(errno))) "
        + "(\(errno)). Check the disk."
    case .other(let code):
      "liblmdb gave an unexpected code: \(String(cString: mdb_strerror(code))) (\(code)). Please "
        + "report it."
    }
  }
}
