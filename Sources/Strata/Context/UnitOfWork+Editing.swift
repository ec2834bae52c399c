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

  package func seedForInsert(_ type: ManagedObject.Type) -> ObjectSeed {
    let home = registry.home(ofNew: type)
    let key = ObjectKey(entity: home.entity.number, serial: nextSerial())
    return ObjectSeed(home: home, key: key, status: .inserted)
  }

  /// A serial for a new object. Serials are fetched several at a time, but never more than the
  /// number of objects that wait to be encoded. So at least half are used, and serials of one turn
  /// are below serials of a later one, in other contexts too.
  private func nextSerial() -> UInt64 {
    if edits.serials.isEmpty {
      let count = min(max(edits.drafted.count, 1), Self.serialCountMax)
      edits.serials = coordinator.store.takeSerials(upTo: count)
    }
    let serial = edits.serials.lowerBound
    edits.serials = (serial + 1)..<edits.serials.upperBound
    return serial
  }

  private static let serialCountMax = 64

  /// Registers a new object, and wakes it.
  func didInsert(_ object: ManagedObject) {
    let home = object.home
    // New objects get about the same values as earlier ones: one of those is looked at now and
    // then.
    let count = edits.drafted.count
    if count & (count - 1) == 0, let former = edits.drafted.last, former.home === home,
      let draft = former.draft
    {
      home.noteNew(draft)
    }
    object.draft = Draft.make(
      home.layout, base: home.template, external: home.templateExternal,
      heapByteCount: home.heapByteCountOfNew, in: &edits.drafts)
    registry.cache.register(object)
    edits.drafted.append(object)
    reporter.turn.inserted.append(object.key)
    reporter.noteTouched()
    if home.hooks.contains(.awakeFromInsert) { object.awakeFromInsert() }
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
    let layout = object.home.layout
    if !awaking.isEmpty, let awaking = awaking.last(where: { $0.object === object }) {
      object.draft = Draft.make(layout, base: record, in: &awaking.drafts)
      return object.draft
    }
    let draft =
      layout.variableSlots.contains(slot)
      ? Draft.make(layout, base: record, in: &edits.drafts)
      : Draft.make(patching: record, of: layout, in: &edits.arena, &edits.drafts)
    object.draft = draft
    if object.status == .clean { object.status = .updated }
    edits.drafted.append(object)
    reporter.turn.updated.append(object.key)
    reporter.noteTouched()
    return draft
  }
}
