// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB

// Stores as files: copied, moved, replaced and destroyed with their lock files.
//
// A store that is open anywhere is left alone, except that it may be copied. If another process
// opens one at the very moment, it gets `StoreError.fileReplaced` at its first transaction.

/// The files of stores.
package enum StoreFiles {
  /// Copies the newest commit of a store, which may be in use, into a new file.
  ///
  /// - Throws: `StoreError`. There is no file at `copy` then.
  package static func copy(_ path: String, to copy: String) throws {
    guard try StoreFile.kind(at: path) == .lmdb else {
      throw StoreError.notAStrataStore(path: path)
    }
    try StoreBackup(of: environment(at: path), to: copy, compacting: true, BatchWatch()).run()
  }

  /// Gives a store another path, which is free.
  ///
  /// - Throws: `StoreError`: `.storeInUse`, `.fileExists`, `.notAStrataStore`, `.folderMissing`,
  ///   `.permissionDenied`, `.storage`. The store is then as it was.
  package static func move(_ path: String, to target: String) throws {
    try requireUnused(path)
    guard try StoreFile.kind(at: target) == .nothing else {
      throw StoreError.fileExists(path: target)
    }
    if link(path, target) != 0 {
      switch errno {
      case EEXIST: throw StoreError.fileExists(path: target)
      case ENOENT: throw StoreError.folderMissing(path: target)
      case EXDEV:
        // The other file system gets a copy.
        try copy(path, to: target)
      default: throw StoreError(LMDBError(code: errno), opening: target)
      }
    }
    try StoreFile.syncFolder(of: target)
    try remove(path)
  }

  /// Puts a copy of a store, which may be in use, in the place of another, which is not.
  ///
  /// - Throws: as `move(_:to:)`. The store at `path` is then as it was.
  package static func replace(_ path: String, with source: String) throws {
    if try StoreFile.kind(at: path) != .nothing { try requireUnused(path) }
    let temporary = "\(path)\(StoreFile.temporaryMark)\(UUID().uuidString)"
    defer { unlink(temporary) }
    try copy(source, to: temporary)
    // The lock file of the former store, if it is still there, says nothing about this one.
    unlink(path + StoreFile.lockMark)
    guard rename(temporary, path) == 0 else {
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    try StoreFile.syncFolder(of: path)
  }

  /// Removes a store and its lock file.
  ///
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore`, `.permissionDenied`, `.storage`.
  package static func destroy(_ path: String) throws {
    if try StoreFile.kind(at: path) == .nothing { return }
    try requireUnused(path)
    try remove(path)
  }

  private static func remove(_ path: String) throws {
    guard unlink(path) == 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    unlink(path + StoreFile.lockMark)
    try StoreFile.syncFolder(of: path)
  }

  private static func requireUnused(_ path: String) throws(StoreError) {
    guard try StoreFile.kind(at: path) == .lmdb else { throw .notAStrataStore(path: path) }
    let isInUse: Bool
    do throws(LMDBError) {
      isInUse = try FileUse.isInUse(path)
    } catch {
      throw StoreError(error, opening: path)
    }
    if isInUse { throw .storeInUse(path: path) }
  }

  /// The environment of a store, open already or not, whatever durability it has.
  static func environment(at path: String) throws(StoreError) -> Environment {
    do throws(LMDBError) {
      do throws(LMDBError) {
        return try Environment.open(at: path)
      } catch .alreadyOpen(let durability) {
        var options = EnvironmentOptions()
        options.durability = durability
        return try Environment.open(at: path, options: options)
      }
    } catch {
      throw StoreError(error, opening: path)
    }
  }
}
