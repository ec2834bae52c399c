// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataModel
import StrataRecord

// Registering objects, finding them by ID, and firing faults.

extension ManagedObjectContext {
  // MARK: - By ID

  /// The object with this ID: the registered one, or a new fault. Nothing is read, so nothing says
  /// whether such an object exists; if it does not, the fault reads as deleted when it fires. Core
  /// Data: `object(with:)`.
  ///
  /// - Throws: `ContextError.foreignObjectID` or `.unexpectedEntity` for an ID that cannot be one
  ///   of `type` in this store, `.objectNotFound` for one of an entity that the model does not
  ///   have.
  public func object<T: ManagedObject>(_ type: T.Type = T.self, with id: ObjectID) throws -> T {
    try checked(type, id)
  }

  /// The object with this ID, its values loaded. Core Data: `existingObject(with:)`.
  ///
  /// - Throws: `ContextError.objectNotFound` if it does not exist or is deleted here; the errors of
  ///   `object(_:with:)`; `StoreError` if reading fails.
  public func existingObject<T: ManagedObject>(
    _ type: T.Type = T.self, with id: ObjectID
  ) throws -> T {
    try reporter.throwDeferredError()
    fetcher.beginFetching()
    let object = try checked(type, id)
    if object.record == nil, object.isFault { try loader.load(object) }
    guard !object.isDeleted else { throw ContextError.objectNotFound(id) }
    return object
  }

  /// The object with this ID if it is registered here, or nil. No object is read.
  /// Core Data: `registeredObject(for:)`.
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    guard schema.store.has(id) else { return nil }
    reader.prepareToHandOut()
    return registry.cache.object(for: id.key)
  }

  private func checked<T: ManagedObject>(_ type: T.Type, _ id: ObjectID) throws -> T {
    guard schema.store.has(id) else { throw ContextError.foreignObjectID(id) }
    guard let object = loader.instance(of: id.key) else {
      throw ContextError.objectNotFound(id)
    }
    return try loader.typed(object)
  }
}
