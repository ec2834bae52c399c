// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The changes between two views of a follower.
///
/// The events of several feeds have no common order, so nothing may depend on one: they name the
/// objects to look at, and count how often each was inserted and deleted.
package struct GatheredEvents: Sendable {
  /// Each insertion and each deletion once, except of `unsettled` objects.
  package private(set) var keys: [ChangedKeys] = []
  /// Objects to be looked at: they may have changed.
  package private(set) var suspects: [ObjectKey] = []
  /// Objects of which only the view tells whether they are there: a change that hid the state
  /// beneath has gone, or this view or the former one has shown them before the event of their
  /// change was due. Such an event is among `keys` of this view, and again of the next one.
  package private(set) var unsettled: [ObjectKey] = []
  /// The objects that ancestors have committed: they read as before, and have the commit's
  /// generation now.
  package private(set) var committed: [(keys: ChangedKeys, generation: UInt64)] = []
  /// Anything may have changed.
  package var isUnknown = false

  package init() {}

  package init(_ keys: ChangedKeys) { self.keys = [keys] }

  package init(suspects: some Sequence<ObjectKey>) { self.suspects = Array(suspects) }

  /// Objects to be looked at of which only the view tells whether they are there.
  package init(unsettled: some Sequence<ObjectKey>) {
    suspects = Array(unsettled)
    self.unsettled = suspects
  }

  /// Whether there is nothing to merge.
  package var isEmpty: Bool { keys.isEmpty && suspects.isEmpty && !isUnknown }

  package mutating func append(_ other: GatheredEvents) {
    keys += other.keys
    suspects += other.suspects
    unsettled += other.unsettled
    isUnknown = isUnknown || other.isUnknown
  }

  /// Adds the `later` events that the view shows already: of objects that ancestors have
  /// committed since.
  ///
  /// - Returns: these objects.
  mutating func append(shownEarly later: GatheredEvents) -> [ObjectKey] {
    if later.isUnknown { isUnknown = true }
    let named = Set(later.keys.flatMap(\.all)).union(later.suspects)
    if named.isEmpty { return [] }
    var shown: Set<ObjectKey> = []
    for (keys, _) in committed { shown.formUnion(keys.all.filter(named.contains)) }
    if shown.isEmpty { return [] }
    for keys in later.keys { self.keys.append(keys.filter(shown.contains)) }
    suspects += later.suspects.filter(shown.contains)
    unsettled += shown
    return Array(shown)
  }

  /// Notes objects that the former view has shown early: their events may be in `keys` now.
  mutating func noteShownEarly(_ former: [ObjectKey]) { unsettled += former }

  mutating func append(_ event: [ChangeEvent]?, of chain: [LayerIdentity]) {
    guard let event else {
      isUnknown = true
      return
    }
    for entry in event {
      if entry.parts.isEmpty { append(entry, of: chain) } else { append(entry.parts, of: chain) }
    }
  }

  private mutating func append(_ entry: ChangeEvent, of chain: [LayerIdentity]) {
    suspects += entry.decided
    if entry.origin != chain.first { suspects += entry.rebased }
    unsettled += entry.uncovered
    guard let keys = entry.keys else {
      isUnknown = true
      return
    }
    if let origin = entry.origin, chain.contains(origin) {
      // A context knows its own commits.
      let isAncestors = entry.generation > 0 && origin != chain.first
      if isAncestors { committed.append((keys, entry.generation)) }
      if !entry.uncovered.isEmpty { self.keys.append(ChangedKeys(updated: entry.uncovered)) }
    } else if !keys.isEmpty {
      self.keys.append(keys)
    }
  }
}
