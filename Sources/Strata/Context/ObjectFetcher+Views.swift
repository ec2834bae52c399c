// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The views that queries read: the turn's view with the values that held objects show, and without
// to-one links to objects whose deletion is pending. The delete rules `.deny` and `.noAction` leave
// such links as they are, and other contexts may make one after the deletion. While the deletion is
// pending they lead to nothing, in queries as in properties.

extension ObjectFetcher {
  /// The turn's view as the context's objects show it. A held object that others have changed shows
  /// its former values until a merge, and everything calculated from this view uses those values:
  /// in a condition, in an order, at the other end of a relationship.
  ///
  /// O(1) if no other context has changed a registered object; else O(registered objects).
  func shownView() throws -> ReadView {
    let view = try queriedView(reader.currentViewIncludingEdits()).view
    guard registry.cache.mayHaveOutdated else { return view }
    var changes: [ObjectKey: Change] = [:]
    var arena = RecordArena()
    for object in registry.cache.heldOutdatedObjects() {
      guard work.working.change(for: object.key) == nil,
        let shown = registry.cache.originalRecord(of: object),
        let stored = try reader.currentView().record(of: object.key)
      else { continue }
      if stored.record == shown {
        if stored.generation == object.generation { registry.cache.noteCurrent(object) }
        continue
      }
      changes[object.key] = masking(stored, by: shown, object.binding.entity, in: view, &arena)
    }
    if changes.isEmpty { return view }
    return view.adding(Segment(changes: changes, schema: schema))
  }

  /// The view that a query reads instead of `view`: to-one links to objects whose deletion is
  /// pending in `view` are nil.
  ///
  /// O(1) if nothing is deleted; else a look-up for each pending deletion and each to-one
  /// relationship that may lead to it, once for each state beneath the context.
  ///
  /// - Returns: the view, and whether some of its records differ from those of `view`: then no
  ///   object may be given a record of it.
  func queriedView(_ view: ReadView) throws -> (view: ReadView, isMasked: Bool) {
    guard view.layers.segments.contains(where: \.changes.hasDeletes) else { return (view, false) }
    var masks: [ObjectKey: Change] = [:]
    var arena = RecordArena()
    for key in try work.lostLinks.owners(in: view) {
      guard let entity = schema.entity(key.entity), let stored = try view.record(of: key) else {
        continue
      }
      let mask = masking(stored, by: stored.record, entity, in: view, &arena)
      if mask.record != stored.record { masks[key] = mask }
    }
    if masks.isEmpty { return (view, false) }
    return (view.adding(Segment(changes: masks, schema: schema)), true)
  }

  /// A change that shows an object as `shown`, without to-one links to objects that are deleted in
  /// the view.
  func masking(
    _ stored: StoredRecord, by shown: Record, _ entity: EntitySchema, in view: ReadView,
    _ arena: inout RecordArena
  ) -> Change {
    var lost = SlotSet()
    for slot in entity.ends.targetSlots {
      guard let target = shown.toOne(at: slot, layout: entity.layout),
        view.change(for: target)?.kind == .delete
      else { continue }
      lost.insert(slot)
    }
    return .update(
      entity.layout.clearing(lost, in: shown, into: &arena), base: Base(stored),
      slots: SlotSet(0..<entity.description.properties.count))
  }
}
