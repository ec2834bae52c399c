// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
public import StrataModel
public import StrataStore

/// A store with the contexts that most programs need: a root that saves to the disk, a view context
/// for the main actor, and any number of background contexts, all children of the root. Core Data:
/// `NSPersistentContainer`.
///
/// ```
///   viewContext     newBackgroundContext() …     saves in memory
///            ╲       ╱
///              root                              saves to the disk
///               │
///       store coordinator
/// ```
///
/// Use a background context for heavy work. Its saves reach the root in memory, where the view
/// context sees them; the disk is written when the root saves: `try await container.root.save()`.
///
/// - Important: Changes that the root has not saved are lost, without an error, when the process
///   ends. Call `flush()` before that, also with `autosave`.
///
/// ## Isolation
/// Sendable: its contexts are queues, except for `viewContext`, which is the main actor's.
public final class PersistentContainer: Sendable {
  /// The coordinator of the store: the parent of `root`. It has the operations on the whole store,
  /// such as backups, batches and the history. Core Data: `persistentStoreCoordinator`.
  public let coordinator: PersistentStoreCoordinator
  /// The topmost context; only its saves reach the disk.
  public let root: ContextQueue
  /// The model that the store was opened with. Core Data: `managedObjectModel`.
  public let model: ManagedObjectModel

  /// When the root is saved to the disk by itself.
  public let autosave: Autosave
  private let saver: RootAutosave?

  @MainActor private var viewContextKeeper: MainContextKeeper?

  /// Opens the store at `url`, or creates it unless it is opened read-only.
  ///
  /// - Parameters:
  ///   - url: the URL of a file; its folder must exist.
  ///   - model: the model of the program. A store with an earlier model is taken to it.
  ///   - removing: the names of entities, and of properties as `Entity.property`, that the store
  ///     has and the model does not: their data is deleted. Without it they are an error.
  ///   - durability: the failures that a finished save survives.
  ///   - maximumByteCount: the size in bytes that the file may grow to; nil for 32 GiB. See the
  ///     initializer of `PersistentStoreCoordinator` with the same parameters.
  ///   - busyTimeout: how long saves wait for another process; nil for ever. See the same
  ///     initializer.
  ///   - isReadOnly: whether contexts can read the store and not save to it. The saves of children
  ///     to the root succeed; saves of the root throw `StoreError.readOnly`.
  ///   - autosave: when the root is saved to the disk by itself.
  /// - Throws: as `PersistentStoreCoordinator`'s initializer.
  public convenience init(
    at url: URL, model: ManagedObjectModel, removing: Set<String> = [],
    durability: StoreDurability = .full, maximumByteCount: Int? = nil,
    busyTimeout: Duration? = PersistentStoreCoordinator.defaultBusyTimeout,
    isReadOnly: Bool = false, autosave: Autosave = .manual
  ) throws {
    self.init(
      coordinator: try PersistentStoreCoordinator(
        at: url, model: model, removing: removing, durability: durability,
        maximumByteCount: maximumByteCount, busyTimeout: busyTimeout, isReadOnly: isReadOnly),
      autosave: autosave)
  }

  /// A container in memory: the same semantics, gone with the last reference to it.
  ///
  /// - Parameters:
  ///   - model: the model of the program.
  ///   - autosave: when the root is saved to the store by itself.
  /// - Throws: `StoreError`, if there is no room for its private file.
  public convenience init(inMemory model: ManagedObjectModel, autosave: Autosave = .manual) throws {
    self.init(coordinator: try PersistentStoreCoordinator(inMemory: model), autosave: autosave)
  }

  /// Opens several stores, and creates those that do not exist.
  ///
  /// A save of the root to the disk is of one store. The root has the changes of all contexts
  /// beneath it, so save each store's changes through (`save(to: .store)`) before changes of
  /// another store reach the root; or make contexts directly below the coordinator. So there is no
  /// `autosave`.
  ///
  /// - Parameters:
  ///   - descriptions: the stores, one at least.
  ///   - model: the model of the program, which all stores have.
  ///   - removing: the names of entities, and of properties as `Entity.property`, that a store has
  ///     and the model does not: their data is deleted. Without it they are an error.
  /// - Throws: as `PersistentStoreCoordinator.init(stores:model:removing:)`.
  public convenience init(
    stores descriptions: [PersistentStoreDescription], model: ManagedObjectModel,
    removing: Set<String> = []
  ) throws {
    self.init(
      coordinator: try PersistentStoreCoordinator(
        stores: descriptions, model: model, removing: removing),
      autosave: .manual)
  }

  /// A container over a coordinator that is already open.
  package init(coordinator: PersistentStoreCoordinator, autosave: Autosave) {
    self.coordinator = coordinator
    model = coordinator.model
    root = ContextQueue(parent: coordinator)
    self.autosave = autosave
    saver =
      switch autosave {
      case .manual: nil
      case .afterEachPush(let interval): RootAutosave(of: root, after: interval)
      }
  }

  deinit {
    guard saver == nil, !coordinator.isReadOnly, !root.layer.current.published.isEmpty,
      let url = coordinator.stores.first?.url
    else { return }
    StrataLog.log(
      StrataLog.Message(
        .warning,
        "A container was deallocated while its root had unsaved changes. They are lost unless "
          + "another reference keeps the root and saves it. Save the root first, or make the "
          + "container with autosave.",
        metadata: ["store": url.path]))
  }

  /// The main actor's context, a child of the root; made at the first use. Core Data:
  /// `viewContext`.
  ///
  /// Its turns end by themselves when the main actor gets to its next job; unsaved changes stay
  /// pending. Its saves go to the root, in memory. It keeps the root and the store alive, and not
  /// the container.
  @MainActor public var viewContext: ManagedObjectContext {
    if let viewContextKeeper { return viewContextKeeper.context }
    let context = ManagedObjectContext(
      place: root.place, confinement: .mainActor, sameIsolationParent: nil)
    context.tracksObservation = true
    MainTurns.integrateArrivals(of: context)
    viewContextKeeper = MainContextKeeper(context)
    return context
  }

  // MARK: - Saving to the disk

  /// The errors of saves that the container made by itself. The changes stay in the root, and are
  /// saved with the next ones. Empty with `Autosave.manual`.
  ///
  /// Up to 16 errors are kept for a slow consumer, the last ones. It is for one consumer, and ends
  /// when the root is deallocated.
  public var autosaveFailures: AsyncStream<any Error> {
    saver?.failures ?? AsyncStream { $0.finish() }
  }

  /// Saves the root's changes to the disk and waits for it, whatever `autosave` is: before the
  /// process ends, for example. Unsaved changes of the contexts below the root are not saved.
  ///
  /// - Throws: as `ContextQueue.save()`.
  public func flush(isolation: isolated (any Actor)? = #isolation) async throws {
    try await root.save(isolation: isolation)
  }

  // MARK: - Contexts

  /// A context with a queue of its own, a child of the root.
  ///
  /// Its merge policy is `.error`: a save to the root fails with `StoreError.conflicts` if it sets
  /// a property that others have changed there since it was read, so that no addition of two
  /// workers is lost. Core Data: the later save wins.
  public func newBackgroundContext() -> ContextQueue {
    let queue = ContextQueue(parent: root)
    queue.context.mergePolicy = .error
    return queue
  }

  /// Runs `body` in a new background context. Changes that it does not save are discarded.
  ///
  /// - Throws: the errors of `body`.
  @discardableResult
  public func performBackgroundTask<T>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    try await newBackgroundContext().perform(body)
  }
}
