// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// Which objects read differently through one overlay than through another. It is found from the
/// overlays themselves, whatever has been done to them: edits, integrations, rollbacks, merges of
/// segments.
///
/// O(changes in the segments that only one of the two has).
package struct OverlayDifference {
  /// The objects whose change in the newer overlay differs from the older one's.
  package private(set) var changed = ChangedKeys()
  /// The objects without a change in the newer overlay: it was reverted, or saved.
  package private(set) var reverted = ChangedKeys()
  /// The objects that read the same and have another base.
  package private(set) var rebased: [ObjectKey] = []

  package init(from old: Overlay, to new: Overlay) {
    let gone = Self.segments(of: old, notIn: new)
    let added = Self.segments(of: new, notIn: old)
    if gone.isEmpty && added.isEmpty { return }
    var seen = Set<ObjectKey>()
    let isOne = gone.count + added.count == 1
    for segment in added + gone {
      for key in segment.changes.keys where isOne || seen.insert(key).inserted {
        compare(key, old.change(for: key), new.change(for: key))
      }
    }
    for place in Set((added + gone).flatMap(\.links.byPlace.keys)) {
      let (before, now) = (old.links(at: place), new.links(at: place))
      if before == now { continue }
      if now.isEmpty {
        reverted.updated.append(place.owner)
      } else {
        changed.updated.append(place.owner)
      }
    }
  }

  /// Everything that reads differently.
  package var all: ChangedKeys {
    var all = changed
    all.append(reverted)
    return all
  }

  private static func segments(of overlay: Overlay, notIn other: Overlay) -> [Segment] {
    overlay.segments.filter { segment in !other.segments.contains { $0 === segment } }
  }

  private mutating func compare(_ key: ObjectKey, _ old: Change?, _ new: Change?) {
    switch (old, new) {
    case (nil, nil): break
    case (nil, let new?):
      if new.kind != .delete || new.base != nil { changed.append(key, new.kind) }
    case (let old?, nil):
      switch old.kind {
      case .insert: reverted.append(key, .delete)
      case .update: reverted.append(key, .update)
      case .delete where old.base != nil: reverted.append(key, .insert)
      case .delete: break
      }
    case (let old?, let new?):
      if old.hasSameRecord(as: new) {
        if !old.hasSameReadings(as: new) { rebased.append(key) }
        return
      }
      changed.append(key, new.record == nil ? .delete : old.record == nil ? .insert : .update)
    }
  }
}
