// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension UnitOfWork {
  /// The record of an object that its unsaved changes were made from; nil if it is new.
  func committedRecord(of object: ManagedObject) -> Record? {
    if let change = working.change(for: object.key) { return change.base?.record }
    return object.status == .inserted ? nil : registry.cache.originalRecord(of: object)
  }

  /// The slots of an object that were set since it was last saved.
  func editedSlots(of object: ManagedObject) -> SlotSet {
    var slots = working.change(for: object.key)?.slots ?? []
    if let draft = object.draft { slots.formUnion(draft.changed) }
    if object.status == .inserted { slots.formUnion(object.binding.templateSlots) }
    return slots
  }

  /// Whether there are unsaved links of a relationship whose links are stored beside the objects,
  /// and which has this object at an end.
  func hasPendingLinks(of object: ManagedObject) -> Bool {
    // An object that was inserted and deleted is not a change: encoding finds out.
    encodeEdits()
    return hasUnsavedLinks(object.key) { $0.relationship != nil }
  }

  /// The objects with unsaved changes here, and those at both ends of unsaved links.
  package var keysOfPending: Set<ObjectKey> {
    guard let pending = working.flattened() else { return [] }
    return Set(pending.changes.keys).union(pending.linkTargets)
  }

  /// Whether a link of two to-many sides from or to the object is unsaved here. O(segments).
  func hasUnsavedLinks(
    _ key: ObjectKey, where isMeant: (RelationshipEnds.Links) -> Bool = { _ in true }
  ) -> Bool {
    let segments = working.segments.filter { !$0.links.isEmpty }
    if segments.isEmpty { return false }
    return schema.entity(key.entity)?.ends.links.contains { links in
      links.mirror != nil && isMeant(links)
        && segments.contains { !$0.links.at(LinkPlace(links.number, key)).isEmpty }
    } ?? false
  }

  /// The targets of links that are unsaved here, ascending, without those that `view` shows: others
  /// have deleted these targets. O(segments + unsaved links of the place).
  func hiddenTargets(of place: LinkPlace, in view: ReadView) throws -> [ObjectKey] {
    if working.segments.allSatisfy(\.links.isEmpty) { return [] }
    return try working.links(at: place)
      .filter { try $0.value.position != nil && !view.exists($0.key) }.keys.sorted()
  }
}
