// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
package import StrataPrimitives

// MARK: - In words

extension LMDBError: CustomStringConvertible {
  @usableFromInline package var description: String { explanation.text }

  /// The error in plain English.
  package var explanation: ErrorExplanation {
    switch self {
    // MARK: Opening
    case .noSuchFile:
      ErrorExplanation(
        "The file cannot be opened.", because: "There is no file at the path.",
        remedy: "Check the path, or ask for the file to be created.")
    case .permissionDenied:
      ErrorExplanation(
        "The file cannot be opened.",
        because: "The file, its lock file or their folder may not be read and written. A reader "
          + "writes to the lock file too.",
        remedy: "Check their owner and mode.")
    case .notAnLMDBFile:
      ErrorExplanation(
        "The file cannot be opened.",
        because: "This is not an LMDB file, or its beginning is damaged.",
        remedy: "Check the path, or restore a backup.")
    case .foreignLockFile(let path):
      ErrorExplanation(
        "The file cannot be opened.",
        because: "The file at \(path) has the name of its lock file, and is none: it is a link, a "
          + "folder or a device, or it has other content or a second name. It was not changed.",
        remedy: "Move it elsewhere.")
    case .versionMismatch:
      ErrorExplanation(
        "The file cannot be opened.",
        because: "The file or liblmdb has a format that this program does not support.",
        remedy: "Update the older of them.")
    case .unsupportedFileSystem(let name):
      ErrorExplanation(
        "The file cannot be opened.",
        because: "It is on a file system (\(name)) whose locks and memory maps are unreliable.",
        remedy: "Move it to a local disk.")
    case .alreadyOpen(let durability):
      ErrorExplanation(
        "The file cannot be opened a second time with another durability.",
        because: "It is already open in this process with durability \(durability).",
        remedy: "Open it with the same one.")
    case .forked:
      ErrorExplanation(
        "The store cannot be used in this process.",
        because: "The process was forked from one that uses the store.",
        remedy: "Use the store in the parent, or exec first.")
    case .wouldDeadlock:
      ErrorExplanation(
        "The call was refused, because it would never end.",
        because: "It would wait for the writer of the store, and the writer waits for the code "
          + "that made the call: a closure of a batch, a merge policy, an instrument or a log "
          + "handler.",
        remedy: "Do it after that code has returned.")
    case .fileReplaced(let path):
      ErrorExplanation(
        "The file at \(path) was deleted, moved or replaced.",
        because: "That happened while it was open, here or in another process. A write would not "
          + "reach the file at the path.",
        remedy: "Close the store wherever it is open, see that the right file is in place, and "
          + "open it again.")
    case .mediumChanged(let path):
      ErrorExplanation(
        "The file at \(path) was changed while it was read, and data that was read in the meantime "
          + "may be wrong.",
        because: "It was opened on a read-only medium, without locks, and was written to since.",
        remedy: "Close the store and open it again. To write to it while it is read, mount its "
          + "medium for writing everywhere.")
    case .writtenByAnother(let path):
      ErrorExplanation(
        "The file at \(path) cannot be used.",
        because: "Another program writes to it, and does not use the lock file beside this path: "
          + "it has opened the file by another name, or through another mount.",
        remedy: "Use one path in all programs.")

    // MARK: Room
    case .mapFull:
      ErrorExplanation(
        "The file cannot grow.", because: "The memory map is full.",
        remedy: "End long readers, delete something, or open the file with a larger map.")
    case .diskFull:
      ErrorExplanation(
        "The disk is full.",
        because: "A write needs more space than the disk has. Saved data is not lost.",
        remedy: "Free some space and repeat the save.")
    case .reserveTooSmall:
      ErrorExplanation(
        "The disk is full.",
        because: "The transaction frees content, and needs more pages for that than the file has. "
          + "Saved data is not lost.",
        remedy: "Delete in smaller parts, or free some space.")
    case .readersFull:
      ErrorExplanation(
        "The file cannot be read now.",
        because: "All processes together hold as many snapshots of it as there may be, 1,024 for a "
          + "store. Pins, backups and turns that have read hold one each.",
        remedy: "Unpin contexts and end turns that read, here or in other processes.")
    case .transactionFull:
      ErrorExplanation(
        "The transaction was not committed.", because: "It changes too many pages.",
        remedy: "Split the work over several.")
    case .treesFull:
      ErrorExplanation(
        "The tree cannot be opened.",
        because: "More trees are open than the environment allows.",
        remedy: "Open the file with a larger number.")
    case .outOfMemory:
      ErrorExplanation(
        "The operation was not executed.",
        because: "Memory or address space ran out. Nothing was changed.",
        remedy: "Free some and try again.")

    // MARK: Using
    case .badValueSize:
      ErrorExplanation(
        "The key or the value cannot be stored.",
        because: "A key must have 1 to \(Environment.keyByteCountMax) bytes, and a value less than "
          + "4 GiB.",
        remedy: "Shorten it.")
    case .badTransaction:
      ErrorExplanation(
        "The transaction cannot be used any more.",
        because: "It has ended, or an operation in it failed.",
        remedy: "Abort it and begin another.")
    case .badTree:
      ErrorExplanation(
        "The tree cannot be used.", because: "It is unknown to the transaction.",
        remedy: "Renew the transaction, or open the tree again.")
    case .incompatibleTree:
      ErrorExplanation(
        "The tree in the file cannot be used.",
        because: "It is of a kind that this program does not make.",
        remedy: "Use the program that made it.")
    case .mapResized:
      ErrorExplanation(
        "Another process has grown the file beyond the size that this one allows.",
        because: "The file can only be opened again while no snapshot of it is held.",
        remedy: "End backups, and unpin query generations; the next use of the store opens the "
          + "file again.")
    case .busy(let processID):
      ErrorExplanation(
        "\(processID.map { "Process \($0)" } ?? "Another process") keeps the file busy. Nothing "
          + "was changed.",
        because: "It has been writing to the file, or opening it, for longer than this process "
          + "waits, or was stopped in the middle.",
        remedy: "Try again, and continue or end that process.")
    case .badReaderSlot:
      ErrorExplanation(
        "The transaction cannot be used any more.",
        because: "Its reader slot was taken by another.",
        remedy: "Release the transaction and begin a new one.")

    // MARK: Damage
    case .corrupted:
      ErrorExplanation(
        "The file is damaged inside.", because: "A page differs from its parent's description.",
        remedy: "Stop writing to it, check it, and restore or salvage it.")
    case .pageNotFound:
      ErrorExplanation(
        "The file is damaged inside.", because: "A page that is referred to does not exist.",
        remedy: "Stop writing to it, check it, and restore or salvage it.")
    case .damagedPage(let number, let flaw):
      ErrorExplanation(
        "The page \(number) of the file is damaged.",
        because: "The flaw: \(flaw.rawValue). Nothing was written to the file.",
        remedy: "Restore a backup, or salvage what can be read.")
    case .panic:
      ErrorExplanation(
        "The disk may have the last save or not.", because: "Writing the file's header failed.",
        remedy: "The next use of the store opens the file again, if no snapshot of it is held: end "
          + "backups, and unpin query generations.")

    // MARK: The rest
    case .io(let errno):
      ErrorExplanation(
        "The system refused an operation on the file.",
        because: "The system's reason: \(String(cString: strerror(errno))) (\(errno)).",
        remedy: "Check the disk.")
    case .other(let code):
      ErrorExplanation(
        "The operation failed for an unknown reason.",
        because:
          "The unexpected code of liblmdb: \(String(cString: mdb_strerror(code))) (\(code)).",
        remedy: "Please report it.")
    }
  }
}
