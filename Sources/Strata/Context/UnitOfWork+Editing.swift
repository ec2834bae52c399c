// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension UnitOfWork {
  /// Whether nothing is unsaved of an object, drafts aside.
  @inline(__always)
  func hasNoChange(of key: ObjectKey) -> Bool {
    working.segments.isEmpty || working.change(for: key) == nil
  }

  // MARK: - Inserting

  package func initializerForInsert(_ type: ManagedObject.Type) -> _ObjectInitializer {
    let binding = registry.binding(ofNew: type)
    let entity = binding.entity.number
    let key = ObjectKey(entity: entity, serial: nextSerial(for: entity))
    return _ObjectInitializer(binding: binding, key: key, status: .inserted)
  }

  /// Inserts an object of an entity that is not abstract.
  ///
  /// - Parameter serial: the object's serial, which no object of the store may have; nil for the
  ///   next free one.
  func insert(_ binding: EntityBinding, serial: UInt64? = nil) -> ManagedObject {
    let entity = binding.entity.number
    let key = ObjectKey(entity: entity, serial: serial ?? nextSerial(for: entity))
    let object = binding.type.init(
      _ObjectInitializer(binding: binding, key: key, status: .inserted))
    didInsert(object)
    return object
  }

  /// A serial for a new object. Serials are fetched several at a time, but never more than the
  /// number of objects that wait to be encoded. So at least half are used, and serials of one turn
  /// are below serials of a later one, in other contexts too. Several stores give one at a time,
  /// because the next object may be of another entity.
  private func nextSerial(for entity: EntityNumber) -> UInt64 {
    if edits.serials.isEmpty {
      let count = min(max(edits.drafted.count, 1), Self.serialCountMax)
      edits.serials = coordinator.store.takeSerials(upTo: count, for: entity)
    }
    let serial = edits.serials.lowerBound
    edits.serials = (serial + 1)..<edits.serials.upperBound
    return serial
  }

  private static let serialCountMax = 64

  /// Registers a new object, and wakes it.
  func didInsert(_ object: ManagedObject) {
    let binding = object.binding
    // New objects get about the same values as earlier ones: one of those is looked at now and
    // then.
    let count = edits.drafted.count
    if count & (count - 1) == 0, let former = edits.drafted.last, former.binding === binding,
      let draft = former.draft
    {
      binding.noteNew(draft)
    }
    object.draft = Draft.make(
      binding.layout, base: binding.template, external: binding.templateExternal,
      heapByteCount: binding.heapByteCountOfNew, in: &edits.drafts)
    registry.cache.register(object)
    edits.drafted.append(object)
    reporter.turn.inserted.append(object.key)
    reporter.noteTouched()
    if binding.hooks.contains(.awakeFromInsert) { object.awakeFromInsert() }
  }

  // MARK: - Editing

  /// The draft that takes a new value of `slot`; nil if the object has no values to set, as a fault
  /// has none. Runs no code of the program.
  func draftForEditing(_ object: ManagedObject, _ slot: Int) -> Draft? {
    if let draft = object.draft { return draft }
    guard let record = object.record, object.isPresent else { return nil }
    // A stale object's edits are made over its own values, with the links that others have changed
    // since.
    if !orderedLists.isEmpty, !registry.cache.isCurrent(object) { orderedLists.removeAll() }
    let layout = object.binding.layout
    if !awaking.isEmpty, let awaking = awaking.last(where: { $0.object === object }) {
      object.draft = Draft.make(layout, base: record, in: &awaking.drafts)
      return object.draft
    }
    let draft =
      layout.variableSlots.contains(slot)
      ? Draft.make(layout, base: record, in: &edits.drafts)
      : Draft.make(patching: record, of: layout, in: &edits.arena, &edits.drafts)
    if let refusals = obstacles.refused.isEmpty
      ? nil : obstacles.refused.removeValue(forKey: object.key)
    {
      for (slot, refusal) in refusals { draft.refuse(refusal, at: slot) }
    }
    object.draft = draft
    if object.status == .clean { object.status = .updated }
    edits.drafted.append(object)
    reporter.turn.updated.append(object.key)
    reporter.noteTouched()
    return draft
  }
}
