// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// Who is at the other end of a relationship, through all layers and the store, without loading any
// record.

extension ReadView {
  /// One target of a to-many relationship.
  package struct Member: Sendable, Hashable {
    package let key: ObjectKey
    /// Its place, if the relationship is ordered; 0 otherwise.
    package let position: UInt64

    package init(key: ObjectKey, position: UInt64) {
      self.key = key
      self.position = position
    }
  }

  /// The targets of a to-many relationship of `owner`: ascending by key, or by position if the
  /// relationship is ordered. O(targets + pending changes of them).
  package func members(
    of relationship: RelationshipSchema, owner: ObjectKey
  ) throws -> [Member] {
    switch relationship.storage {
    case .slot: []
    case .inverseSlot(let index, let slot):
      try relationship.isOrdered
        ? ordered(referrers(to: owner, index: index, slot: slot), by: relationship.number, owner)
        : referrers(to: owner, index: index, slot: slot).map { Member(key: $0, position: 0) }
    case .links(let number, _):
      try linked(at: LinkPlace(number, owner), isOrdered: relationship.isOrdered)
    }
  }

  /// The objects whose to-one slot, covered by `index`, leads to `target`. Ascending.
  package func referrers(
    to target: ObjectKey, index: PropertyNumber, slot: Int
  ) throws -> [ObjectKey] {
    var prefix: [UInt8] = []
    KeyEncoder.append(objectKey: target, to: &prefix)
    let range = KeyRange(prefix: prefix)
    var keys: [ObjectKey] = []
    try snapshot.scanIndex(index, in: range, isReversed: false) { _, key in
      if change(for: key) == nil { keys.append(key) }
      return .more
    }
    return (keys + layers.referrers(to: target, index: index)).sorted()
  }

  /// The ends of the links at `place`: ascending by key, or by position if `isOrdered`.
  package func linked(at place: LinkPlace, isOrdered: Bool) throws -> [Member] {
    let pending = layers.links(at: place)
    var members: [Member] = []
    try snapshot.scanLinks(at: place) { target, position in
      switch pending[target] {
      case nil: members.append(Member(key: target, position: position))
      case .moved(let position)?: members.append(Member(key: target, position: position))
      case .present?, .absent?: break
      }
      return .more
    }
    members.removeAll { change(for: $0.key)?.kind == .delete }
    // Others may have taken an object back, or deleted it, to which a link is still pending.
    for case (let target, .present(let position)) in pending where try exists(target) {
      members.append(Member(key: target, position: position))
    }
    return members.sorted {
      isOrdered
        ? ($0.position, $0.key.rawValue) < ($1.position, $1.key.rawValue) : $0.key < $1.key
    }
  }

  /// The state of one link by itself, whether or not its ends are still there.
  /// O(segments + log entries of the store).
  package func link(at place: LinkPlace, to target: ObjectKey) throws -> LinkState {
    let pending = layers.link(at: place, to: target)
    if let pending, pending.isWhole { return pending }
    guard let position = try snapshot.link(at: place, to: target) else { return .absent }
    let stored = LinkState.present(position: position)
    return pending?.said(after: stored) ?? stored
  }

  private func ordered(
    _ keys: [ObjectKey], by number: PropertyNumber, _ owner: ObjectKey
  ) throws -> [Member] {
    let place = LinkPlace(number, owner)
    var positions: [ObjectKey: UInt64] = [:]
    try snapshot.scanLinks(at: place) { target, position in
      positions[target] = position
      return .more
    }
    for (target, state) in layers.links(at: place) {
      switch state {
      case .present(let position), .moved(let position): positions[target] = position
      case .absent: positions[target] = nil
      }
    }
    // A member without a position was linked from its own side: it comes last.
    return keys.map { Member(key: $0, position: positions[$0] ?? .max) }
      .sorted { ($0.position, $0.key.rawValue) < ($1.position, $1.key.rawValue) }
  }
}
