// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataChanges
import StrataLMDB
package import StrataModel
import StrataPrimitives
package import StrataRecord

/// Strata's own store: one LMDB file, or a private temporary one.
///
/// Readers take snapshots and never wait. Saves are written by one thread; waiting saves share a
/// transaction.
///
/// ```
///  LMDBStore ──► OpenStore ──► Environment, Trees, TreeReaderPool, CommitQueue
///                   ▲
///  StoreView ───────┘   keeps the file open as long as it lives
/// ```
///
/// ## Lifetime
/// The file is closed when the store has been closed or released, its saves are finished, and its
/// snapshots are released. Two stores on one file share its environment.
///
/// ## Isolation
/// Sendable: any call from any thread.
package final class LMDBStore: PersistentStore {
  package let schema: Schema
  package let uuid: UUID
  package var feeds: [ChangeFeed] { [feed] }
  package let feed: ChangeFeed
  package let isReadOnly: Bool

  private let phase: CountedMutex<Phase>
  /// Taken by a compaction, from its beginning to its end.
  let compactionTurn = CountedMutex<Void>(())
  /// Taken by a thread that opens a failed file again. The others wait for it.
  let reopeningTurn = CountedMutex<Void>(())
  /// The idle readers of the open store. Snapshots are taken from here without a lock.
  let readers: TreeReaderPool

  /// The file as the store has it.
  ///
  /// ## States
  /// Open, exchanging, detached, closed.
  /// - open → exchanging: a compaction replaces the file. Readers and requests to write wait.
  /// - exchanging → open; or → detached if the file cannot be opened. The next use tries it again.
  /// - any → closed.
  enum Phase {
    case open(OpenStore)
    case exchanging(StoreExchange)
    case detached(DetachedStore)
    case closed
  }

  /// The options that the file was opened with.
  let options: EnvironmentOptions
  package let instrument: (any Instrument)?
  private let serials = SerialAllocator()

  /// - Parameter path: of the file, for its name; nil for a store in memory.
  private init(_ opened: OpenStore, options: EnvironmentOptions, path: String?) {
    self.options = options
    instrument = Instruments.make(named: Instruments.storeName(ofFileAt: path))
    readers = opened.readers
    schema = opened.queue.schema
    uuid = schema.store.uuid
    feed = opened.queue.feed
    isReadOnly = opened.queue.isReadOnly
    phase = CountedMutex(.open(opened))
  }

  // The idle readers hold the open store, which holds them.
  deinit { readers.close() }

  // MARK: - Opening

  /// How long callers wait for another process, unless they ask for something else.
  package static var busyTimeoutDefault: Duration { EnvironmentOptions.busyTimeoutDefault }

  /// Opens the store at `path`, or creates it there unless it is opened read-only.
  ///
  /// - Parameters:
  ///   - path: the path of the file; its folder must exist. The lock file is beside it, at `path` +
  ///     "-lock".
  ///   - removing: the data that may be deleted if `model` does not have its entities and
  ///     properties.
  ///   - durability: the failures that a finished save survives. All users of the file in this
  ///     process must ask for the same.
  ///   - byteCountMax: the size that the file may grow to; nil for 32 GiB. The first user of the
  ///     file in this process decides.
  ///   - busyTimeout: how long saves wait for a transaction of another process, and the opening for
  ///     another process that is opening the file; nil for ever. The first user of the file in this
  ///     process that writes decides.
  ///   - isReadOnly: whether the store writes nothing to the file, and may be on a read-only
  ///     medium.
  ///   - ignoresStamp: whether the whole file is checked, also if nothing has written to it since
  ///     it was closed or checked. Without effect if the process has the file open.
  ///   - origin: the parts that a new store shares with the other stores of its group; nil for a
  ///     store of its own.
  /// - Throws: `folderMissing`, `storeMissing`, `permissionDenied`, `notAStrataStore`,
  ///   `unsupportedFormat`, `modelMismatch`, `migrationRequired`, `tooManyModels`,
  ///   `uniquenessViolations` of a new constraint, `damaged`, `storeBusy`, `diskFull`, `storage`;
  ///   `wouldDeadlock` in code that the writer of the open store calls. A file at the path is then
  ///   unchanged.
  package static func open(
    at path: String, model: ManagedObjectModel, removing: DataRemoval = DataRemoval(),
    durability: StoreDurability = .full, byteCountMax: Int? = nil,
    busyTimeout: Duration? = LMDBStore.busyTimeoutDefault, isReadOnly: Bool = false,
    ignoresStamp: Bool = false, from origin: StoreOrigin? = nil
  ) throws(StoreError) -> LMDBStore {
    var kind = try StoreFile.kind(at: path)
    if kind == .nothing {
      if isReadOnly { throw .storeMissing(path: path) }
      try StoreFile.create(at: path, model: model, from: StoreBeginning(origin))
      kind = try StoreFile.kind(at: path)
    }
    guard kind == .lmdb else { throw .notAStrataStore(path: path) }
    if !isReadOnly { StoreFile.clearSecondName(of: path) }
    var options = EnvironmentOptions(
      durability: durability, byteCountMax: byteCountMax, busyTimeout: busyTimeout)
    options.isForReading = isReadOnly
    options.ignoresStamp = ignoresStamp
    // The trees of removed entities are opened to be emptied.
    options.treeCountMax = Trees.countMax(model) + 3 * removing.count
    let environment: Environment
    do throws(LMDBError) {
      environment = try Environment.open(at: path, options: options)
    } catch {
      throw StoreError(error, opening: path)
    }
    // An opening reads the catalog, and may write to it.
    if environment.isOnWriterThread { throw .wouldDeadlock }
    return LMDBStore(
      try OpenStore(
        environment, model: model, removing: removing, isReadOnly: isReadOnly, path: path),
      options: options, path: path)
  }

  /// A store in memory: the same code on a file without a name, gone with the last reference.
  ///
  /// - Parameters:
  ///   - origin: as in `open`.
  ///   - clock: the clock of the dates that the store and its contexts write.
  /// - Throws: `diskFull`, `permissionDenied`, `storage`: the folder for temporary files is needed.
  package static func inMemory(
    model: ManagedObjectModel, from origin: StoreOrigin? = nil, clock: StoreClock = .system
  ) throws(StoreError) -> LMDBStore {
    let environment = try StoreFile.createUnnamed(model: model, from: origin)
    return LMDBStore(
      try OpenStore(environment, model: model, path: environment.path, clock: clock),
      options: environment.options, path: nil)
  }

  // MARK: - Using

  package func snapshot() throws -> any Snapshot { try view() }

  /// The newest state; waits for a compaction that replaces the file.
  func view() throws(StoreError) -> StoreView {
    if let reader = try readers.take() { return try StoreView(reader) }
    if let view = try firstView() { return view }
    return try StoreView(TreeReader(of: opened()))
  }

  /// - Returns: nil if another process has just grown the file beyond the map.
  private func firstView() throws(StoreError) -> StoreView? {
    let opened = try opened()
    do throws(StoreError) {
      return try StoreView(TreeReader(of: opened))
    } catch {
      if opened.queue.environment.lastingError == nil { throw error }
      return nil
    }
  }

  /// The range of the serials that the store gives to its objects.
  ///
  /// - Throws: `closed`, `damaged`, `storage`.
  func serialRange() throws(StoreError) -> Int {
    let environment = try openEnvironment()
    let transaction: ReadTransaction
    do throws(LMDBError) {
      transaction = try environment.read()
    } catch {
      throw StoreError(error)
    }
    return StoreOrigin.range(of: try Catalog.firstFreeSerial(in: transaction))
  }

  package func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) {
    let completion = instrument.map { noting($0, completion) } ?? completion
    enqueue(.save(changeSet, completion), lendingThread: lendsThread)
  }

  package func execute(
    _ batch: StoreBatch, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void
  ) {
    let completion = instrument.map { noting($0, completion) } ?? completion
    enqueue(.batch(batch, completion), lendingThread: lendsThread)
  }

  package func edit(
    _ edit: HistoryEdit, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    enqueue(.history(edit, completion), lendingThread: false)
  }

  package func setValue(
    _ value: Data?, forKey key: String,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    enqueue(.value(value, key: key, completion), lendingThread: false)
  }

  package func metadata() throws -> StoredMetadata { try StoredMetadata(of: openEnvironment()) }

  package func backUp(to path: String, compacting: Bool, _ watch: BatchWatch) throws {
    let environment = try openEnvironment()
    try StoreBackup(of: environment, to: path, compacting: compacting, watch).run()
  }

  package func oldestReader() throws -> StoredReader? {
    try openEnvironment().oldestReader.map(StoredReader.init)
  }

  /// - Throws: as `opened`.
  func openEnvironment() throws(StoreError) -> Environment { try opened().queue.environment }

  /// The open store; waits for a compaction that replaces the file, and opens the file again after
  /// LMDB has failed to write its header, or another process has grown it beyond the map.
  ///
  /// - Throws: `closed`; the errors of opening the file again.
  func opened() throws(StoreError) -> OpenStore {
    while true {
      // Nothing in here may keep open an environment that is to be closed.
      if let opened = try usableStore() { return opened }
      if try !reopenFailedFile(), let lastingError { throw StoreError(lastingError) }
    }
  }

  /// - Returns: nil if its environment has failed.
  private func usableStore() throws(StoreError) -> OpenStore? {
    while true {
      switch phase.withLock({ $0 }) {
      case .open(let opened):
        return opened.queue.environment.lastingError == nil ? opened : nil
      case .exchanging(let exchange): exchange.wait()
      case .detached: try reopen()
      case .closed: throw .closed
      }
    }
  }

  private func reopen() throws(StoreError) {
    let exchange = StoreExchange()
    let former = change { phase in
      if case .detached = phase { phase = .exchanging(exchange) }
    }
    if case .detached(let file) = former { try attach(file, after: exchange) }
  }

  func enqueue(_ request: CommitQueue.Request, lendingThread lendsThread: Bool = false) {
    let isParked = phase.withLock { phase in
      guard case .exchanging(let exchange) = phase else { return false }
      exchange.park(request)
      return true
    }
    if isParked { return }
    do throws(StoreError) {
      try opened().queue.enqueue(request, lendingThread: lendsThread)
    } catch {
      request.fail(error)
    }
  }

  /// Changes the phase, unless the store is closed.
  ///
  /// - Returns: the former phase.
  @discardableResult
  func change(_ body: (inout Phase) -> Void) -> Phase {
    phase.withLock { phase in
      let former = phase
      if case .closed = former { return former }
      body(&phase)
      return former
    }
  }

  package var writingThreads: [UInt] {
    guard case .open(let opened) = phase.withLock({ $0 }) else { return [] }
    return [opened.queue.environment.writingThread, opened.queue.holder].compactMap { $0 }
  }

  /// Whether the caller runs in a job of the store's writer, or holds requests back: a wait for the
  /// writer would have no end.
  var isOnWriterThread: Bool {
    guard case .open(let opened) = phase.withLock({ $0 }) else { return false }
    return opened.queue.environment.isOnWriterThread
      || opened.queue.holder == CommitQueue.thisThread
  }

  /// The first free serial in the catalog; nil if it cannot be read.
  func firstFreeSerial() -> UInt64? { try? opened().queue.firstFreeSerial() }

  package func takeSerials(upTo countMax: Int) -> Range<UInt64> {
    if !isClosed { return serials.take(upTo: countMax, for: self) }
    // Nothing can be saved to a closed store: any number will do.
    let any = UInt64.random(in: 1..<ObjectKey.serialMax)
    return any..<(any + 1)
  }

  private var isClosed: Bool {
    phase.withLock { phase in if case .closed = phase { true } else { false } }
  }

  /// Has a block of serials, so that insertions need not wait while requests are held.
  ///
  /// - Throws: the errors of a save.
  package func fillSerials() throws { try serials.fill(for: self) }

  package var lockStatistics: LockStatistics {
    var statistics = LockStatistics()
    statistics.store = phase.waits
    return statistics
  }

  package func close() {
    // A compaction ends first.
    compactionTurn.withLock { _ in
      let last = change { $0 = .closed }
      readers.close()
      if case .open(let opened) = last { opened.queue.finish() }
    }
  }
}
