// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// The states of an object that the makers of a pending change had read when they made it.
///
/// A change has two references that differ in rare cases. Its *origin* is the record from which it
/// was made: the record of an update is its origin with the edited slots replaced. Its *readings*
/// are the committed record that its makers had read, and the pending records of ancestors above
/// that, up to the record that they were shown. The store finds conflicts by the readings, never by
/// the origin.
///
/// Nearly always one maker read a committed record and made the change from it. Then both are the
/// same, and `readings` is nil. If several contexts contribute to one change, each slot keeps its
/// own setter's reading.
///
/// ## Invariants
/// - I1 Without `readings`, the origin is the committed record of `generation`, or, if that is 0, a
///   pending record of an object that no store has.
/// - I2 `generation` is the generation of the first reading.
///
/// ## Isolation
/// Sendable: a value.
package struct Base: Sendable {
  /// The reading of the setter of some slots.
  package struct Reading: Sendable {
    /// The slots that the setter set. The first reading counts for all slots that no other one
    /// names.
    var slots: SlotSet
    fileprivate(set) var generation: UInt64
    /// The committed record; nil if the object was in no store.
    fileprivate(set) var committed: Record?
    /// The ancestors' pending records that were read above it, each made from the one before.
    fileprivate(set) var pending: [Record]

    fileprivate var shown: Record? { committed ?? pending.last }
    fileprivate var lastShown: Record? { pending.last ?? committed }

    fileprivate func has(_ isEqual: (Record) -> Bool) -> Bool {
      committed.map(isEqual) ?? false || pending.contains(where: isEqual)
    }

    fileprivate func isSame(as other: Reading) -> Bool {
      generation == other.generation
        && (Base.isOfStore(generation) || committed == other.committed)
        && pending.elementsEqual(other.pending, by: ==)
    }
  }

  /// Several readings, or one that the origin does not tell: shared by copies of the base.
  private final class Readings: Sendable {
    let all: [Reading]
    init(_ all: [Reading]) { self.all = all }
  }

  /// The origin.
  package private(set) var record: Record
  /// The generation of the committed record that was read; 0 if the object was in no store.
  package private(set) var generation: UInt64
  private var readings: Readings?

  /// The base of a change of a committed record, or of an ancestor's insertion.
  ///
  /// - Parameter generation: 0 if `record` is pending.
  package init(record: Record, generation: UInt64) {
    self.record = record
    self.generation = generation
    readings = nil
  }

  package init(_ stored: StoredRecord) {
    self.init(record: stored.record, generation: stored.generation)
  }

  private init(record: Record, _ all: [Reading]) {
    self.record = record
    generation = all[0].generation
    readings = Readings(all)
  }

  /// The generation of a committed record whose generation is unknown: no store has it.
  package static let unknownGeneration = UInt64.max

  /// Whether a generation tells which committed record it is of.
  fileprivate static func isOfStore(_ generation: UInt64) -> Bool {
    generation > 0 && generation != unknownGeneration
  }

  // MARK: - Readings

  /// Whether a pending record was read.
  package var hasReadPending: Bool { readings != nil || generation == 0 }

  /// Whether the origin is all that was read.
  package var hasReadOriginAlone: Bool { readings == nil }

  private var all: [Reading] {
    readings?.all ?? [
      Reading(
        slots: SlotSet(), generation: generation, committed: generation == 0 ? nil : record,
        pending: generation == 0 ? [record] : [])
    ]
  }

  /// The oldest committed record that a setter of `slots` had read; nil if the object was in no
  /// store.
  func oldestCommitted(setting slots: SlotSet) -> Record? {
    guard let readings else { return generation == 0 ? nil : record }
    let others = readings.all.dropFirst().filter { !$0.slots.isDisjoint(with: slots) }
    let named = others.reduce(into: SlotSet()) { $0.formUnion($1.slots) }
    let setters = slots.subtracting(named).isEmpty ? others : [readings.all[0]] + others
    return setters.filter { $0.committed != nil }.min { $0.generation < $1.generation }?.committed
  }

  /// Whether a change with this base was made from the state `beneath`, so that a merge has nothing
  /// to add.
  package func rests(on beneath: Base) -> Bool {
    guard record == beneath.record else { return false }
    return readings != nil || beneath.readings == nil && generation == beneath.generation
  }

  /// Whether both makers had read the same.
  func hasSameReadings(as other: Base) -> Bool {
    guard generation == other.generation else { return false }
    if readings == nil, other.readings == nil { return true }
    return readings === other.readings
      || all.elementsEqual(other.all) { $0.slots == $1.slots && $0.isSame(as: $1) }
  }

  /// Whether the last that was read is an ancestor's pending record.
  func hasRead(pending record: Record) -> Bool {
    if let readings { return readings.all[0].pending.last == record }
    return generation == 0 && self.record == record
  }

  /// The members of `slots` whose setter was not shown an ancestor's pending record.
  func slots(_ slots: SlotSet, readBefore pending: Record) -> SlotSet {
    guard let readings else { return generation == 0 && record == pending ? [] : slots }
    var before = SlotSet()
    var rest = slots
    for reading in readings.all.dropFirst() {
      rest.subtract(reading.slots)
      guard reading.pending.last != pending else { continue }
      before.formUnion(reading.slots.intersection(slots))
    }
    return readings.all[0].pending.last == pending ? before : before.union(rest)
  }

  /// The record as the setters were shown it as committed, or, if the object was in no store, as
  /// pending: each slot as its own setter.
  package func shown(_ layout: RecordLayout, into arena: inout RecordArena) -> Record {
    readings == nil ? record : joined(layout, into: &arena, by: \.shown)
  }

  /// The record that the setters were shown last, committed or pending: each slot as its own
  /// setter.
  func lastShown(_ layout: RecordLayout, into arena: inout RecordArena) -> Record {
    readings == nil ? record : joined(layout, into: &arena, by: \.lastShown)
  }

  /// A record that takes each slot from the reading of that slot's setter.
  private func joined(
    _ layout: RecordLayout, into arena: inout RecordArena, by record: (Reading) -> Record?
  ) -> Record {
    let all = all
    var joined = record(all[0]) ?? self.record
    for reading in all.dropFirst() {
      guard let other = record(reading) else { continue }
      joined = layout.splice(base: joined, changes: other, slots: reading.slots, into: &arena)
    }
    return joined
  }

  /// The base of the pending update that is the origin; nil if the origin is not a pending update.
  package var beneathOrigin: Base? {
    guard let readings, readings.all[0].pending.last == record else { return nil }
    var below = readings.all
    for index in below.indices { _ = below[index].pending.popLast() }
    guard let origin = below[0].committed ?? below[0].pending.last else { return nil }
    return Base(record: origin, below)
  }

  /// Whether the setters of `slots` have not read the state `stored`.
  ///
  /// - Parameters:
  ///   - slots: those that the change sets. An empty set means the whole object: it is deleted, or
  ///     was only read.
  ///   - isEqual: compares records, derived values left out.
  package func isOutdated(
    by stored: StoredRecord, setting slots: SlotSet, where isEqual: (Record, Record) -> Bool
  ) -> Bool {
    var rest = slots
    for reading in all.dropFirst() {
      rest.subtract(reading.slots)
      if !slots.isEmpty, reading.slots.isDisjoint(with: slots) { continue }
      if !reading.covers(stored, where: isEqual) { return true }
    }
    return (slots.isEmpty || !rest.isEmpty) && !all[0].covers(stored, where: isEqual)
  }

  /// The slots in which `stored` differs from every value that the setter of the slot had read.
  package func slotsDiffering(from stored: Record, _ layout: RecordLayout) -> SlotSet {
    guard readings != nil else { return layout.differingSlots(record, stored) }
    var differing = SlotSet()
    var named = SlotSet()
    for reading in all.dropFirst() {
      named.formUnion(reading.slots)
      differing.formUnion(
        reading.slotsDiffering(from: stored, layout).intersection(reading.slots))
    }
    return differing.union(all[0].slotsDiffering(from: stored, layout).subtracting(named))
  }

  // MARK: - Other bases

  /// More pending records than these are not remembered. A base that has forgotten the oldest of
  /// them may cause a conflict that need not be; it never hides one.
  private static let pendingCountMax = 16

  /// The base of a change that is made from `record`, which is pending with this base.
  package func over(_ record: Record) -> Base {
    var all = all
    for index in all.indices where all[index].pending.last != record {
      all[index].pending = all[index].pending.suffix(Self.pendingCountMax - 1) + [record]
    }
    return Base(record: record, all)
  }

  /// The same readings, of a change that is made from `origin`.
  package func moved(to origin: Record) -> Base {
    origin == record ? self : Base(record: origin, all)
  }

  /// This base with the readings of `other` for `slots`: the maker of `other` has set them.
  package func taking(_ slots: SlotSet, from other: Base) -> Base {
    if slots.isEmpty { return self }
    if readings == nil, other.readings == nil, generation == other.generation,
      Self.isOfStore(generation) || record == other.record
    {
      return self
    }
    var all = all
    for index in all.indices.dropFirst() { all[index].slots.subtract(slots) }
    var rest = slots
    for reading in other.all.dropFirst() {
      var taken = reading
      taken.slots = reading.slots.intersection(slots)
      rest.subtract(taken.slots)
      all.append(taken)
    }
    var taken = other.all[0]
    taken.slots = rest
    all.append(taken)
    let first = all[0]
    let others = all.dropFirst().filter { !$0.slots.isEmpty && !$0.isSame(as: first) }
    if readings == nil, others.isEmpty { return self }
    return Base(record: record, [first] + others)
  }

  /// The base when the pending `record` has become the stored one. The origin stays.
  ///
  /// - Parameter isEqual: compares records, derived values left out.
  package func committing(
    _ record: Record, as stored: StoredRecord, where isEqual: (Record, Record) -> Bool
  ) -> Base {
    guard generation == 0 || readings != nil else { return self }
    var all = all
    for index in all.indices {
      guard let place = all[index].pending.firstIndex(where: { isEqual($0, record) }) else {
        continue
      }
      all[index].generation = stored.generation
      all[index].committed = stored.record
      all[index].pending.removeFirst(place + 1)
    }
    let isPlain = all.allSatisfy { $0.pending.isEmpty && $0.generation == stored.generation }
    if isPlain, self.record == stored.record { return Base(stored) }
    return Base(record: self.record, all)
  }

  /// The base after a commit that contains the object: an ancestor has saved its pending change.
  ///
  /// - Parameters:
  ///   - generation: the generation of the commit.
  ///   - stored: the object's stored state now, or nil.
  ///   - isEqual: compares records, derived values left out.
  package func committed(
    with generation: UInt64, _ stored: StoredRecord?, where isEqual: (Record, Record) -> Bool
  ) -> Base {
    if let stored, stored.generation == generation {
      let became = committing(stored.record, as: stored, where: isEqual)
      if became.generation == generation || self.generation > 0 { return became }
    }
    // Something else has come since. An object that was in no store is one that the store had.
    guard self.generation == 0, let record = all[0].pending.last else { return self }
    return committing(
      record, as: StoredRecord(record: record, generation: Self.unknownGeneration), where: isEqual)
  }
}

extension Base.Reading {
  fileprivate func covers(
    _ stored: StoredRecord, where isEqual: (Record, Record) -> Bool
  ) -> Bool {
    generation == stored.generation || has { isEqual($0, stored.record) }
  }

  fileprivate func slotsDiffering(from stored: Record, _ layout: RecordLayout) -> SlotSet {
    var differing = layout.placedSlots
    for record in (committed.map { [$0] } ?? []) + pending {
      differing = differing.intersection(layout.differingSlots(record, stored))
    }
    return differing
  }
}
