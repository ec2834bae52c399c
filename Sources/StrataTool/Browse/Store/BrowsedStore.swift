// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// The store that is browsed: one coordinator for all requests, and a context for each.
///
/// ## Isolation
/// Sendable: contexts are confined to the thread of the request that has made them.
final class BrowsedStore: Sendable {
  let coordinator: PersistentStoreCoordinator
  /// The name of the file.
  let name: String
  /// Tells open pages of changes.
  let watch = StoreWatch()

  init(_ coordinator: PersistentStoreCoordinator, name: String) {
    (self.coordinator, self.name) = (coordinator, name)
    watch.follow(coordinator)
  }

  var allowsChanges: Bool { !coordinator.isReadOnly }

  /// A context for one request. Its saves have the tool's name as their author.
  func makeContext() -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: coordinator)
    context.transactionAuthor = "strata browse"
    return context
  }

  /// - Throws: `HTTPRefusal` if the store has no such entity.
  func entity(_ name: String) throws(HTTPRefusal) -> EntityDescription {
    guard let entity = coordinator.model.entity(named: name) else {
      throw HTTPRefusal(.notFound, "The store has no entity of this name.")
    }
    return entity
  }

  /// The entity of an object; nil if the model no longer has it.
  func entity(of id: ObjectID) -> EntityDescription? {
    id.entityName.flatMap(coordinator.model.entity(named:))
  }

  /// The object that an address names.
  ///
  /// - Throws: `HTTPRefusal` if it does not exist; `StoreError` if reading fails.
  func object(
    _ entity: String, _ serial: String, in context: ManagedObjectContext
  ) throws -> ManagedObject {
    _ = try self.entity(entity)
    let schema = coordinator.store.schema
    guard let serial = UInt64(serial), let number = schema.entity(named: entity)?.number,
      let address = URL(
        string: "x-strata://\(schema.store.uuid.uuidString)/\(number.rawValue)/\(serial)"),
      let id = ObjectID(uriRepresentation: address)
    else { throw HTTPRefusal(.notFound, "This is not the address of an object.") }
    do {
      return try context.existingObject(with: id)
    } catch ContextError.objectNotFound {
      throw HTTPRefusal(.notFound, "\(id.shownText) does not exist, or it was deleted.")
    }
  }
}
