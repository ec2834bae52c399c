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
    let temporary = TemporaryName(beside: path)
    do throws(LMDBError) {
      try writeNewStore(at: temporary.path, model: model, from: beginning, durability: .full)
    } catch .noSuchFile {
      throw .folderMissing(path: path)
    } catch {
      throw StoreError(error, opening: path)
    }
    guard link(temporary.path, path) == 0 || errno == EEXIST else {
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
      placingBy: { file in
        try file.link(to: path)
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
    at path: String, placingBy place: (_ file: borrowing UnfinishedFile) throws -> Void,
    _ write: (_ file: Int32) throws -> Void
  ) throws {
    let file = try UnfinishedFile(beside: path)
    let isNamedTooEarly = StorageFault.namedTooEarly.isPlanted
    if isNamedTooEarly { try place(file) }
    try write(file.descriptor)
    guard StorageFault.copyUnsynced.isPlanted || fsync(file.descriptor) == 0 else {
      throw StoreError(LMDBError(code: errno), opening: path)
    }
    if !isNamedTooEarly { try place(file) }
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
    if !keepsName { options.byteCountMax = EnvironmentOptions.byteCountMaxInMemory }
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
