// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataRecord

/// One entry of a change feed: which objects a publication or a commit has changed.
package struct ChangeEvent: Sendable {
  /// The layer that saved; nil for changes of the feed's owner itself.
  package let origin: LayerIdentity?
  /// The generation of the commit; 0 in a layer's feed.
  package let generation: UInt64
  /// Nil if that was not noted: anything may have changed.
  package let keys: ChangedKeys?
  /// The objects whose result differs from the origin's saved state, if only in its base:
  /// composition or a merge policy has decided. Only they concern the origin and its
  /// children, which have seen the rest before it was saved.
  package let decided: [ObjectKey]
  /// The objects that may be gone, because a change that hid the state beneath has gone: a change
  /// that was taken back, or one that the receiver of a push has dropped.
  package let uncovered: [ObjectKey]
  /// The objects that read as the origin saved them and rest on the receiver's base. They
  /// concern the children of the origin. The origin itself has taken over the receiver's base.
  let rebased: [ObjectKey]
  /// In a commit of several contexts, the event of each one's changes: followers read them in place
  /// of this.
  package var parts: [ChangeEvent] = []
  /// Whether it says that another process has saved, and nothing else: it is told, and not in a
  /// feed.
  package private(set) var isElsewhere = false

  package init(
    origin: LayerIdentity?, generation: UInt64 = 0, keys: ChangedKeys?, decided: [ObjectKey] = [],
    uncovered: [ObjectKey] = [], rebased: [ObjectKey] = []
  ) {
    self.origin = origin
    self.generation = generation
    self.keys = keys
    self.decided = decided
    self.uncovered = uncovered
    self.rebased = rebased
  }

  /// Saves of other processes.
  ///
  /// - Parameter generation: of the file's last save when they were noticed.
  package static func elsewhere(upTo generation: UInt64) -> ChangeEvent {
    var event = ChangeEvent(origin: nil, generation: generation, keys: nil)
    event.isElsewhere = true
    return event
  }

  /// A child's save into a layer.
  package init(pushing pushed: Segment, composed: Segment, from origin: LayerIdentity) {
    var decided: [ObjectKey] = []
    var uncovered: [ObjectKey] = []
    var rebased: [ObjectKey] = []
    if pushed !== composed {
      for (key, change) in pushed.changes {
        guard let kept = composed.changes[key], kept.hasSameRecord(as: change),
          kept.base?.generation == change.base?.generation
        else {
          decided.append(key)
          if change.record != nil, composed.changes[key]?.record == nil { uncovered.append(key) }
          continue
        }
        if !kept.hasSameReadings(as: change) { rebased.append(key) }
      }
      for (key, change) in composed.changes where pushed.changes[key] == nil {
        decided.append(key)
        if change.record == nil { uncovered.append(key) }
      }
      for place in composed.links.byPlace.keys where pushed.links.at(place).isEmpty {
        decided.append(place.owner)
      }
    }
    self.init(
      origin: origin, keys: ChangedKeys(pushing: pushed, composed: composed), decided: decided,
      uncovered: uncovered, rebased: rebased)
  }

  /// Whether this concerns a reader that has these layers in its chain.
  package func concerns(_ chain: [LayerIdentity]) -> Bool {
    if !parts.isEmpty { return parts.contains { $0.concerns(chain) } }
    guard let origin, chain.contains(origin) else { return true }
    return !decided.isEmpty || origin != chain.first && !rebased.isEmpty
  }

  /// How much a feed keeps alive by keeping this.
  var keyCount: Int {
    let own = (keys?.count ?? 0) + decided.count + rebased.count
    return parts.isEmpty ? own : parts.reduce(own) { $0 + $1.keyCount }
  }
}

extension Change {
  /// Whether the makers of both had read the same.
  func hasSameReadings(as other: Change) -> Bool {
    guard let ours = base, let theirs = other.base else { return base == nil && other.base == nil }
    return ours.hasSameReadings(as: theirs)
  }

  /// Whether both leave the object with the same values, or both delete it.
  func hasSameRecord(as other: Change) -> Bool { record == other.record }
}
