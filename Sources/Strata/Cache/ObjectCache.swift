// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord

/// The objects of one context: its identity map, and the owner of the instances.
///
/// The cache has a byte budget. Beyond it a hand (`ClockHand`) moves in small steps: an object that
/// was used since the last round is spared; a clean one that only the cache holds becomes a fault,
/// and a round later it is released. So a walk over a million objects runs in the memory of a few
/// thousand, while objects that the program holds stay as they are. Refaulting is advice: objects
/// with unsaved values refuse.
///
/// The hand can release nothing that the program holds or has changed. While it meets only such
/// objects, it moves less and less often, so that holding a million objects costs next to nothing.
///
/// Records that were read together share a block, and one remaining record keeps the whole block. A
/// record that the hand spares a second time is copied to a block of its own: a program that holds
/// one object in a hundred of a walk holds a hundredth of its memory.
///
/// A record that was read in an earlier view may be *outdated*: another context has changed the
/// object. An object that the program holds keeps the values, as in Core Data; others become faults
/// at their next use. A record is valid for one *edition* of the cache: an object without an
/// edition is outdated, and beginning the next edition outdates all objects.
///
/// ## Invariants
/// - I1 At most one instance per key.
/// - I2 `byteCount` counts each instance and each record that an instance holds, or that awake
///   methods have set values over.
/// - I3 An object in `original` is registered and has values that an awake method set over those of
///   that record.
/// - I4 No object has a future edition.
///
/// ## Isolation
/// The context's.
final class ObjectCache {
  /// The estimated bytes of an instance and its table slot, without its record.
  static let objectByteCount = 160

  // Safety: `@exclusivity(unchecked)` saves run-time checks; accesses run no foreign code.
  @exclusivity(unchecked) private(set) var table = ObjectTable()
  @exclusivity(unchecked) private var hand = ClockHand()
  /// The records beneath the values that awake methods have set, on which changes are based.
  @exclusivity(unchecked) private(set) var original: [ObjectKey: Record] = [:]
  /// The bases of ancestors' pending updates, by the objects that show such an update's record.
  @exclusivity(unchecked) private var pendingBases: [ObjectKey: Base] = [:]
  /// The bytes of the external slots that awake methods have set, of the objects in `original`.
  private var awakened: [ObjectKey: ExternalValues] = [:]
  /// Clean objects that will become faults. The context calls their life cycle methods first.
  @exclusivity(unchecked) private(set) var waiting: [ManagedObject] = []

  /// The estimated size of the registered objects and their records, in bytes.
  @exclusivity(unchecked) private(set) var byteCount = 0
  /// Above this many bytes the clock hand moves.
  var byteBudget: Int
  /// Objects of another edition are outdated; those that were outdated by themselves have edition
  /// 0.
  @exclusivity(unchecked) private(set) var edition: UInt8 = 1

  /// Whether any object may be outdated.
  private(set) var mayHaveOutdated = false

  /// Whether no object is released, whatever the budget.
  var retainsAll = false

  init(byteBudget: Int) { self.byteBudget = byteBudget }

  /// An empty cache with the same settings.
  func emptied() -> ObjectCache {
    let cache = ObjectCache(byteBudget: byteBudget)
    (cache.edition, cache.retainsAll) = (edition, retainsAll)
    cache.table = ObjectTable(insertionCount: registrationCount)
    return cache
  }

  /// The registered instance of `key`, marked as used. It is a fault if it was outdated and only
  /// the cache holds it.
  func object(for key: ObjectKey) -> ManagedObject? {
    guard let index = table.index(of: key) else { return nil }
    if let edition = table[index]?.edition, edition != self.edition { renew(at: index) }
    guard let object = table[index] else { return nil }
    object.isRecentlyUsed = true
    return object
  }

  /// The registered instance of `key` as it is.
  func registeredObject(for key: ObjectKey) -> ManagedObject? {
    table.index(of: key).flatMap { table[$0] }
  }

  /// How many instances have been registered, also those that have gone.
  var registrationCount: Int { table.insertionCount }

  /// Registers an instance whose key has none, with its present values.
  func register(_ object: ManagedObject) {
    object.isRecentlyUsed = true
    object.edition = edition
    table.insert(object)
    byteCount += Self.objectByteCount + (object.record?.byteCount ?? 0)
    checkInvariants()
    if byteCount > byteBudget { makeRoom() }
  }

  /// Gives an object its record. All records of registered objects come and go through here.
  func setRecord(_ record: Record?, of object: ManagedObject) {
    put(record, into: object)
    if byteCount > byteBudget { makeRoom() }
  }

  private func put(_ record: Record?, into object: ManagedObject) {
    byteCount += (record?.byteCount ?? 0) - (object.record?.byteCount ?? 0)
    object.record = record
    forgetOriginal(object.key)
    checkInvariants()
  }

