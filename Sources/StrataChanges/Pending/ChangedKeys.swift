// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The objects that a batch of changes affects: the content of a feed's events. It has no records,
/// so that a context that is far behind keeps 8 bytes per object alive and not its values.
///
/// A list may contain a key more than once. An object of which only links have changed counts as
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

  /// The objects that a push changes in its receiver: an object counts as inserted or deleted if
  /// the sender inserted or deleted it, whatever the receiver had. One that came and went in the
  /// sender is not among them.
  ///
  /// - Parameters:
  ///   - pushed: the sender's changes.
  ///   - composed: the result of laying them over the receiver's changes.
  package init(pushing pushed: Segment, composed: Segment) {
    let isComposed = pushed !== composed
    let changes = composed.changes
    if !isComposed, changes.isInsertsOnly {
      inserted = changes.keys
    } else {
      for (place, key) in changes.keys.enumerated() {
        let sent = isComposed ? pushed.changes.index(of: key) : place
        guard let sent else {
          // The delete rules of the push have reached it. New or not, the receiver had it before.
          append(key, changes.values[place].kind == .delete ? .delete : .update)
          continue
        }
        if pushed.changes.values[sent].isUnseenDeletion { continue }
        append(key, pushed.changes.values[sent].kind)
      }
    }
    for place in composed.links.byPlace.keys { updated.append(place.owner) }
  }

  package var count: Int { inserted.count + updated.count + deleted.count }

  package var isEmpty: Bool { count == 0 }

  /// All of them.
  package var all: some Sequence<ObjectKey> { [inserted, updated, deleted].joined() }

  package func filter(_ isIncluded: (ObjectKey) -> Bool) -> ChangedKeys {
    ChangedKeys(
      inserted: inserted.filter(isIncluded), updated: updated.filter(isIncluded),
      deleted: deleted.filter(isIncluded))
  }

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
