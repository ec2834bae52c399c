// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

// The store of a new object, of several that one coordinator has. The object's key says which it
// is, so another store means another key.

extension UnitOfWork {
  /// An initializer of a new object in one of the coordinator's stores.
  ///
  /// - Throws: `ContextError.cannotAssign`; `StoreError.noSuchStore`.
  func initializerForInsert(
    _ type: ManagedObject.Type, in store: PersistentStoreCoordinator.Store
  ) throws -> _ObjectInitializer {
    let binding = registry.binding(ofNew: type)
    let key = try newKey(of: binding.entity, in: store, coordinator.place(of: store))
    return _ObjectInitializer(binding: binding, key: key, status: .inserted)
  }

  /// Gives a new object a key of a store.
  ///
  /// - Throws: as `initializerForInsert`.
  func assign(_ object: ManagedObject, to store: PersistentStoreCoordinator.Store) throws {
    let place = try coordinator.place(of: store)
    if object.status == .inserted, coordinator.store.place(of: object.key) == place { return }
    let entity = object.binding.entity
    guard object.status == .inserted, object.draft != nil, hasNoChange(of: object.key) else {
      throw ContextError.cannotAssign(
        entity: entity.description.name, store: store.name,
        object.status == .inserted ? .turnEnded : .notNew)
    }
    if isLinked(object) {
      throw ContextError.cannotAssign(
        entity: entity.description.name, store: store.name, .linked)
    }
    let (former, key) = (object.key, try newKey(of: entity, in: store, place))
    registry.cache.unregister(former)
    object.key = key
    registry.cache.register(object)
    reporter.turn.replaceInserted(former, by: key)
  }

  private func newKey(
    of entity: EntitySchema, in store: PersistentStoreCoordinator.Store, _ place: Int
  ) throws -> ObjectKey {
    let refusal: ContextError.AssignmentRefusal? =
      switch coordinator.store.acceptance(of: entity.number, inStoreAt: place) {
      case .accepted: nil
      case .readOnly: .readOnly
      case .notConfigured: .notConfigured
      }
    if let refusal {
      throw ContextError.cannotAssign(
        entity: entity.description.name, store: store.name, refusal)
    }
    let serials = coordinator.store.members[place].takeSerials(upTo: 1)
    return ObjectKey(entity: entity.number, serial: serials.lowerBound)
  }

  /// Whether the object is at an end of any link that was set or removed in this turn.
  /// O(objects with edits + links).
  private func isLinked(_ object: ManagedObject) -> Bool {
    let key = object.key
    func hasTarget(_ other: ManagedObject, where isMeant: (ObjectKey) -> Bool) -> Bool {
      guard let draft = other.draft else { return false }
      return other.binding.entity.relationships.contains { relationship in
        guard let relationship, !relationship.isToMany else { return false }
        return draft.toOne(at: relationship.slot).map(isMeant) ?? false
      }
    }
    return hasTarget(object) { _ in true }
      || edits.drafted.contains { hasTarget($0) { $0 == key } }
      || edits.links.byPlace.contains { $0.owner == key || $1.keys.contains(key) }
      || reporter.turn.ends.contains { $0.key == key }
  }
}
