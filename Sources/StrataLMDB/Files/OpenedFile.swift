// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

/// An LMDB file that was opened and checked, on its way to an environment. If it does not get
/// there, it is closed.
///
/// The flags, and why:
/// - MDB_NOSUBDIR: a store is one file that can be renamed, not a folder.
/// - MDB_NOTLS: a read transaction belongs to its holder, not to its thread, so that it can be
///   pooled and tasks may move.
/// - Not MDB_NORDAHEAD: it helps random reads of a file larger than memory (lmdb.h), which few
///   stores are, and takes readahead from the scans of a cold file, with which an application
///   starts.
/// - Never MDB_WRITEMAP: a full disk becomes SIGBUS, and a wild pointer damages the file.
/// - Never MDB_NOMEMINIT, which writes other memory of the process to the file.
/// - MDB_RDONLY only if the caller only reads and the file cannot be opened for writing.
/// - MDB_NOLOCK only on a medium that is mounted read-only: it loses the reader table, without
///   which a writer would use the pages again that are being read. LMDB itself does without a lock
///   file there (EROFS), except if the process may not write to the lock file anyway (EACCES).
struct OpenedFile: ~Copyable {
  private var raw: OpaquePointer?
  let path: String
  let identity: FileIdentity
  /// The size that the file may grow to (`EnvironmentOptions.byteCountMax`).
  let byteCountMax: Int
  let mapByteCount: Int
  let isWritable: Bool
  /// Whether the whole file was checked, or is new.
  let isChecked: Bool
  let lastNumberMax: UInt64
  /// An open descriptor of the lock file, for the environment; -1 without one.
  let lockDescriptor: Int32

  /// Opens the file at `path`. The caller guarantees that no environment has it open.
  ///
  /// - Parameter expected: the file that was found at the path, nil for one that is to be created.
  init(at path: String, expecting expected: FileIdentity?, options: EnvironmentOptions)
    throws(LMDBError)
  {
    guard mdb_env_get_maxkeysize(nil) >= Environment.keyByteCountMax else {
      throw .versionMismatch
    }
    var path = Self.resolved(path)
    try FileSystem.check(path)
    var lock: ExclusiveLock?
    var isChecked = true
    if expected != nil, options.keepsName, !options.isTrusted {
      lock = try FileCheck.runBeforeOpening(path, options, isWhole: &isChecked)
    }
    let byteCount = try expected == nil ? 0 : Self.byteCount(ofFileAt: path)
    var byteCountMax =
      options.byteCountMax.map { min($0, Self.byteCountMaxMax) }
      ?? max(EnvironmentOptions.byteCountMaxDefault, 2 * byteCount)
    var environment: OpaquePointer
    var isWritable: Bool
    while true {
      do {
        (environment, isWritable) = try Self.open(
          path, mapByteCount: FileRoom.mapByteCount(for: max(byteCountMax, byteCount)),
          options: options)
        break
      } catch  where error.mayBeOfMapSize && byteCountMax / 2 >= EnvironmentOptions.byteCountMaxMin
      {
        byteCountMax /= 2
      }
    }
    let descriptor: Int32
    if let lock = lock.take() { descriptor = lock.becomeDescriptor() } else { descriptor = -1 }
    do {
      identity = try Self.check(environment, at: path, expecting: expected, isChecked: isChecked)
    } catch {
      mdb_env_close(environment)
      if descriptor >= 0 { close(descriptor) }
      throw error
    }
    lockDescriptor = descriptor
    raw = environment
    // A file that was created just now has an absolute path too.
    path = Self.resolved(path)
    self.path = path
    self.isWritable = isWritable
    self.isChecked = isChecked
    var information = MDB_envinfo()
    mdb_env_info(environment, &information)
    let isLocked = isWritable || !FileSystem.isReadOnly(path)
    lastNumberMax = isLocked ? .max : UInt64(information.me_last_txnid)
    mapByteCount = Int(information.me_mapsize)
    self.byteCountMax = byteCountMax
  }

