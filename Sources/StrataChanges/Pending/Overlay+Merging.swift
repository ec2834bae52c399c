// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// The effects of merging and refreshing on pending changes: a change is laid over a newer record,
// or reverted.

extension Change {
  /// This change made from `base` instead: an update keeps the slots that it set, over that record;
  /// a delete is one of that. An insert has no base and stays as it is.
  package func raised(
    onto base: Base, _ entity: EntitySchema, into arena: inout RecordArena
  ) -> Change {
    if kind == .insert { return self }
    var change = kind == .update ? laid(over: base.record, entity, into: &arena) : self
    change.base = base
    return change
  }

  /// This change with the slots that it set over the values of `origin`. The base stays.
  func laid(
    over origin: Record, _ entity: EntitySchema, into arena: inout RecordArena
  ) -> Change {
    var change = self
    change.record = record.map {
      let laid = entity.lay(
        $0, madeFrom: base?.record, setting: slots, over: origin, into: &arena)
      // Equal bytes are the same record.
      return laid == $0 ? $0 : laid
    }
    change.external = external.fitting(change.record, entity.layout, in: slots)
    return change
  }
}

extension Overlay {
  /// Whether a save under way carries a change of `key`. Such a change stays as it is until that
  /// save ends: the store's result must refer to exactly the changes that it was handed.
  package func isFrozen(_ key: ObjectKey) -> Bool {
    segments.contains { $0.isFrozen && $0.changes[key] != nil }
  }

  /// This overlay without any change of `keys` and without any change of their links. Frozen
  /// segments stay.
  ///
  /// O(size of the segments that contain them).
  package func dropping(_ keys: Set<ObjectKey>, schema: Schema) -> Overlay {
    Overlay(
      segments.map { segment in
        guard !segment.isFrozen, segment.isAbout(keys) else { return segment }
        var links = segment.links
        links.filter { place, target, _ in !keys.contains(place.owner) && !keys.contains(target) }
        return Segment(
          changes: segment.changes.filter { !keys.contains($0.key) }, links: links, schema: schema)
      })
  }
}

extension Segment {
  fileprivate func isAbout(_ keys: Set<ObjectKey>) -> Bool {
    keys.contains { changes[$0] != nil }
      || links.byPlace.contains { place, links in
        keys.contains(place.owner) || links.keys.contains { keys.contains($0) }
      }
  }
}
