// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB

/// The environments that are open in this process, by file.
///
/// LMDB does not refuse to open a file twice in a process, and then closing one drops the locks of
/// the other. So each file's environment is found here by device and inode, however the path is
/// spelt.
///
/// ## Invariants
/// - I1: there is an entry for a file from before it is opened until after it is closed. An entry
///   whose environment is gone belongs to one that is closing: opening waits for it.
/// - I2: no two files share a lock file. A file that took the path of an open one is not opened.
///
/// ## Isolation
/// Any thread. Files are opened and closed under the registry's lock: both are rare.
enum EnvironmentRegistry {
  fileprivate struct Entry {
    let identity: FileIdentity
    weak var environment: Environment?
    /// The lock file that the environment uses.
    let lock: FileIdentity?
    /// The durability that the first user that writes has asked for; nil as long as all users only
    /// read.
    var durability: StoreDurability?
    /// Whether the environment is open for one operation.
    let isTransient: Bool

    /// Lets another user have the environment.
    ///
    /// - Throws: `permissionDenied`, `alreadyOpen`.
    mutating func admit(
      _ options: EnvironmentOptions, to environment: Environment
    ) throws(LMDBError) {
      if options.isForReading { return }
      guard environment.isWritable else { throw .permissionDenied }
      if let durability, durability != options.durability {
        throw .alreadyOpen(durability: durability)
      }
      guard durability == nil else { return }
      // Nothing writes yet, so the flags can change (lmdb.h: mdb_env_set_flags).
      let all = StoreDurability.allCases.reduce(0) { $0 | $1.flags }
      try environment.check(mdb_env_set_flags(environment.raw, all, 0))
      try environment.check(mdb_env_set_flags(environment.raw, options.durability.flags, 1))
      environment.writer.patience.setLimit(options.busyTimeout)
      durability = options.durability
    }
  }

  fileprivate struct State {
    /// Few, so that they are searched one by one.
    var entries: [Entry] = []
    /// The paths of files that are being replaced: they are not opened before that is over.
    var exchangedPaths: Set<String> = []

    func isExchanged(_ path: String) -> Bool {
      !exchangedPaths.isEmpty && exchangedPaths.contains(OpenedFile.resolved(path))
    }
  }

  fileprivate static let state = Monitor(State())

  /// Where LMDB keeps the lock file of a file.
  static func lockPath(of path: String) -> String { path + "-lock" }

  /// Calls `body` while no environment of this process has the file at `path` or its lock file, and
  /// no file is opened. Waits for one that is closing, and for jobs of the writer: a job that has
  /// answered its caller keeps the environment until it has ended.
  ///
  /// - Parameter path: without symbolic links.
  /// - Returns: nil if an environment has one of them; `body` was not called.
  static func whileClosed<Result>(
    at path: String, _ body: () throws -> Result?
  ) throws -> Result? {
    var user: Environment?
    if let result = try whileClosed(at: path, foundIn: &user, body) { return result }
    guard user?.awaitJobs() == true else { return nil }
    user = nil
    return try whileClosed(at: path, foundIn: &user, body)
  }

  /// - Parameter found: the environment that has one of the files. It is released after the lock,
  ///   which the last release of an environment takes.
  private static func whileClosed<Result>(
    at path: String, foundIn found: inout Environment?, _ body: () throws -> Result?
  ) throws -> Result? {
    try state.wait { state throws -> Result?? in
      // Looked up again after each wait: the path may lead to another file.
      let file = try FileIdentity(at: path, allowsEmpty: true)
      let lock = try FileIdentity(ofLockFileAt: lockPath(of: path))
      let user = state.entries.first { $0.identity == file || lock != nil && $0.lock == lock }
      guard let user else { return .some(try body()) }
      guard let environment = user.environment else { return nil }
      found = environment
      return .some(nil)
    }
  }

  /// Waits until no environment of this process has a file open.
  ///
  /// - Returns: false if one still has after `limit`.
  static func waitUntilClosed(_ file: FileIdentity, atMost limit: Duration) -> Bool {
    state.wait(atMost: limit) { state in !state.entries.contains { $0.identity == file } }
  }