  deinit {
    guard let raw else { return }
    mdb_env_close(raw)
    if lockDescriptor >= 0 { close(lockDescriptor) }
  }

  /// Hands over the environment and the duty to close it, and then the lock file's descriptor.
  consuming func take() -> OpaquePointer {
    guard let taken = raw.take() else { stopProgram("An environment is taken once.") }
    return taken
  }

  /// Opens the file for writing, or for reading only if it cannot be written to and `options` allow
  /// that.
  private static func open(
    _ path: String, mapByteCount: Int, options: EnvironmentOptions
  ) throws(LMDBError) -> (environment: OpaquePointer, isWritable: Bool) {
    func open(_ flags: Int32) throws(LMDBError) -> OpaquePointer {
      try Self.open(path, mapByteCount: mapByteCount, options: options, UInt32(flags))
    }
    do throws(LMDBError) {
      return (try open(0), true)
    } catch .permissionDenied where options.isForReading {
      do throws(LMDBError) {
        return (try open(MDB_RDONLY), false)
      } catch .permissionDenied where FileSystem.isReadOnly(path) {
        return (try open(MDB_RDONLY | MDB_NOLOCK), false)
      }
    }
  }

  private static func open(
    _ path: String, mapByteCount: Int, options: EnvironmentOptions, _ access: UInt32
  ) throws(LMDBError) -> OpaquePointer {
    var created: OpaquePointer?
    try StrataLMDB.check(mdb_env_create(&created))
    guard let environment = created else { throw .outOfMemory }
    do {
      try StrataLMDB.check(mdb_env_set_mapsize(environment, mapByteCount))
      try StrataLMDB.check(mdb_env_set_maxreaders(environment, UInt32(options.readerCountMax)))
      try StrataLMDB.check(mdb_env_set_maxdbs(environment, UInt32(options.treeCountMax)))
      let flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS) | options.durability.flags | access
      let permissions = mode_t(FileOwnership.permissionsOfNewFile)
      try StrataLMDB.check(mdb_env_open(environment, path, flags, permissions))
    } catch {
      mdb_env_close(environment)
      throw error
    }
    return environment
  }

  /// Checks that it is the intended file, and the pages that lead to its trees if the file was not
  /// checked as a whole. Clears dead readers.
  private static func check(
    _ environment: OpaquePointer, at path: String, expecting expected: FileIdentity?,
    isChecked: Bool
  ) throws(LMDBError) -> FileIdentity {
    var file: Int32 = -1
    try StrataLMDB.check(mdb_env_get_fd(environment, &file))
    let identity = try FileIdentity(of: file)
    // Another file was renamed to the path in between.
    if let expected, identity != expected { throw .noSuchFile }
    try StrataLMDB.check(mdb_reader_check(environment, nil))
    if !isChecked {
      let beginReading = { () throws(LMDBError) in try Environment.beginReading(environment) }
      try Environment.checkNewest(file, at: path, beginReading) { (header) throws(LMDBError) in
        try FileCheck.runOnDirectory(file, header)
      }
    }
    return identity
  }

  /// No system gives a map for more.
  private static var byteCountMaxMax: Int { .max / 8 }

  private static func byteCount(ofFileAt path: String) throws(LMDBError) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw LMDBError(code: errno) }
    return Int(status.st_size)
  }

  /// The path without symbolic links: the lock file's name is made from it.
  static func resolved(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    // The file is yet to be created: its folder is there.
    guard let slash = path.lastIndex(of: "/") else { return path }
    guard let folder = realpath(String(path[...slash]), nil) else { return path }
    defer { free(folder) }
    return String(cString: folder) + path[slash...]
  }
}

extension LMDBError {
  /// Whether the system may have refused to map as much: with ENOMEM, or under valgrind with
  /// EINVAL.
  fileprivate var mayBeOfMapSize: Bool { self == .outOfMemory || self == .io(errno: EINVAL) }
}
