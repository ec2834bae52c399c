// SPDX-License-Identifier: Apache-2.0
import Observation
import StrataModel

/// The objects of one context that may be observed, each with a registrar of Swift's Observation:
/// so `withObservationTracking` sees changes of single properties of single objects.
///
/// Only contexts with `tracksObservation` have one, and their objects' bindings lead to it. In
/// other contexts a getter finds nil there, and a setter finds that the object has no
/// `observation`.
///
/// ## Invariants
/// - I1 `registrars[object.observation]` is the registrar of `object`; index 0 is unused.
///
/// ## Lifetime
/// An object gets its registrar when a property is first read, and loses it when the cache releases
/// it. An observer must hold the object that it observes, or it is not notified of changes after
/// that.
///
/// ## Isolation
/// The context's.
@usableFromInline
final class ObservedObjects {
  private struct WeakObject {
    weak var object: ManagedObject?
  }

  private var registrars: ContiguousArray<ObservationRegistrar?> = [nil]
  /// The objects of which a to-many relationship was read, by their `observation`. They are held
  /// weakly: an object's `deinit` and its life cycle methods may read, too.
  private var owners: [UInt32: WeakObject] = [:]
  private var free: [UInt32] = []
  /// One for each slot, whatever the entity.
  private var keyPaths: [KeyPath<ManagedObject, Int>] = []

  /// Whether no object has a registrar.
  var isEmpty: Bool { registrars.count - 1 == free.count }

  /// Notes a read of the property at `slot`. Never inlined: getters are to pay only for the check
  /// whether the context tracks observation.
  @inline(never)
  func access(_ object: ManagedObject, _ slot: Int) {
    guard object.status != .detached else { return }
    registrar(of: object).access(object, keyPath: keyPath(of: slot))
    if object.binding.entity.relationships[slot]?.isToMany == true {
      owners[object.observation] = WeakObject(object: object)
    }
  }

  /// Tells observers that the property at `slot` is about to change.
  @inline(never)
  func willSet(_ object: ManagedObject, _ slot: Int) {
    guard let registrar = registrars[Int(object.observation)] else { return }
    registrar.willSet(object, keyPath: keyPath(of: slot))
  }

  /// Tells observers that the property at `slot` has changed.
  @inline(never)
  func didSet(_ object: ManagedObject, _ slot: Int) {
    guard let registrar = registrars[Int(object.observation)] else { return }
    registrar.didSet(object, keyPath: keyPath(of: slot))
  }

  /// The objects of which a to-many relationship may be observed. O(their number).
  var ownersOfMembers: [ManagedObject] { owners.values.compactMap(\.object) }

  /// Releases the object's registrar.
  func forget(_ object: ManagedObject) {
    guard object.observation != 0 else { return }
    registrars[Int(object.observation)] = nil
    owners[object.observation] = nil
    free.append(object.observation)
    object.observation = 0
  }

  private func registrar(of object: ManagedObject) -> ObservationRegistrar {
    if let registrar = registrars[Int(object.observation)] { return registrar }
    let registrar = ObservationRegistrar()
    if let place = free.popLast() {
      object.observation = place
      registrars[Int(place)] = registrar
    } else {
      object.observation = UInt32(registrars.count)
      registrars.append(registrar)
    }
    return registrar
  }

  private func keyPath(of slot: Int) -> KeyPath<ManagedObject, Int> {
    while keyPaths.count <= slot {
      let next = keyPaths.count
      keyPaths.append(\ManagedObject.[observed: next])
    }
    return keyPaths[slot]
  }
}

extension ManagedObject {
  /// The target of a key path for Observation: the property at a slot. It is never read.
  fileprivate final subscript(observed slot: Int) -> Int { slot }
}
