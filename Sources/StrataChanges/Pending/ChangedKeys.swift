// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// Which objects a batch of changes is about: what the news of a feed carry. No records, so that a
/// context that is far behind keeps 8 bytes per object alive and not its values.
///
/// A key may stand in a list more than once. An object whose links alone have changed counts as
/// updated.
package struct ChangedKeys: Sendable {
  package var inserted: [ObjectKey] = []
  package var updated: [ObjectKey] = []
  package var deleted: [ObjectKey] = []

  package init(inserted: [ObjectKey] = [], updated: [ObjectKey] = [], deleted: [ObjectKey] = []) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// The objects that landing a push changes: an object counts as inserted or deleted if it was so
  /// for the sender, whatever the receiver had.
  ///
  /// - Parameters:
  ///   - pushed: what the sender saved.
  ///   - composed: what it is on top of the receiver's changes.
  package init(pushing pushed: Segment, composed: Segment) {
    let isComposed = pushed !== composed
    let changes = composed.changes
    if !isComposed, changes.isInsertsOnly {
      inserted = changes.keys
    } else {
      for (place, key) in changes.keys.enumerated() {
        let sent = isComposed ? pushed.changes.index(of: key) : nil
        append(key, sent.map { pushed.changes.values[$0].kind } ?? changes.values[place].kind)
      }
    }
    for place in composed.links.byPlace.keys { updated.append(place.owner) }
  }

  package var count: Int { inserted.count + updated.count + deleted.count }

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ key: ObjectKey, _ kind: Change.Kind) {
    switch kind {
    case .insert: inserted.append(key)
    case .update: updated.append(key)
    case .delete: deleted.append(key)
    }
  }

  package mutating func append(_ other: ChangedKeys) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
  }
}
