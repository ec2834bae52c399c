// SPDX-License-Identifier: Apache-2.0
public import Strata
import StrataRecord
import StrataStore

/// A store in memory for one test, with the objects of a fixture.
///
/// ```swift
/// let store = try TestStore(ManagedObjectModel(Country.self, City.self), fixture)
/// let zurich = try store.objects["zurich"]
/// ```
///
/// Each store is a new one: two tests share nothing, also when they run at the same time. It is
/// gone with the last reference to its container.
///
/// The same work gives the same store each time. Serials begin at 1 and ascend in the order of
/// insertion, with gaps where several contexts insert, and dates come from `clock`. Only the UUID
/// of the store, which is part of an ID's URI, is another one each time; `ObjectID.shortName`
/// leaves it out.
public struct TestStore: Sendable {
  /// The container of the store, in memory. The store is gone with its last reference.
  public let container: PersistentContainer
  /// The IDs of the fixture's objects, by their names. The store has the objects: they are saved.
  public let objects: FixtureObjects
  /// The clock of the dates that Strata itself writes.
  public let clock: TestClock

  /// - Parameters:
  ///   - fixture: the objects that the store has at first.
  ///   - clock: by default a clock that stands at 2001-01-01.
  /// - Throws: as `Fixture.insert(into:)`; `StoreError`, if there is no room for the store's
  ///   private file.
  public init(
    _ model: ManagedObjectModel, _ fixture: Fixture = Fixture { _ in [:] },
    clock: TestClock = TestClock()
  ) throws {
    let store = try LMDBStore.inMemory(model: model, clock: StoreClock { clock.now })
    container = PersistentContainer(
      coordinator: PersistentStoreCoordinator(store: store, model: model), autosave: .manual)
    objects = try fixture.insert(into: container)
    self.clock = clock
  }
}
