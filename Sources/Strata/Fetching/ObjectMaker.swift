// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataQuery
import StrataRecord

/// Makes the objects of a fetch from its results, one by one as they are found.
///
/// A record is copied once, from the page of the store to its object, and not at all if the object
/// has values already. Look-ups that are the same for all objects of a fetch are done once.
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
  /// The objects made, in the order of the fetch.
  @exclusivity(unchecked) private(set) var objects: [ManagedObject] = []
  /// The records of one fetch share blocks.
  @exclusivity(unchecked) private var arena = RecordArena()
  /// The binding of the present objects, if none of them has an awake method. The context retains
  /// it: counting a reference more for each object would take longer than filling one in.
  private var quietBinding: Uncounted<EntityBinding>?
  private var quietEntity: EntityNumber?

  /// The maximum number of objects for which space is reserved in advance.
  private static let expectedCountMax = 1 << 20

  /// - Parameter count: the expected number of objects; 0 if it is unknown.
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
    guard let quietBinding, cache === registry.cache, work.hasNoChange(of: key) else {
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
    let object = quietBinding.with {
      $0.type.init(_ObjectInitializer(binding: $0, key: key))
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
    let binding = registry.binding(of: entity)
    quietBinding =
      registry.schema.hooks.isDisjoint(with: .loading) ? binding.map(Uncounted.init) : nil
  }
}
