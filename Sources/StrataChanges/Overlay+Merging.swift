// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// What merging and refreshing do to pending changes: bring one onto a newer record, or take it back.

extension Change {
  /// This change made from `stored` instead: an update keeps the slots that it set, over what is in
  /// `stored` now; a delete is one of that. An insert has no base and stays as it is.
  package func raised(
    onto stored: StoredRecord, layout: RecordLayout, into arena: inout RecordArena
  ) -> Change {
    var change = self
    switch kind {
    case .insert: return self
    case .delete: break
    case .update:
      change.record = record.map {
        layout.splice(base: stored.record, changes: $0, slots: slots, into: &arena)
      }
    }
    change.base = stored
    return change
  }
}

extension Overlay {
  /// Whether a save that is under way carries a change of `key`. Such a change stays as it is until
  /// that save is finished: what was handed to the store must be what comes back from it.
  package func isFrozen(_ key: ObjectKey) -> Bool {
    segments.contains { $0.isFrozen && $0.changes[key] != nil }
  }

  /// This overlay without any change of `keys` and without any word on links of theirs, as if nothing
  /// had been done to them. What frozen segments say stays.
  ///
  /// O(size of the segments that speak of them).
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