  /// Gives an object the values that an awake method has set over those of `original`.
  ///
  /// - Parameter external: the bytes of external slots among them.
  func setAwakened(
    _ record: Record, over original: Record, external: ExternalValues = ExternalValues(),
    of object: ManagedObject
  ) {
    let layout = object.binding.layout
    let external = external.fitting(
      record, layout, in: layout.externalSlots, orElse: awakened[object.key] ?? ExternalValues())
    setRecord(record, of: object)
    self.original[object.key] = original
    if !external.isEmpty { awakened[object.key] = external }
    byteCount += original.byteCount
    checkInvariants()
  }

  /// Whether an awake method has set an external slot over the value of the object's record.
  func isAwakened(_ object: ManagedObject, at slot: Int) -> Bool {
    guard !original.isEmpty, let original = original[object.key] else { return false }
    let layout = object.binding.layout
    return object.record?.stamp(at: slot, layout) != original.stamp(at: slot, layout)
  }

  /// The value of an external slot that an awake method has set.
  func awakenedValue(of object: ManagedObject, at slot: Int) -> ExternalData? {
    awakened[object.key]?[slot]
  }

  /// Gives an object the record that its draft was encoded to.
  ///
  /// - Parameter changed: the slots that were set as edits.
  /// - Returns: the record of its change: without the values that an awake method has set.
  func setEncoded(
    _ encoded: Record, changed: SlotSet, of object: ManagedObject, arena: inout RecordArena
  ) -> Record {
    guard !original.isEmpty, let base = original[object.key] else {
      // The hand does not move: the cost of saving many objects is not to depend on the number of
      // releasable clean ones. The end of the turn moves it.
      put(encoded, into: object)
      return encoded
    }
    let record = object.binding.layout.splice(
      base: base, changes: encoded, slots: changed, into: &arena)
    setAwakened(encoded, over: record, of: object)
    return record
  }

  /// Gives an object a new record, which another context has made. Values that an awake method has
  /// set stay, except for slots that the record changes.
  func replaceRecord(_ record: Record, of object: ManagedObject) {
    guard !original.isEmpty, let base = original[object.key], let former = object.record else {
      return setRecord(record, of: object)
    }
    let layout = object.binding.layout
    let awakened = layout.differingSlots(base, former)
      .subtracting(layout.differingSlots(base, record))
    var arena = RecordArena()
    setAwakened(
      layout.splice(base: record, changes: former, slots: awakened, into: &arena), over: record,
      of: object)
  }

  /// The object's record after edits and loading, without the values that an awake method has set.
  func originalRecord(of object: ManagedObject) -> Record? {
    if original.isEmpty { return object.record }
    return original[object.key] ?? object.record
  }

  // MARK: - Bases

  /// The base of a change of the object; nil for a fault.
  func base(of object: ManagedObject) -> Base? {
    guard let record = originalRecord(of: object) else { return nil }
    if !pendingBases.isEmpty, let base = pendingBases[object.key] { return base.over(record) }
    return Base(record: record, generation: object.generation)
  }

  /// Notes that the object's record is an ancestor's pending update with this base; nil for a
  /// committed record, or the record of an insertion.
  func notePending(_ base: Base?, of object: ManagedObject) {
    if base == nil && pendingBases.isEmpty { return }
    pendingBases[object.key] = base
  }

  /// The objects that show an ancestor's pending update.
  var keysOfPending: some Collection<ObjectKey> { pendingBases.keys }

  private func forgetOriginal(_ key: ObjectKey) {
    if !pendingBases.isEmpty { pendingBases[key] = nil }
    guard !original.isEmpty, let record = original.removeValue(forKey: key) else { return }
    awakened[key] = nil
    byteCount -= record.byteCount
  }

  /// Removes an instance from the cache; a program that holds it keeps it.
  func unregister(_ key: ObjectKey) {
    guard let index = table.index(of: key), let object = table.remove(at: index) else { return }
    byteCount -= Self.objectByteCount + (object.record?.byteCount ?? 0)
    forgetOriginal(key)
    object.binding.observed?.forget(object)
    checkInvariants()
    // A subclass's deinit may do anything: it runs when the cache is whole.
    withExtendedLifetime(object) {}
  }

  /// Reserves space for this number of additional objects, within the budget.
  func reserve(_ additionalCount: Int) {
    let affordable = retainsAll ? .max : byteBudget / Self.objectByteCount
    table.reserve(min(table.count + additionalCount, max(table.count, affordable)))
  }

  /// All registered instances, after releasing those that only the cache holds and that have no
  /// unsaved values, except for `waiting`.
  func heldObjects() -> [ManagedObject] {
    if !retainsAll {
      // By their keys, because releasing one moves others.
      for key in table.keys {
        if let index = table.index(of: key) { release(at: index, isForced: true) }
      }
    }
    return table.objects
  }

