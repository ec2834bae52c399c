// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataChanges
public import StrataModel
import StrataPrimitives
import StrataRecord
public import StrataStore

/// Connects contexts with the store: the parent of topmost contexts, the target of their saves and
/// the source of their snapshots. Core Data: `NSPersistentStoreCoordinator`.
///
/// Several contexts may use one coordinator, on any threads; several coordinators may have one file
/// open.
///
/// ## Isolation
/// Sendable: it does not change, and its parts guard themselves.
public final class PersistentStoreCoordinator: SnapshotSource {
  package let store: any PersistentStore
  /// Guards the pointers of all layers above.
  package let layerLock = LayerLock()
  package let schema: Schema
  let remoteChangeStreams = RemoteChangeStreams()
  /// Observes saves and fetches of the contexts; nil unless the program has asked for it.
  let instrument: (any Instrument)?

  /// The model that the store was opened with. Core Data: `managedObjectModel`.
  public let model: ManagedObjectModel

  /// The stores, in the order of their descriptions; one unless the coordinator was made with
  /// several. Core Data: `persistentStores`.
  public var stores: [Store] { known ?? [Store(store, at: url)] }

  /// Nil if the coordinator was made without descriptions: an opening has nothing to describe.
  private let known: [Store]?
  /// The URL of the only store's file; nil for a store in memory, and if there is `known`.
  private let url: URL?

  /// Whether the store was opened read-only: saves to it throw `StoreError.readOnly`. Whether all
  /// stores were, if there are several. Core Data: `NSPersistentStore.isReadOnly`.
  public var isReadOnly: Bool { store.isReadOnly }

  /// How long a change of a store waits for another process, unless the program asks for something
  /// else: 30 seconds.
  public static let defaultBusyTimeout: Duration = LMDBStore.busyTimeoutDefault

  /// Opens the store at `url`, or creates it unless it is opened read-only.
  ///
  /// - Parameters:
  ///   - url: the URL of a file; its folder must exist. The lock file with the same name and
  ///     `-lock` is kept beside it.
  ///   - model: the model of the program. A store with an earlier model is taken to it.
  ///   - removing: the names of entities, and of properties as `Entity.property`, that the store
  ///     has and the model does not: their data is deleted. Without it they are an error.
  ///   - durability: the failures that a finished save survives.
  ///   - maximumByteCount: the size in bytes that the file may grow to, 1 MiB at least: a save that
  ///     needs more fails with `StoreError.storeFull`, with nothing lost. Deletions, and updates
  ///     that make nothing longer, succeed in a full store too; for them the file may become twice
  ///     as large. Nil for 32 GiB, or for twice the size of a file that is larger. The process uses
  ///     twice as many addresses, which costs no memory. The first coordinator of the file in this
  ///     process decides. A larger file stays as large as it is, also if another process with a
  ///     larger limit has made it larger.
  ///   - busyTimeout: how long a save, a batch, a migration and every other change of the store
  ///     wait while another process writes to it, or was stopped in the middle of that; and how
  ///     long opening waits while another process opens the file. After that they fail with
  ///     `StoreError.storeBusy`, which names the process, and have changed nothing. Nil to wait for
  ///     ever, zero not to wait. Waiting for others of this process does not count. The first
  ///     coordinator of the file in this process that is not read-only decides. Core Data has no
  ///     equivalent; SQLite: `sqlite3_busy_timeout`.
  ///   - isReadOnly: whether contexts can read the store and not save to it. The store is neither
  ///     created nor migrated, and its file is not changed; it may be on a read-only medium. Core
  ///     Data: `NSReadOnlyPersistentStoreOption`. See <doc:Stores>.
  /// - Throws: `StoreError`:
  ///   - `.notAFileURL`: the URL does not begin with `file:`.
  ///   - `.malformedNames`: an entry of `removing` can name neither an entity nor a property.
  ///   - `.modelMismatch`: the store was made with a model from which the way to this one cannot be
  ///     inferred. `.migrationRequired`: it can be inferred, and the store is opened read-only.
  ///   - `.uniquenessViolations`: the objects of the store break a new constraint.
  ///   - `.folderMissing`, `.storeMissing`: there is no folder to create the store in, or no file
  ///     to open read-only.
  ///   - `.permissionDenied`: the file, its lock file or their folder may not be read and written.
  ///   - `.notAStrataStore`, `.unsupportedFormat`, `.damaged`: the file cannot be read.
  ///   - `.storeBusy`: another process is opening the file, or writes while the store is to be
  ///     taken to the model, for longer than `busyTimeout`.
  ///   - `.fileReplaced`: this process still has the former file of the path open.
  ///   - `.storeFull`: `maximumByteCount` leaves no room for the change to this model.
  ///     `.tooManyModels`: the store has had too many.
  ///   - `.diskFull`, `.storage`: the system has refused an operation.
  public convenience init(
    at url: URL, model: ManagedObjectModel, removing: Set<String> = [],
    durability: StoreDurability = .full, maximumByteCount: Int? = nil,
    busyTimeout: Duration? = defaultBusyTimeout, isReadOnly: Bool = false
  ) throws {
    self.init(
      store: try LMDBStore.open(
        at: url.storePath, model: model, removing: DataRemoval(parsing: removing),
        durability: durability, byteCountMax: maximumByteCount, busyTimeout: busyTimeout,
        isReadOnly: isReadOnly),
      model: model, at: url)
  }

  /// A store in memory: the same semantics, gone with the last reference to the coordinator. It may
  /// grow to 16 GiB, in a private file in the folder for temporary files.
  ///
  /// - Throws: `StoreError`, if there is no room for its private file.
  public convenience init(inMemory model: ManagedObjectModel) throws {
    self.init(store: try LMDBStore.inMemory(model: model), model: model)
  }

  package init(store: any PersistentStore, model: ManagedObjectModel, at url: URL? = nil) {
    self.store = store
    self.model = model
    schema = store.schema
    instrument = store.instrument
    (known, self.url) = (nil, url)
  }

  /// - Parameter stores: the members of `store`.
  init(store: any PersistentStore, model: ManagedObjectModel, _ stores: [Store]) {
    self.store = store
    self.model = model
    schema = store.schema
    instrument = store.instrument
    (known, url) = (stores, nil)
  }

  package var feeds: [ChangeFeed] { store.feeds }

  package func snapshot() throws -> any Snapshot { try store.snapshot() }

  /// How often and how long threads have waited for the locks that reads pass through, since the
  /// coordinator was made: a check that reads never wait. Counting costs nothing unless a thread
  /// waits. Core Data has no equivalent.
  package var lockStatistics: LockStatistics {
    var statistics = store.lockStatistics
    statistics.layers = layerLock.waits
    statistics.keyPaths = model.entities.map(\.keyPathWaits).reduce(LockWaits(), +)
    return statistics
  }
}
