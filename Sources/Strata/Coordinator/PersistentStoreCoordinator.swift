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
public final class PersistentStoreCoordinator: SnapshotSource {
  package let store: any PersistentStore
  /// Guards the pointers of all layers above.
  package let layerLock = LayerLock()
  package let schema: Schema
  let remoteChangeStreams = RemoteChangeStreams()

  public let model: ManagedObjectModel

  /// Opens the store at `url`, or creates it.
  ///
  /// - Parameters:
  ///   - url: the URL of a file; its folder must exist. The lock file with the same name and
  ///     `-lock` is kept beside it.
  ///   - removing: the names of entities, and of properties as `Entity.property`, that the store
  ///     has and the model does not: their data is deleted. Without it they are an error.
  ///   - durability: the failures that a finished save survives.
  ///   - maximumByteCount: the size in bytes that the file may grow to, 1 MiB at least: a save that
  ///     needs more fails with `StoreError.storeFull`, with nothing lost. Nil for 1 TiB. The first
  ///     coordinator of the file in this process decides. A larger file stays as large as it is.
  /// - Throws: `StoreError`, among others `.modelMismatch` if the store was made with a model from
  ///   which the way to this one cannot be inferred.
  public convenience init(
    at url: URL, model: ManagedObjectModel, removing: Set<String> = [],
    durability: StoreDurability = .full, maximumByteCount: Int? = nil
  ) throws {
    self.init(
      store: try LMDBStore.open(
        at: url.path, model: model, removing: removing, durability: durability,
        byteCountMax: maximumByteCount),
      model: model)
  }

  /// A store in memory: the same semantics, gone with the last reference to the coordinator. It may
  /// grow to 64 GiB, in a private file in the folder for temporary files.
  ///
  /// - Throws: `StoreError`, if there is no room for its private file.
  public convenience init(inMemory model: ManagedObjectModel) throws {
    self.init(store: try LMDBStore.inMemory(model: model), model: model)
  }

  package init(store: any PersistentStore, model: ManagedObjectModel) {
    self.store = store
    self.model = model
    schema = store.schema
  }

  package var feed: ChangeFeed { store.feed }

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
