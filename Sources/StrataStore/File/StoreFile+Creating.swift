// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

extension StoreFile {
  /// Creates a store of `model` at `path`. If another process creates one at the same time, the
  /// other one stays.
  ///
  /// - Parameter beginning: the parts that the store does not make itself.
  /// - Throws: `folderMissing`, `permissionDenied`, `diskFull`, `storage`.
  static func create(
    at path: String, model: ManagedObjectModel, from beginning: StoreBeginning = .new
  ) throws(StoreError) {
    try withTemporaryName(for: path, hasLockFile: true) { (temporary) throws(StoreError) in
      try create(at: path, by: temporary, model: model, from: beginning)
    }
  }

  /// Completes a store under its temporary name, and then gives it its path.
  private static func create(
    at path: String, by temporary: String, model: ManagedObjectModel,
    from beginning: StoreBeginning
  ) throws(StoreError) {
    do throws(LMDBError) {
      try writeNewStore(at: temporary, model: model, from: beginning, durability: .full)
    } catch .noSuchFile {
      throw .folderMissing(path: path)
    } catch {
      throw StoreError(error, opening: path)
    }
    guard link(temporary, path) == 0 || errno == EEXIST else {
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    try syncFolder(of: path)
  }

  /// Creates a file at `path` that has its name only when it is complete and synced.
  ///
  /// - Parameter write: writes the file.
  /// - Throws: `fileExists`, `folderMissing`, `permissionDenied`, `diskFull`, `storage`; the errors
  ///   of `write`. There is no file at the path then.
  static func createWhole(
    at path: String, _ write: (_ file: Int32) throws -> Void
  ) throws {
    if try kind(at: path) != .nothing { throw StoreError.fileExists(path: path) }
    try createWhole(
      at: path,
      placingBy: { temporary in
        guard link(temporary, path) == 0 else {
          if errno == EEXIST { throw StoreError.fileExists(path: path) }
          throw StoreError(LMDBError(code: errno), opening: path)
        }
        do {
          try syncFolder(of: path)
        } catch {
          // It might be gone after a power failure, so it is not there.
          unlink(path)
          throw error
        }
      }, write)
  }

  /// Creates a file that `place` gives its name when it is complete and synced. `place` also syncs
  /// the folder.
  static func createWhole(
    at path: String, placingBy place: (_ temporary: String) throws -> Void,
    _ write: (_ file: Int32) throws -> Void
  ) throws {
    try withTemporaryName(for: path) { temporary in
      let file = open(
        temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
        mode_t(FileOwnership.permissionsOfNewFile))
      guard file >= 0 else {
        if errno == ENOENT { throw StoreError.folderMissing(path: path) }
        throw StoreError(LMDBError(code: errno), opening: path)
      }
      defer { close(file) }
      let isNamedTooEarly = StorageFault.namedTooEarly.isPlanted
      if isNamedTooEarly { try place(temporary) }
      try write(file)
      guard StorageFault.copyUnsynced.isPlanted || fsync(file) == 0 else {
        throw StoreError(LMDBError(code: errno), opening: path)
      }
      if !isNamedTooEarly { try place(temporary) }
    }
  }

  /// Runs `body` with a name beside `path` at which it creates a file. No process removes the file
  /// before `body` has returned; then the name is removed.
  ///
  /// - Parameter hasLockFile: whether `body` opens the file as a store, and so puts a lock file
  ///   beside it.
  private static func withTemporaryName<Failure: Error>(
    for path: String, hasLockFile: Bool = false,
    _ body: (_ temporary: String) throws(Failure) -> Void
  ) throws(Failure) {
    clearLeftovers(of: path)
    let lock = CreationLock(folder: folder(of: path), for: .creating)
    let temporary = "\(path)\(temporaryMark)\(UUID().uuidString)"
    defer {
      // The fault is of files that are written whole: an opening removes a store's second name.
      if hasLockFile || !StorageFault.leftoverStays.isPlanted { unlink(temporary) }
      if hasLockFile { unlink(temporary + lockMark) }
    }
    try body(temporary)
    // Without the lock no process cleans up here either.
    _ = consume lock
  }

  /// Writes all bytes to a file that `createWhole` has opened.
  ///
  /// - Throws: `diskFull`, `storage`.
  static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(StoreError) {
    var rest = bytes
    while !rest.isEmpty {
      // The C library's, not this function.
      let count = Foundation.write(file, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw StoreError(LMDBError(code: errno))
      }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
  }

  /// A new store without a name: its space is free again when the environment closes.
  ///
  /// - Throws: `diskFull`, `storage`.
  static func createUnnamed(
    model: ManagedObjectModel, from origin: StoreOrigin? = nil
  ) throws(StoreError) -> Environment {
    let folder = try PrivateFolder()
    let path = folder.path + "/store"
    do throws(LMDBError) {
      return try writeNewStore(
        at: path, model: model, from: StoreBeginning(origin), durability: .none, keepsName: false)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// The environment is closed when it is released.
  @discardableResult
  private static func writeNewStore(
    at path: String, model: ManagedObjectModel, from beginning: StoreBeginning,
    durability: StrataLMDB.StoreDurability, keepsName: Bool = true
  ) throws(LMDBError) -> Environment {
    var options = EnvironmentOptions()
    options.keepsName = keepsName
    if !keepsName { options.mapSizeBytes = EnvironmentOptions.mapSizeBytesInMemory }
    options.durability = durability
    options.createIfMissing = true
    options.treeCountMax = Trees.countMax(model)
    let environment = try Environment.open(at: path, options: options)
    let catalog = beginning.catalog(of: model)
    let schema = Schema(
      model: model, numbers: catalog.numbers, store: StoreIdentity(catalog.uuid),
      version: catalog.version, layouts: catalog.layouts)
    do {
      try environment.writeSync { transaction in
        for name in Trees.names(schema) { _ = try transaction.makeTree(named: name) }
        try catalog.write(
          in: transaction, try transaction.makeTree(named: Trees.catalogName),
          firstSerial: beginning.firstSerial)
        try beginning.writeRest(in: transaction)
      }
    } catch let error as LMDBError {
      throw error
    } catch is StoreError {
      // Only of a catalog that is missing: it was just made.
      throw .corrupted
    } catch {
      stopProgram("nothing else is thrown in there: \(error)")
    }
    return environment
  }

  /// Makes the trees of a schema that an existing store does not have. Without entries they change
  /// nothing for programs of the former model.
  ///
  /// - Throws: `diskFull`, `storage`.
  static func makeTrees(of schema: Schema, in environment: Environment) throws(StoreError) {
    do {
      try environment.writeSync { transaction in
        for name in Trees.names(schema) { _ = try transaction.makeTree(named: name) }
      }
    } catch {
      throw StoreError(catching: error)
    }
  }

  static func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  static func syncFolder(of path: String) throws(StoreError) {
    if StorageFault.folderUnsynced.isPlanted { return }
    let file = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
  }
}
