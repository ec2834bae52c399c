// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB

// Stores as files: copied, moved, replaced and destroyed with their lock files. A store that is
// open anywhere is left alone, except that it may be copied, and no process opens one in the moment
// in which its file changes.

/// The files of stores.
package enum StoreFiles {
  /// Copies the newest commit of a store, which may be in use, into a new file.
  ///
  /// - Throws: `StoreError`. There is no file at `copy` then.
  package static func copy(_ path: String, to copy: String) throws {
    try StoreBackup(of: openSource(path), to: copy, compacting: true, BatchWatch()).run()
  }

  /// Gives a store another path, which is free, on the same file system.
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
      try StoreFile.syncFolder(of: target)
      try remove(path)
    }
  }

  /// Puts a copy of a store, which may be in use, in the place of another, which is not.
  ///
  /// - Throws: as `move(_:to:)`. The store at `path` is then as it was.
  package static func replace(_ path: String, with source: String) throws {
    let path = FileUse.resolved(path)
    if try StoreFile.kind(at: path) == .other { throw StoreError.notAStrataStore(path: path) }
    let backup = StoreBackup(of: try openSource(source), to: path, compacting: true, BatchWatch())
    // Before the work of copying.
    try exclusively(path, mayBeMissing: true) {}
    try backup.run { temporary in
      try exclusively(path, mayBeMissing: true) {
        guard rename(temporary, path) == 0 else {
          throw StoreError(LMDBError(code: errno), opening: path)
        }
        // The lock file of the former store says nothing about this one.
        unlink(path + StoreFile.lockMark)
      }
    }
  }

  /// Removes a store and its lock file.
  ///
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore`, `.permissionDenied`, `.storage`.
  package static func destroy(_ path: String) throws {
    let resolved = FileUse.resolved(path)
    if try StoreFile.kind(at: resolved) == .nothing { return }
    try exclusively(resolved) { try remove(resolved) }
    // A symbolic link to it leads nowhere now.
    if resolved != path { unlink(path) }
  }

  private static func remove(_ path: String) throws {
    // The lock first: a store that is created at the path at once makes its own.
    unlink(path + StoreFile.lockMark)
    guard unlink(path) == 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    try StoreFile.syncFolder(of: path)
  }

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

  /// The environment of a store, open already or not, whatever durability it has.
  static func environment(at path: String) throws(StoreError) -> Environment {
    var options = EnvironmentOptions()
    // A coordinator that opens the store in the meantime gets this environment.
    options.treeCountMax = 1_024
    do throws(LMDBError) {
      do throws(LMDBError) {
        return try Environment.open(at: path, options: options)
      } catch .alreadyOpen(let durability) {
        options.durability = durability
        return try Environment.open(at: path, options: options)
      }
    } catch {
      throw StoreError(error, opening: path)
    }
  }
}
