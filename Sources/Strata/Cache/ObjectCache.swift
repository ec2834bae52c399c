// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The objects of one context: its identity map, and the owner of the instances.
///
/// The cache has a byte budget. Beyond it a clock hand goes round in small steps: an object that was
/// used since the last round is spared; a clean one that nobody else holds is turned into a fault,
/// and a round later let go. So a walk over a million objects runs in the memory of a few thousand,
/// while what the program holds on to stays as it is. Refaulting is advice: objects with unsaved
/// values refuse.
///
/// ## Invariants
/// - I1 At most one instance per key.
/// - I2 `places[index[key]]` is the instance of `key`; free places are nil and listed in `free`.
/// - I3 `byteCount` counts each instance and each record that an instance holds.
///
/// ## Isolation
/// The context's.
struct ObjectCache {
  /// What an instance and its place cost without its record, in bytes: an estimate.
  static let objectByteCount = 160

  private var index: [ObjectKey: Int] = [:]
  private var places: ContiguousArray<ManagedObject?> = []
  private var free: [Int] = []
  private var hand = 0

  /// What the registered objects and their records take, in bytes, by estimate.
  private(set) var byteCount = 0
  /// Above this many bytes the clock hand moves.
  var byteBudget: Int

  init(byteBudget: Int) { self.byteBudget = byteBudget }

  /// The registered instance of `key`, marked as used.
  func object(for key: ObjectKey) -> ManagedObject? {
    guard let place = index[key], let object = places[place] else { return nil }
    object.isRecentlyUsed = true
    return object
  }

  /// Registers an instance whose key has none.
  mutating func register(_ object: ManagedObject) {
    if let place = free.popLast() {
      places[place] = object
      index[object.key] = place
    } else {
      index[object.key] = places.count
      places.append(object)
    }
    object.isRecentlyUsed = true
    byteCount += Self.objectByteCount + (object.record?.byteCount ?? 0)
    if byteCount > byteBudget { sweep(steps: 4) }
  }

  /// Gives an object its record. All records of registered objects come and go through here.
  mutating func setRecord(_ record: Record?, of object: ManagedObject) {
    byteCount += (record?.byteCount ?? 0) - (object.record?.byteCount ?? 0)
    object.record = record
    if byteCount > byteBudget { sweep(steps: 4) }
  }

  /// Forgets an instance; whoever holds it keeps it.
  mutating func unregister(_ key: ObjectKey) {
    guard let place = index.removeValue(forKey: key), let object = places[place] else { return }
    byteCount -= Self.objectByteCount + (object.record?.byteCount ?? 0)
    places[place] = nil
    free.append(place)
  }

  /// All registered instances, after letting go of everything that nobody else holds and that has
  /// no unsaved values.
  mutating func heldObjects() -> [ManagedObject] {
    for place in places.indices { release(at: place, isForced: true) }
    return places.compactMap { $0 }
  }

  /// All registered instances, in no particular order.
  var objects: [ManagedObject] { places.compactMap { $0 } }

  /// Moves the clock hand on by `steps` places, or until the budget is met.
  mutating func sweep(steps: Int) {
    guard !places.isEmpty else { return }
    for _ in 0..<steps where byteCount > byteBudget {
      hand = hand + 1 < places.count ? hand + 1 : 0
      release(at: hand, isForced: false)
    }
  }

  /// Turns the object at `place` into a fault, or lets it go if it is one, as far as it allows.
  private mutating func release(at place: Int, isForced: Bool) {
    guard isKnownUniquelyReferenced(&places[place]), let object = places[place],
      object.status == .clean, object.draft == nil
    else { return }
    if object.isRecentlyUsed, !isForced {
      object.isRecentlyUsed = false
      return
    }
    if let record = object.record, !isForced {
      byteCount -= record.byteCount
      object.record = nil
      return
    }
    unregister(object.key)
  }
}