  /// Lets only `FileExchange` open the file at a path, until `endExchange(ofFileAt:)`.
  static func beginExchange(ofFileAt path: String) {
    state.change { state in _ = state.exchangedPaths.insert(path) }
  }

  static func endExchange(ofFileAt path: String) {
    state.change { state in _ = state.exchangedPaths.remove(path) }
  }

  /// Closes the environment's file; called from its deinit.
  static func close(_ environment: Environment) {
    let (raw, identity) = (environment.raw, environment.identity)
    let lockFile = environment.lockFile
    if !environment.mapped.isBroken { environment.noteSoundFile() }
    environment.mapped.endGuard()
    state.change { state in
      // The system's list of the mutexes that a thread holds may lead through the map of a lock
      // file that was cut off, so that map stays.
      if lockFile?.isLost != true {
        mdb_env_close(raw)
        lockFile?.end()
      }
      state.entries.removeAll { $0.identity == identity }
    }
  }
}

extension Environment {
  /// Opens the file at `path`, or returns the environment that has it open already, whatever path
  /// and, except for the durability, whatever options that was opened with. The durability is that
  /// of the first user that writes. Waits for a transient environment to close, unless this use is
  /// transient, too.
  ///
  /// Dead readers are cleared. The file's own links are resolved, so that all processes use one
  /// lock file. Only its beginning and its length are checked here.
  ///
  /// - Important: Two processes must not reach one file by two *hard* links: each link has a lock
  ///   file of its own. Nothing else in the process may open the file or its lock file, not even to
  ///   copy it: closing them drops LMDB's locks.
  /// - Throws: `noSuchFile`, `permissionDenied` (also if the file is open only for readers,
  ///   because it could not be written to), `notAnLMDBFile`, `versionMismatch`, `corrupted` (the
  ///   file is shorter than it says), `unsupportedFileSystem`, `alreadyOpen`, `forked`,
  ///   `fileReplaced` (another file of this path is open, with the lock file that is there now),
  ///   `outOfMemory` (not even the smallest map fits), `busy`, `diskFull` and `io`.
  ///
  /// - Parameter isExchanging: whether the caller is replacing the file. All others wait until that
  ///   is over.
  package static func open(
    at path: String, options: EnvironmentOptions = EnvironmentOptions(), isExchanging: Bool = false
  ) throws(LMDBError) -> Environment {
    try ForkGuard.install()
    try ForkGuard.check()
    // Released after the lock, which the last release of an environment takes.
    var found: Environment?
    defer { withExtendedLifetime(found) {} }
    return try EnvironmentRegistry.state.wait { state throws(LMDBError) -> Environment? in
      if !isExchanging, state.isExchanged(path) { return nil }
      // Looked up again after each wait: the path may lead to another file.
      let identity = try FileIdentity(at: path, allowsEmpty: options.createIfMissing)
      if identity == nil && !options.createIfMissing { throw .noSuchFile }
      let place = identity.flatMap { file in
        state.entries.firstIndex { $0.identity == file }
      }
      if let place {
        if state.entries[place].isTransient, !options.isTransient { return nil }
        guard let environment = state.entries[place].environment else { return nil }
        found = environment
        try state.entries[place].admit(options, to: environment)
        return environment
      }
      let resolved = OpenedFile.resolved(path)
      let lock = try FileIdentity(ofLockFileAt: EnvironmentRegistry.lockPath(of: resolved))
      if let other = state.entries.first(where: { $0.lock == lock && lock != nil }) {
        guard let environment = other.environment else { return nil }
        found = environment
        throw .fileReplaced(path: resolved)
      }
      let opened = try OpenedFile(at: path, expecting: identity, options: options)
      let usedLock = try FileIdentity(
        ofLockFileAt: EnvironmentRegistry.lockPath(of: opened.path))
      let environment = Environment(taking: opened, options: options)
      // Without an error: the release of the environment would wait for the lock that is held here.
      if options.keepsName { try? environment.mapped.beginGuard(in: environment) }
      state.entries.append(
        EnvironmentRegistry.Entry(
          identity: environment.identity, environment: environment, lock: usedLock,
          durability: options.isForReading ? nil : options.durability,
          isTransient: options.isTransient))
      return environment
    }
  }
}
