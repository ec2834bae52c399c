// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// What was done in a context since its changes were last encoded into its overlay: objects with
/// drafts, deletions, and links.
///
/// ## Isolation
/// The context's.
struct PendingEdits {
  /// Where drafts are encoded, and where those that are patches have their copies already.
  var arena = RecordArena()
  /// Where the drafts of new objects have their buffers.
  var buffers = RecordArena()
  /// The objects that have a draft, each once.
  var drafted: [ManagedObject] = []
  /// What deleted objects were when they were deleted; nil for one that the parent never saw.
  var deletions: [ObjectKey: StoredRecord?] = [:]
  /// New objects that were deleted before they were ever encoded: nobody has heard of them.
  var vanished: Set<ObjectKey> = []
  /// Links added and removed, in both directions.
  var links = LinkChanges()
  /// The serials of the objects that are inserted next.
  var serials: Range<UInt64> = 0..<0

  var isEmpty: Bool { drafted.isEmpty && deletions.isEmpty && links.isEmpty }

  /// Encodes everything into a segment, and leaves each drafted object with its encoded record.
  mutating func encode(schema: Schema, cache: ObjectCache) -> Segment {
    var changes = ChangeTable.Builder(expecting: drafted.count + deletions.count)
    for object in drafted {
      guard let draft = object.draft else { continue }
      object.draft = nil
      // What a new object was before is of no use to anybody.
      let base = object.status == .inserted ? nil : cache.originalRecord(of: object)
      let record = cache.setEncoded(
        draft.encode(into: &arena), changed: draft.changed, of: object, arena: &arena)
      if object.status == .inserted {
        changes.append(
          object.key,
          .insert(
            record, slots: draft.changed.union(object.home.templateSlots),
            external: draft.external))
      } else if let base {
        changes.append(
          object.key,
          .update(
            record, base: StoredRecord(record: base, generation: object.generation),
            slots: draft.changed, external: draft.external))
      }
    }
    for (key, base) in deletions { changes.append(key, .delete(base: base)) }
    var links = links
    if !links.isEmpty, !deletions.isEmpty || !vanished.isEmpty {
      let isGone = { [vanished, deletions] key in
        vanished.contains(key) || deletions[key] != nil
      }
      links.filter { place, target, state in
        state == .absent || !isGone(place.owner) && !isGone(target)
      }
    }
    return Segment(changes: changes.finished(), links: links, schema: schema)
  }
}
