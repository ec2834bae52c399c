// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// One direction of one relationship of one object: the place where links are added and removed.
package struct LinkPlace: Sendable, Hashable {
  package let relationship: PropertyNumber
  package let owner: ObjectKey

  package init(_ relationship: PropertyNumber, _ owner: ObjectKey) {
    self.relationship = relationship
    self.owner = owner
  }
}

/// The pending state of one link.
package enum LinkState: Sendable, Hashable {
  /// The link is there, at `position` if the relationship is ordered; 0 otherwise.
  case present(position: UInt64)
  /// The link is at `position` if it exists: the result of moving a member of an ordered
  /// relationship. It does not restore a link that another context has removed, and says nothing of
  /// the other direction.
  case moved(position: UInt64)
  case absent

  /// Whether this state is complete by itself, whatever the state beneath.
  package var isWhole: Bool {
    if case .moved = self { false } else { true }
  }

  /// The position that it gives; nil if the link is not there.
  package var position: UInt64? {
    switch self {
    case .present(let position), .moved(let position): position
    case .absent: nil
    }
  }

  /// The result of this state over `older`.
  package func applied(over older: LinkState) -> LinkState {
    switch (self, older) {
    case (.moved(let position), .present): .present(position: position)
    case (.moved, .absent): .absent
    default: self
    }
  }
}

/// The links that a batch of changes adds and removes. To-many relationships merge as sets: only
/// added and removed links are pending, never the whole membership.
///
/// Both directions of a relationship are held, each under its own number, so that either end finds
/// its pending links without a search.
package struct LinkChanges: Sendable {
  package private(set) var byPlace: [LinkPlace: [ObjectKey: LinkState]] = [:]
  /// How many links have a state, each direction by itself.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { byPlace.isEmpty }

  /// The pending links of one object in one relationship, by target.
  package func at(_ place: LinkPlace) -> [ObjectKey: LinkState] { byPlace[place] ?? [:] }

  /// The pending state of one link, or nil.
  package func state(at place: LinkPlace, to target: ObjectKey) -> LinkState? {
    byPlace.isEmpty ? nil : byPlace[place]?[target]
  }

  package mutating func set(_ state: LinkState, at place: LinkPlace, to target: ObjectKey) {
    byPlace[place, default: [:]].set(state, for: target) { count += 1 }
  }

  /// Lays `newer` over these: where both have a state of a link, the newer wins.
  package mutating func apply(_ newer: LinkChanges) {
    if isEmpty {
      self = newer
      return
    }
    for (place, links) in newer.byPlace {
      let former = byPlace[place]?.count ?? 0
      byPlace[place, default: [:]].merge(links) { older, newer in newer.applied(over: older) }
      count += (byPlace[place]?.count ?? 0) - former
    }
  }

  /// Keeps the links that `isKept` allows.
  package mutating func filter(_ isKept: (LinkPlace, ObjectKey, LinkState) -> Bool) {
    for (place, links) in byPlace {
      let kept = links.filter { isKept(place, $0.key, $0.value) }
      if kept.count == links.count { continue }
      count -= links.count - kept.count
      byPlace[place] = kept.isEmpty ? nil : kept
    }
  }
}

extension [ObjectKey: LinkState] {
  /// - Parameter isNew: called if the target had no state before.
  fileprivate mutating func set(_ state: LinkState, for target: ObjectKey, isNew: () -> Void) {
    let new = self[target].map { state.applied(over: $0) } ?? state
    if updateValue(new, forKey: target) == nil { isNew() }
  }
}
