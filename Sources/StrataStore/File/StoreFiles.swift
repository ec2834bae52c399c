// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB

// Functions that copy, move, replace and destroy the files of stores, with their lock files. A
// store that any process has open can only be copied. No process can open a store while these
// functions change its file.

/// Operations on the files of stores.
package enum StoreFiles {
  /// Checks the pages of a file that this process does not have open.
  ///
  /// - Returns: the damage; nil if there is none, or if another process has the file open.
  /// - Throws: `StoreError`.
  package static func flaw(ofFileAt path: String) throws -> StoreError? {
    guard try StoreFile.kind(at: path) == .lmdb else { return nil }
    do throws(LMDBError) {
      return try OpeningCheck.flaw(ofFileAt: path).map { StoreError($0, opening: path) }
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Has this process open damaged files, too. LMDB may end it by a signal then.
  package static func leaveOutCheckOfFiles() { OpeningCheck.leaveOut() }

  /// Copies the newest commit of a store, which may be in use, into a new file.
  ///
  /// - Throws: `StoreError`. After an error, no new file is left at `copy`.
  package static func copy(_ path: String, to copy: String) throws {
    try StoreBackup(of: openSource(path), to: copy, compacting: true, BatchWatch()).run()
  }

  /// Moves a store to another path on the same file system, at which no file exists.
  ///
  /// - Throws: `StoreError`: `.storeInUse`, `.fileExists`, `.notAStrataStore`, `.folderMissing`,
  ///   `.permissionDenied`, `.storage`. The store is then as it was.
  package static func move(_ path: String, to target: String) throws {
    let path = FileUse.resolved(path)
    guard try StoreFile.kind(at: target) == .nothing else {
      throw StoreError.fileExists(path: target)
    }
    try exclusively(path) {
      guard link(path, target) == 0 else {
        switch errno {
        case EEXIST: throw StoreError.fileExists(path: target)
        case ENOENT: throw StoreError.folderMissing(path: target)
        default: throw StoreError(LMDBError(code: errno), opening: target)
        }
      }
      do {
        try StoreFile.syncFolder(of: target)
        try remove(path)
      } catch {
        // Two names of one file would have two lock files, and so no common one.
        if try StoreFile.kind(at: path) != .nothing { unlink(target) }
        throw error
      }
    }
  }

  /// Replaces a store that is not in use with a copy of another store, which may be in use.
  ///
  /// - Throws: as `move(_:to:)`. The store at `path` is then as it was.
  package static func replace(_ path: String, with source: String) throws {
    let path = FileUse.resolved(path)
    if try StoreFile.kind(at: path) == .other { throw StoreError.notAStrataStore(path: path) }
    let backup = StoreBackup(of: try openSource(source), to: path, compacting: true, BatchWatch())
    // Checked before the work of copying. A missing store is not in use.
    if try StoreFile.kind(at: path) != .nothing { try exclusively(path) {} }
    try backup.run { copy in
      try exclusively(path, mayBeMissing: true) {
        // The lock file stays: a process that waits for it goes on with the new store. The first
        // process to open a file resets the lock file.
        guard try rename(copy.named(), path) == 0 else {
          throw StoreError(LMDBError(code: errno), opening: path)
        }
        try StoreFile.syncFolder(of: path)
      }
    }
  }

  /// Removes a store and its lock file.
  ///
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore`, `.permissionDenied`, `.storage`.
  package static func destroy(_ path: String) throws {
    let resolved = FileUse.resolved(path)
    if try StoreFile.kind(at: resolved) == .nothing { return }
    try exclusively(resolved) {
      try remove(resolved)
      var information = stat()
      // If the path is a symbolic link, it leads nowhere now.
      if lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK { unlink(path) }
    }
  }

  /// Removes a store that is not in use, with its lock file. Files that cannot be removed stay.
  package static func removeIfPossible(_ path: String) {
    unlink(path)
    unlink(path + StoreFile.lockMark)
  }

  private static func remove(_ path: String) throws {
    // The lock file is removed first: a store that is then created at the path makes its own.
    unlink(path + StoreFile.lockMark)
    guard unlink(path) == 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    try StoreFile.syncFolder(of: path)
  }

  /// Calls `body` while no process has the store open, and none can open it.
  ///
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore`, `.permissionDenied`, `.storage`; the
  ///   errors of `body`.
  private static func exclusively(
    _ path: String, mayBeMissing: Bool = false, _ body: () throws -> Void
  ) throws {
    let kind = try StoreFile.kind(at: path)
    guard kind == .lmdb || kind == .nothing && mayBeMissing else {
      throw StoreError.notAStrataStore(path: path)
    }
    do {
      guard try FileUse.exclusively(path, body) != nil else {
        throw StoreError.storeInUse(path: path)
      }
    } catch let error as LMDBError {
      throw StoreError(error, opening: path)
    }
  }

  private static func openSource(_ path: String) throws -> Environment {
    guard try StoreFile.kind(at: path) == .lmdb else {
      throw StoreError.notAStrataStore(path: path)
    }
    return try environment(at: path)
  }

  /// The environment of a store, for reading: the open environment or a new one.
  static func environment(at path: String) throws(StoreError) -> Environment {
    var options = EnvironmentOptions()
    options.isTransient = true
    options.treeCountMax = Trees.countMaxOfAnyModel
    options.isForReading = true
    do throws(LMDBError) {
      return try Environment.open(at: path, options: options)
    } catch {
      throw StoreError(error, opening: path)
    }
  }
}
