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

/// What is pending for one link.
package enum LinkState: Sendable, Hashable {
  /// The link is there, at `position` if the relationship is ordered; 0 otherwise.
  case present(position: UInt64)
  case absent
}

/// The links that a batch of changes adds and removes. To-many relationships merge as sets: only
/// what was added or removed is pending, never the whole membership.
///
/// Both directions of a relationship are held, each under its own number, so that either end finds
/// its pending links without a search.
package struct LinkChanges: Sendable {
  package private(set) var byPlace: [LinkPlace: [ObjectKey: LinkState]] = [:]

  package init() {}

  package var isEmpty: Bool { byPlace.isEmpty }

  /// The pending links of one object in one relationship, by target.
  package func at(_ place: LinkPlace) -> [ObjectKey: LinkState] { byPlace[place] ?? [:] }

  /// What is pending for one link, or nil if nothing is.
  package func state(at place: LinkPlace, to target: ObjectKey) -> LinkState? {
    byPlace.isEmpty ? nil : byPlace[place]?[target]
  }

  package mutating func set(_ state: LinkState, at place: LinkPlace, to target: ObjectKey) {
    byPlace[place, default: [:]][target] = state
  }

  /// Lays `newer` over these: where both speak of a link, the newer wins.
  package mutating func apply(_ newer: LinkChanges) {
    if isEmpty {
      byPlace = newer.byPlace
      return
    }
    for (place, links) in newer.byPlace {
      byPlace[place, default: [:]].merge(links) { _, newer in newer }
    }
  }

  /// Keeps the links that `isKept` allows.
  package mutating func filter(_ isKept: (LinkPlace, ObjectKey, LinkState) -> Bool) {
    for (place, links) in byPlace {
      let kept = links.filter { isKept(place, $0.key, $0.value) }
      if kept.count != links.count { byPlace[place] = kept.isEmpty ? nil : kept }
    }
  }
}
