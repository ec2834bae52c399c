// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataChanges
package import StrataModel
import StrataPrimitives
package import StrataRecord
import Synchronization

/// Several stores that are used as one: each object is in one of them, and reads see the objects of
/// all. Each store has a file, a writer and a feed of its own.
///
/// ```
///               StoreGroup
///            ╱       │       ╲
///     LMDBStore  LMDBStore  LMDBStore      serials of range 0, 1, 2
/// ```
///
/// The range of an object's serial tells its store (`StoreOrigin`), so an object never moves from
/// one store to another. All stores have the same model with the same numbers. The generation in an
/// object's record is its own store's; nothing compares it with a generation of another store.
///
/// A save changes objects of one store and is a save of that store. A link between objects of two
/// stores is refused: no transaction can keep both ends true.
///
/// ## Invariants
/// - I1 The stores have different files and different ranges of serials.
/// - I2 The snapshots of a group show states of one moment each (`snapshot()`). So of two snapshots
///   one shows all that the other shows.
///
/// ## Isolation
/// Sendable: constant, and the stores are Sendable. The group has no lock.
package final class StoreGroup: PersistentStore {
  package let schema: Schema
  let groupMembers: [GroupMember]
  let routes: GroupRoutes
  package let instrument: (any Instrument)?

  /// - Parameter groupMembers: one at least; I1.
  init(_ groupMembers: [GroupMember], model: ManagedObjectModel) {
    self.groupMembers = groupMembers
    let first = groupMembers[0].store.schema
    let identities = groupMembers.map { ($0.range, $0.store.schema.store) }
    schema = Schema(
      model: model, numbers: first.numbers,
      store: StoreIdentity(groupOf: Dictionary(identities) { first, _ in first }),
      version: first.version, layouts: first.layouts)
    routes = GroupRoutes(groupMembers, schema)
    instrument = Instruments.make(named: groupMembers.map(\.name).joined(separator: "+"))
  }

  /// The identifier of the first store.
  package var uuid: UUID { groupMembers[0].store.uuid }

  package var members: [any PersistentStore] { groupMembers.map(\.store) }

  package var feeds: [ChangeFeed] { groupMembers.map(\.store.feed) }

  /// Whether all stores are read-only.
  package var isReadOnly: Bool { groupMembers.allSatisfy(\.store.isReadOnly) }

  package var writingThreads: [UInt] { groupMembers.flatMap(\.store.writingThreads) }

  // MARK: - Reading

  /// The stores as they were at one moment.
  ///
  /// A view of each is taken, one after the other. Then each but the last is looked at again. A
  /// view that is still the newest was the newest when the last view was taken, so all views show
  /// that moment. A view that is outdated is replaced, and the others are looked at again. So a
  /// reader takes no lock and waits for no saver; it repeats the look only if a store has committed
  /// in between, which takes a store longer than a look.
  package func snapshot() throws -> any Snapshot {
    var views: [StoreView] = []
    views.reserveCapacity(groupMembers.count)
    for member in groupMembers { views.append(try member.store.view()) }
    var place = 0
    var uncertainCount = views.count - 1
    var failureCount = 0
    while uncertainCount > 0 {
      // The look comes after the views that it confirms.
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      do {
        let newest = try views[place].renewed()
        if newest === views[place] {
          uncertainCount -= 1
        } else {
          views[place] = newest
          uncertainCount = views.count - 1
        }
      } catch {
        // A file that has failed since is opened again for a new view, if no view of it is held.
        failureCount += 1
        guard failureCount <= groupMembers.count else { throw error }
        views.remove(at: place)
        views.insert(try groupMembers[place].store.view(), at: place)
        uncertainCount = views.count - 1
      }
      place = (place + 1) % views.count
    }
    return GroupSnapshot(views, routes)
  }

  // MARK: - Saving

  package func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) {
    var changeSet = changeSet
    do throws(StoreError) {
      changeSet.storePlace = try routes.place(of: changeSet, schema)
    } catch {
      return completion(.failure(error))
    }
    groupMembers[changeSet.storePlace].store.commit(
      changeSet, lendingThread: lendsThread, completion: completion)
  }

  package func takeSerials(upTo countMax: Int) -> Range<UInt64> {
    let writable = groupMembers.first { !$0.store.isReadOnly }
    return (writable ?? groupMembers[0]).store.takeSerials(upTo: countMax)
  }

  /// One serial of the first writable store whose configuration has the entity. Without such a
  /// store it is one of an object that cannot be saved.
  package func takeSerials(upTo countMax: Int, for entity: EntityNumber) -> Range<UInt64> {
    guard let place = routes.defaultPlace(for: entity) else {
      let serial = UInt64.random(in: ObjectKey.unsavedSerialMin..<ObjectKey.serialMax)
      return serial..<(serial + 1)
    }
    return groupMembers[place].store.takeSerials(upTo: 1)
  }

  package func acceptance(
    of entity: EntityNumber, inStoreAt place: Int
  ) -> StoreAcceptance {
    if !groupMembers[place].accepts(entity) { return .notConfigured }
    return groupMembers[place].store.isReadOnly ? .readOnly : .accepted
  }

  package func place(of key: ObjectKey) -> Int? { routes.place(of: key) }

  // MARK: - The whole

  package var lockStatistics: LockStatistics {
    var statistics = LockStatistics()
    statistics.store = groupMembers.map(\.store.lockStatistics.store).reduce(LockWaits(), +)
    return statistics
  }

  /// The reader that is oldest in any of the stores.
  package func oldestReader() throws -> StoredReader? {
    try groupMembers.compactMap { try $0.store.oldestReader() }.max { $0.age < $1.age }
  }

  package func close() {
    for member in groupMembers { member.store.close() }
  }
}

/// A store of a group.
struct GroupMember: Sendable {
  let store: LMDBStore
  /// Of its serials.
  let range: Int
  /// For messages.
  let name: String
  /// The entities whose new objects it accepts; nil for all.
  let entities: Set<EntityNumber>?

  func accepts(_ entity: EntityNumber) -> Bool { entities?.contains(entity) ?? true }
}
