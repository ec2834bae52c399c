// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataStore

// The files of stores. A store has a file, and a lock file beside it, whose name ends with `-lock`.
// These functions handle both files. Moving or copying a file by other means while it is open loses
// data.

extension PersistentStoreCoordinator {
  /// Copies a store, which may be in use, into a new file, without unused space. The copy has the
  /// newest commit, and the same identity as the store.
  ///
  /// - Throws: `StoreError.notAFileURL`, `.fileExists`, `.notAStrataStore`, `.folderMissing`,
  ///   `.permissionDenied`, `.diskFull`, `.storage`. After an error, no new file is left at `copy`.
  /// - Complexity: O(bytes of the store).
  public static func copyStore(at url: URL, to copy: URL) throws {
    try StoreFiles.copy(url.storePath, to: copy.storePath)
  }

  /// Moves or renames a store that is not in use. Core Data: `migratePersistentStore`.
  ///
  /// - Parameters:
  ///   - url: the URL of the store.
  ///   - target: the URL of a file that does not exist, on the same file system; its folder must
  ///     exist. For another file system, copy the store and destroy it.
  /// - Throws: `StoreError.notAFileURL`, `.storeInUse`, `.fileExists`, `.notAStrataStore`,
  ///   `.folderMissing`, `.permissionDenied`, `.diskFull`, `.storage`. The store is then as it was.
  public static func moveStore(at url: URL, to target: URL) throws {
    try StoreFiles.move(url.storePath, to: target.storePath)
  }

  /// Replaces a store with a copy of another store, for example to restore a backup. Core Data:
  /// `replacePersistentStore(at:withPersistentStoreFrom:)`.
  ///
  /// - Parameters:
  ///   - url: the URL of the store to replace, which must not be in use. The file may be missing.
  ///   - source: the URL of the store to copy, which may be in use. It does not change.
  /// - Throws: `StoreError.notAFileURL`, `.storeInUse`, `.notAStrataStore`, `.folderMissing`,
  ///   `.permissionDenied`, `.diskFull`, `.storage`. The store at `url` is then as it was.
  /// - Complexity: O(bytes of `source`).
  public static func replaceStore(at url: URL, withStoreAt source: URL) throws {
    try StoreFiles.replace(url.storePath, with: source.storePath)
  }

  /// Removes a store that is not in use, and its lock file. A missing file is not an error.
  /// Core Data: `destroyPersistentStore(at:type:)`.
  ///
  /// - Throws: `StoreError.notAFileURL`, `.storeInUse`, `.notAStrataStore` for any other file,
  ///   `.permissionDenied`, `.storage`.
  public static func destroyStore(at url: URL) throws { try StoreFiles.destroy(url.storePath) }
}
