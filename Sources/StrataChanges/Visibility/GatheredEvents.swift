// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The changes between two views of a follower.
package struct GatheredEvents: Sendable {
  /// Oldest first, feed by feed.
  package private(set) var keys: [ChangedKeys] = []
  /// Objects to be looked at: they may have changed.
  package private(set) var suspects: [ObjectKey] = []
  /// The objects that ancestors have committed: they read as before, and have the commit's
  /// generation now.
  package private(set) var committed: [(keys: ChangedKeys, generation: UInt64)] = []
  /// Anything may have changed.
  package var isUnknown = false

  package init() {}

  package init(_ keys: ChangedKeys) { self.keys = [keys] }

  package init(suspects: some Sequence<ObjectKey>) { self.suspects = Array(suspects) }

  /// Whether there is nothing to merge.
  package var isEmpty: Bool { keys.isEmpty && suspects.isEmpty && !isUnknown }

  package mutating func append(_ other: GatheredEvents) {
    keys += other.keys
    suspects += other.suspects
    isUnknown = isUnknown || other.isUnknown
  }

  /// Takes the objects that ancestors have committed for changed: some may have been published
  /// after the view's layers were copied.
  mutating func suspectCommitted() { keys += committed.map(\.keys) }

  mutating func append(_ event: [ChangeEvent]?, of chain: [LayerIdentity]) {
    guard let event else {
      isUnknown = true
      return
    }
    for entry in event {
      suspects += entry.decided
      if entry.origin != chain.first { suspects += entry.rebased }
      guard let keys = entry.keys else {
        isUnknown = true
        continue
      }
      if let origin = entry.origin, chain.contains(origin) {
        // A context knows its own commits.
        let isAncestors = entry.generation > 0 && origin != chain.first
        if isAncestors { committed.append((keys, entry.generation)) }
      } else if !keys.isEmpty {
        self.keys.append(keys)
      }
    }
  }
}
