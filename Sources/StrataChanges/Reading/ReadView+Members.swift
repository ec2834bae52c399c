// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// The objects at the other end of a relationship, through all layers and the store, without loading
// any record.

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
    var members: [Member] = []
    try visitMembers(of: relationship, owner: owner) { key, position in
      members.append(Member(key: key, position: position))
      return .more
    }
    if !relationship.isOrdered { return members.sorted { $0.key < $1.key } }
    if relationship.isOfSlots {
      let positions = try positions(at: LinkPlace(relationship.number, owner))
      // A member without a position was linked from its own side: it comes last.
      members = members.map { Member(key: $0.key, position: positions[$0.key] ?? .max) }
    }
    return members.sorted { ($0.position, $0.key.rawValue) < ($1.position, $1.key.rawValue) }
  }

  /// Hands over the targets of a to-many relationship of `owner`, pending ones first, and the
  /// positions that are kept with links.
  @inline(__always)
  func visitMembers(
    of relationship: RelationshipSchema, owner: ObjectKey,
    _ body: (ObjectKey, UInt64) throws -> ScanStep
  ) throws {
    switch relationship.storage {
    case .slot: break
    case .inverseSlot(let index, _): try visitReferrers(to: owner, index: index) { try body($0, 0) }
    case .links(let number, _): try visitLinked(at: LinkPlace(number, owner), body)
    }
  }

  /// The objects to which a step leads from one object.
  package func ends(of step: RelationshipStep, from key: ObjectKey) throws -> [ObjectKey] {
    switch step {
    case .target(let slot): try target(of: key, at: slot).map { [$0] } ?? []
    case .linked(let number): try linked(at: LinkPlace(number, key))
    case .referrers(let index, let slot): try referrers(to: key, index: index, slot: slot)
    }
  }

  /// The objects whose to-one slot, covered by `index`, leads to `target`. Ascending.
  package func referrers(
    to target: ObjectKey, index: PropertyNumber, slot: Int
  ) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try visitReferrers(to: target, index: index) { key in
      keys.append(key)
      return .more
    }
    keys.sort()
    return keys
  }

  /// The ends of the links at `place`. Ascending.
  package func linked(at place: LinkPlace) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try visitLinked(at: place) { key, _ in
      keys.append(key)
      return .more
    }
    return keys.sorted()
  }

  /// Calls `body` with the objects whose to-one slot, covered by `index`, leads to `target`:
  /// pending ones first.
  @inline(__always)
  func visitReferrers(
    to target: ObjectKey, index: PropertyNumber, _ body: (ObjectKey) throws -> ScanStep
  ) throws {
    for key in layers.referrers(to: target, index: index) where try body(key) == .stop { return }
    try snapshot.scanIndex(index, in: KeyRange(leadingTo: target), isReversed: false) { _, key in
      change(for: key) == nil ? try body(key) : .more
    }
  }

  /// Hands over the ends of the links at `place` and their positions: pending ones first.
  @inline(__always)
  func visitLinked(
    at place: LinkPlace, _ body: (ObjectKey, UInt64) throws -> ScanStep
  ) throws {
    let pending = layers.links(at: place)
    // Others may have taken an object back, or deleted it, to which a link is still pending.
    for case (let target, .present(let position)) in pending where try exists(target) {
      if try body(target, position) == .stop { return }
    }
    try snapshot.scanLinks(at: place) { target, position in
      let state = pending[target]
      // One that was only moved is still the store's.
      guard state?.isWhole != true, change(for: target)?.kind != .delete else { return .more }
      return try body(target, state?.position ?? position)
    }
  }

  /// Where a to-one slot leads; nil if the object is not there.
  package func target(of key: ObjectKey, at slot: Int) throws -> ObjectKey? {
    guard let stored = try record(of: key), let layout = schema.layout(of: key.entity)
    else { return nil }
    return stored.record.toOne(at: slot, layout: layout)
  }

  /// The state of one link by itself, whether or not its ends are still there.
  /// O(segments + log entries of the store).
  package func link(at place: LinkPlace, to target: ObjectKey) throws -> LinkState {
    let pending = layers.link(at: place, to: target)
    if let pending, pending.isWhole { return pending }
    guard let position = try snapshot.link(at: place, to: target) else { return .absent }
    let stored = LinkState.present(position: position)
    return pending?.applied(over: stored) ?? stored
  }

  /// The positions that are kept at `place`.
  private func positions(at place: LinkPlace) throws -> [ObjectKey: UInt64] {
    var positions: [ObjectKey: UInt64] = [:]
    try snapshot.scanLinks(at: place) { target, position in
      positions[target] = position
      return .more
    }
    for (target, state) in layers.links(at: place) { positions[target] = state.position }
    return positions
  }
}
