// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// The file of a store: its creation, and checks of a file without opening it.
///
/// LMDB leaves a file that never opens again if the process dies during its creation. So a store is
/// completed under a temporary name in the same folder, synced, and then linked to its path. The
/// link fails if another process was first; then the other store is used. A crash leaves a file
/// named `<store>.new-<UUID>` behind, perhaps the store itself under a second name. The next
/// creation, or the next opening of a store with two names, removes it.
enum StoreFile {
  /// The kind of file at a path.
  enum Kind {
    case nothing
    /// It begins as LMDB files do.
    case lmdb
    case other
  }

  /// Looks at the file before LMDB does, which would put a lock file beside anything.
  ///
  /// - Throws: `permissionDenied`, `storage`.
  static func kind(at path: String) throws(StoreError) -> Kind {
    var information = stat()
    guard stat(path, &information) == 0 else {
      if errno == ENOENT { return .nothing }
      if errno == ENOTDIR { throw .folderMissing(path: path) }
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    guard information.st_mode & S_IFMT == S_IFREG else { return .other }
    // LMDB's own locks are on the lock file: to close this descriptor takes none of them.
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    defer { close(file) }
    var magic: UInt32 = 0
    let count = pread(file, &magic, 4, magicOffset)
    guard count >= 0 else { throw StoreError(LMDBError(code: errno), opening: path) }
    return count == 4 && magic == lmdbMagic ? .lmdb : .other
  }

  /// Where an LMDB file has its mark: behind the header of the first page.
  private static var magicOffset: Int { 16 }
  private static var lmdbMagic: UInt32 { 0xBEEF_C0DE }

  // MARK: - Creating

  /// Creates a store of `model` at `path`. If another process creates one at the same time, the
  /// other one stays.
  ///
  /// - Parameter beginning: the parts that the store does not make itself.
  /// - Throws: `folderMissing`, `permissionDenied`, `diskFull`, `storage`.
  static func create(
    at path: String, model: ManagedObjectModel, from beginning: StoreBeginning = .new
  ) throws(StoreError) {
    clearLeftovers(of: path)
    let lock = CreationLock(folder: folder(of: path), for: .creating)
    let temporary = "\(path)\(temporaryMark)\(UUID().uuidString)"
    defer {
      unlink(temporary)
      unlink(temporary + "-lock")
    }
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
    // Without the lock no process cleans up here either.
    _ = consume lock
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
    clearLeftovers(of: path)
    let lock = CreationLock(folder: folder(of: path), for: .creating)
    let temporary = "\(path)\(temporaryMark)\(UUID().uuidString)"
    let file = open(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
      mode_t(FileOwnership.permissionsOfNewFile))
    guard file >= 0 else {
      if errno == ENOENT { throw StoreError.folderMissing(path: path) }
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    defer {
      close(file)
      if !StorageFault.leftoverStays.isPlanted { unlink(temporary) }
    }
    let isNamedTooEarly = StorageFault.namedTooEarly.isPlanted
    if isNamedTooEarly { try place(temporary) }
    try write(file)
    guard StorageFault.copyUnsynced.isPlanted || fsync(file) == 0 else {
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    if !isNamedTooEarly { try place(temporary) }
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
      preconditionFailure("nothing else is thrown in there: \(error)")
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

  private static func folder(of path: String) -> String {
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

  // MARK: - Leftovers of creations

  static var temporaryMark: String { ".new-" }
  static var lockMark: String { "-lock" }

  /// Removes the leftovers of creating the store at `path`, if the creation was interrupted after
  /// the store had its name.
  static func clearSecondName(of path: String) {
    var information = stat()
    if stat(path, &information) == 0, information.st_nlink > 1 { clearLeftovers(of: path) }
  }

  /// Removes the leftovers of interrupted creations of the store at `path`, if no creation is under
  /// way in its folder. Files that cannot be removed stay.
  private static func clearLeftovers(of path: String) {
    let folder = folder(of: path)
    let name = (path as NSString).lastPathComponent
    guard let lock = CreationLock(folder: folder, for: .clearing),
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return }
    for file in files where isTemporary(file, of: name) { unlink("\(folder)/\(file)") }
    _ = consume lock
  }

  private static func isTemporary(_ file: String, of name: String) -> Bool {
    guard file.hasPrefix(name + temporaryMark) else { return false }
    var id = file.dropFirst(name.count + temporaryMark.count)
    if id.hasSuffix(lockMark) { id = id.dropLast(lockMark.count) }
    return UUID(uuidString: String(id)) != nil
  }
}