  /// All registered instances, in no particular order.
  var objects: [ManagedObject] { table.objects }

  /// The number of free slots that each step of the clock hand passes.
  private static let freeSlotsPerStep = 8

  /// Moves the clock hand by a few objects, if it is time.
  @inline(never)
  private func makeRoom() {
    guard hand.endsPause(at: byteCount) else { return }
    let isFutile = sweep(steps: 4)
    hand.beginPause(afterFutileMove: isFutile, at: byteCount, of: byteBudget)
  }

  /// Moves the clock hand on by `steps` objects, or until the budget is met.
  ///
  /// - Returns: whether the move was futile: it has met objects, and each of them must stay as it
  ///   is.
  @discardableResult
  func sweep(steps: Int) -> Bool {
    guard table.count > 0, !retainsAll else { return false }
    var stepsLeft = steps
    var slotsLeft = steps * Self.freeSlotsPerStep
    var metReleasable = false
    while stepsLeft > 0, slotsLeft > 0, byteCount > byteBudget {
      hand.advance(within: table.capacity)
      slotsLeft -= 1
      guard table[hand.index] != nil else { continue }
      stepsLeft -= 1
      if release(at: hand.index, isForced: false) { metReleasable = true }
    }
    return !metReleasable && stepsLeft < steps
  }

  // MARK: - Outdated objects

  /// How many objects are registered.
  var count: Int { table.count }

  /// Whether the object's record is current: no other context has changed the object since it was
  /// read.
  func isCurrent(_ object: ManagedObject) -> Bool { object.edition == edition }

  /// The record of `object` is of the present view.
  func noteCurrent(_ object: ManagedObject) { object.edition = edition }

  /// Marks an object as outdated: another context has changed it since its record was read.
  func outdate(_ key: ObjectKey) {
    guard let object = registeredObject(for: key) else { return }
    object.edition = 0
    mayHaveOutdated = true
    checkInvariants()
  }

  /// Marks all objects as outdated: other contexts may have changed any of them.
  func outdateAll() {
    if edition == .max {
      // Editions begin again, and no object may have a future one.
      for object in table.objects { object.edition = 0 }
      edition = 0
    }
    edition += 1
    mayHaveOutdated = true
    checkInvariants()
  }

  /// The clean objects that the program holds with values that may be outdated. O(registered
  /// objects).
  func heldOutdatedObjects() -> [ManagedObject] {
    var objects: [ManagedObject] = []
    var isAny = false
    for index in 0..<table.capacity {
      guard let edition = table[index]?.edition, edition != self.edition else { continue }
      isAny = true
      guard table.isHeld(at: index), let object = table[index],
        object.status == .clean, object.record != nil, object.draft == nil
      else { continue }
      objects.append(object)
    }
    mayHaveOutdated = isAny
    return objects
  }

  /// Turns an outdated object into a fault, if it is clean and only the cache holds it.
  @inline(never)
  private func renew(at index: Int) {
    guard !table.isHeld(at: index), let object = table[index],
      object.status == .clean || object.status == .gone, object.draft == nil
    else { return }
    object.status = .clean
    put(nil, into: object)
    object.edition = edition
    checkInvariants()
  }

  // MARK: - Letting go

  /// Turns the object in the slot at `index` into a fault, or lets it go if it is one, as far as it
  /// allows.
  ///
  /// - Returns: whether it need not stay as it is: false if it is held or has unsaved values.
  @discardableResult
  private func release(at index: Int, isForced: Bool) -> Bool {
    let isHeld = table.isHeld(at: index)
    guard let object = table[index], object.status == .clean, object.draft == nil else {
      return false
    }
    if isHeld || object.isRecentlyUsed, !isForced {
      object.isRecentlyUsed = false
      if object.wasSpared { separate(object) }
      object.wasSpared = true
      return !isHeld
    }
    if isHeld { return false }
    if object.record != nil, !object.binding.hooks.isDisjoint(with: .faulting) {
      object.isRecentlyUsed = false
      waiting.append(object)
    } else if object.record != nil, !isForced {
      put(nil, into: object)
    } else {
      unregister(object.key)
    }
    return true
  }

  /// Has the values of an object that stays keep no others in memory.
  private func separate(_ object: ManagedObject) {
    guard let record = object.record, record.sharesItsBlock else { return }
    object.record = record.separated()
    checkInvariants()
  }

  /// The next of `waiting` that is still clean and unused, removed from it, or nil.
  func nextWaiting() -> ManagedObject? {
    while let object = waiting.popLast() {
      if object.status == .clean, object.draft == nil, object.record != nil,
        !object.isRecentlyUsed
      {
        return object
      }
    }
    return nil
  }
}
