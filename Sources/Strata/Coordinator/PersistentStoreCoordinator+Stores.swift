// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
import StrataPrimitives
import StrataStore

// Several stores on one coordinator.

extension PersistentStoreCoordinator {
  /// One of the stores of a coordinator. Core Data: `NSPersistentStore`.
  public struct Store: Sendable, Hashable, Identifiable {
    /// The store's identity, which copies of its file have too. Core Data: `identifier`.
    public let id: UUID
    /// The name of its description.
    public let name: String
    /// The URL of its file; nil for a store in memory.
    public let url: URL?
    /// The names of the entities of its description; nil for all.
    public let configuration: Set<String>?
    /// Whether it was opened read-only.
    public let isReadOnly: Bool

    init(_ store: any PersistentStore, _ description: PersistentStoreDescription) {
      (id, isReadOnly) = (store.uuid, store.isReadOnly)
      (name, url) = (description.name, description.url)
      configuration = description.configuration
    }

    /// The only store of a coordinator.
    ///
    /// - Parameter url: nil for a store in memory.
    init(_ store: any PersistentStore, at url: URL?) {
      self.init(
        store,
        url.map { PersistentStoreDescription(at: $0) }
          ?? PersistentStoreDescription(inMemory: "store"))
    }
  }

  /// Opens several stores with one model, and creates those that do not exist. Contexts see the
  /// objects of all stores together: fetches, counts and sort orders go over all of them. Core
  /// Data: `addPersistentStore(with:completionHandler:)`, for each store.
  ///
  /// An object is in one store for ever. A new one is in the first writable store whose
  /// configuration has its entity, unless `context.assign(_:to:)` or `init(context:in:)` says
  /// otherwise. Relationships lead to objects of the same store. A save changes objects of one
  /// store: `StoreError.severalStoresChanged`. Unique values are unique in their store.
  ///
  /// A store that is created here is numbered for the stores beside it, and can be opened by itself
  /// as well. One of the stores may be an older one that was created by itself; two of these cannot
  /// be used together. The order of the descriptions decides where new objects go and nothing else,
  /// so it may change. See <doc:Stores>.
  ///
  /// - Parameters:
  ///   - descriptions: the stores, one at least.
  ///   - model: the model of the program, which all stores have.
  ///   - removing: the names of entities, and of properties as `Entity.property`, whose data may be
  ///     deleted, for each store.
  /// - Precondition: there is a description.
  /// - Throws: `StoreError.incompatibleStores`, if the stores cannot be used together; the errors
  ///   of `init(at:model:)` for each store. Stores that were created or taken to the model before
  ///   the error stay so.
  public convenience init(
    stores descriptions: [PersistentStoreDescription], model: ManagedObjectModel,
    removing: Set<String> = []
  ) throws {
    require(
      !descriptions.isEmpty,
      "PersistentStoreCoordinator(stores:model:) takes 1 description or more: pass one.")
    let group = try StoreGroup.open(
      try descriptions.map { try $0.options }, model: model,
      removing: DataRemoval(parsing: removing))
    let stores = zip(group.members, descriptions).map { Store($0, $1) }
    self.init(store: group, model: model, stores)
  }

  /// The store that has an object, or that will have it when it is saved; nil for an object of
  /// another coordinator. Core Data: `NSManagedObjectID.persistentStore`.
  public func store(of id: ObjectID) -> Store? {
    guard schema.store.has(id), let place = store.place(of: id.key) else { return nil }
    return stores[place]
  }

  /// A coordinator of only one of the stores, for operations on it: its history, metadata,
  /// backups, compaction and batches. It uses the same open file. Contexts of this coordinator
  /// notice changes through it, as they notice any save.
  ///
  /// - Throws: `StoreError.noSuchStore` for a store of another coordinator.
  public func coordinator(for store: Store) throws -> PersistentStoreCoordinator {
    let place = try place(of: store)
    return PersistentStoreCoordinator(
      store: self.store.members[place], model: model, [stores[place]])
  }

  /// - Throws: `StoreError.noSuchStore`.
  func place(of store: Store) throws(StoreError) -> Int {
    guard let place = stores.firstIndex(of: store) else { throw .noSuchStore(name: store.name) }
    return place
  }
}
