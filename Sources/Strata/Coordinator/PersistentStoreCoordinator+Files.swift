// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataStore

// Stores as files. A store is its file and the lock file beside it, with `-lock` at the end of its
// name: these calls handle both. Moving or copying a file by other means while it is open loses
// data.

extension PersistentStoreCoordinator {
  /// Copies a store, which may be in use, into a new file, without unused space. The copy has the
  /// newest commit, and the same identity as the store.
  ///
  /// - Throws: `StoreError.fileExists`, `.notAStrataStore`, `.folderMissing`, `.permissionDenied`,
  ///   `.diskFull`, `.storage`. There is no file at `copy` then.
  /// - Complexity: O(bytes of the store).
  public static func copyStore(at url: URL, to copy: URL) throws {
    try StoreFiles.copy(url.path, to: copy.path)
  }

  /// Moves or renames a store that is not in use. Core Data: `migratePersistentStore`.
  ///
  /// - Parameter target: the URL of a file that does not exist, on the same file system; its folder
  ///   must exist. For another file system, copy the store and destroy it.
  /// - Throws: `StoreError.storeInUse`, `.fileExists`, `.notAStrataStore`, `.folderMissing`,
  ///   `.permissionDenied`, `.diskFull`, `.storage`. The store is then as it was.
  public static func moveStore(at url: URL, to target: URL) throws {
    try StoreFiles.move(url.path, to: target.path)
  }

  /// Puts a copy of a store in the place of another: to restore a backup. Core Data:
  /// `replacePersistentStore(at:withPersistentStoreFrom:)`.
  ///
  /// - Parameters:
  ///   - url: of a store that is not in use, or of a file that does not exist.
  ///   - source: of a store, which may be in use. It stays.
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore`, `.folderMissing`, `.permissionDenied`,
  ///   `.diskFull`, `.storage`. The store at `url` is then as it was.
  /// - Complexity: O(bytes of `source`).
  public static func replaceStore(at url: URL, withStoreAt source: URL) throws {
    try StoreFiles.replace(url.path, with: source.path)
  }

  /// Removes a store that is not in use, and its lock file. A file that does not exist is no error.
  /// Core Data: `destroyPersistentStore(at:type:)`.
  ///
  /// - Throws: `StoreError.storeInUse`, `.notAStrataStore` for any other file, `.permissionDenied`,
  ///   `.storage`.
  public static func destroyStore(at url: URL) throws { try StoreFiles.destroy(url.path) }

  /// The oldest state of the store that is being read, here or in another process; nil if none is.
  ///
  /// Space that saves have freed since then is not used again, and the file grows. Contexts read
  /// for a turn at most, so a state that stays behind is a pinned query generation, a backup, or a
  /// turn that does not end.
  ///
  /// - Throws: `StoreError.closed`.
  /// - Complexity: O(readers of all processes).
  public func oldestReader() throws -> OldestReader? {
    try store.oldestReader().map { OldestReader(processID: $0.processID, commitLag: $0.commitLag) }
  }
}

/// A reader of an old state of a store.
public struct OldestReader: Sendable, Hashable {
  /// The process that reads.
  public let processID: Int32
  /// How many commits its state is behind the newest.
  public let commitLag: Int
}
