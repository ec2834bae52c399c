// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataQuery
import StrataRecord

/// Makes the objects of a fetch out of what it finds, each while it is found.
///
/// It exists so that a record is copied once, from the page of the store to under the object, and not at
/// all where the object has values already; and so that what is the same for all objects of a fetch is
/// looked up once.
///
/// ## Isolation
/// The context's, for the length of a fetch.
final class ObjectMaker: FetchTaker {
  private let loader: ObjectLoader
  private let registry: ObjectRegistry
  private let work: UnitOfWork
  /// The context's, when the fetch began.
  private let cache: ObjectCache
  /// Whether an ancestor's pending update may show an object.
  private let hasInheritedUpdates: Bool
  // Safety: `@exclusivity(unchecked)` spares each object several run-time checks. A maker is of one
  // fetch, and no access to these runs code that could reach it again.
  /// What was made, in the order of the fetch.
  @exclusivity(unchecked) private(set) var objects: [ManagedObject] = []
  /// The records of one fetch share blocks.
  @exclusivity(unchecked) private var arena = RecordArena()
  /// That of the objects that come at the moment, if none of them is to be told when it is made. The
  /// context holds it: to count a reference more for each object would take longer than to fill one in.
  private var quietHome: Uncounted<ObjectHome>?
  private var quietEntity: EntityNumber?

  /// Room for so many objects at most is made before they are there.
  private static let expectedCountMax = 1 << 20

  /// - Parameter count: how many objects are expected; 0 if nobody knows.
  init(_ loader: ObjectLoader, expecting count: Int) {
    self.loader = loader
    registry = loader.registry
    work = loader.work
    cache = registry.cache
    hasInheritedUpdates = work.view?.hasInheritedUpdates == true
    // The number comes from the file, and may be damaged.
    if count > 0 { expect(min(count, Self.expectedCountMax)) }
  }

  func expect(_ count: Int) {
    cache.reserve(count)
    if objects.isEmpty { objects.reserveCapacity(count) }
  }

  func take(_ key: ObjectKey, _ row: Row?) {
    guard let row else { return take(key, nil as StoredRecord?) }
    make(key, row.generation) { row.kept(in: &arena) }
  }

  func take(_ key: ObjectKey, _ stored: StoredRecord?) {
    if let stored {
      make(key, stored.generation) { stored.record }
    } else if let object = loader.instance(of: key) {
      objects.append(object)
    }
  }

  /// - Parameter record: makes the record, if it is to be kept.
  @inline(__always)
  private func make(_ key: ObjectKey, _ generation: UInt64, _ record: () -> Record) {
    if key.entity != quietEntity { turn(to: key.entity) }
    guard let quietHome, cache === registry.cache, work.hasNoChange(of: key) else {
      let object = loader.instance(of: key, generation: generation, holding: record)
      if let object { objects.append(object) }
      return
    }
    if let object = cache.object(for: key) {
      if object.record == nil {
        _ = loader.instance(of: key, generation: generation, holding: record)
      }
      objects.append(object)
      return
    }
    let object = quietHome.with {
      $0.type.init(ObjectSeed(home: $0, key: key))
    }
    object.generation = generation
    object.record = record()
    cache.register(object)
    if hasInheritedUpdates { loader.notePendingBase(of: object) }
    objects.append(consume object)
  }

  @inline(never)
  private func turn(to entity: EntityNumber) {
    quietEntity = entity
    let home = registry.home(of: entity)
    quietHome =
      registry.schema.hooks.isDisjoint(with: .loading) ? home.map(Uncounted.init) : nil
  }
}
