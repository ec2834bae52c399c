// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Hands the save's links of objects that give way to a constraint to the survivors, unless these
/// have such links.
///
/// In ordered relationships the members follow the survivor's own, each one's in their order.
/// Numbers of two lists say nothing of each other.
///
/// ## Isolation
/// The writer thread.
struct LinkHandover {
  let state: StateAfterSave

  func run() throws {
    if state.survivors.isEmpty || state.plan.links.isEmpty { return }
    var kept = LinkChanges()
    var moved: [MovedLink] = []
    for (place, links) in state.plan.links.byPlace {
      let owner = state.survivor(of: place.owner)
      for (target, link) in links {
        let end = state.survivor(of: target)
        if owner == nil && end == nil {
          kept.set(link, at: place, to: target)
        } else if link != .absent {
          moved.append(
            MovedLink(
              place: LinkPlace(place.relationship, owner ?? place.owner), target: end ?? target,
              state: link, formerOwner: place.owner, hasMovedOwner: owner != nil))
        }
      }
    }
    moved.sort { $0.isBefore($1) }
    var ends: [LinkPlace: ListEnd] = [:]
    for link in moved
    where link.place.owner != link.target && kept.state(at: link.place, to: link.target) == nil {
      if try state.view.link(at: link.place, to: link.target) != nil { continue }
      var handedOver = link.state
      if link.hasMovedOwner, let relationship = orderedRelationship(at: link.place) {
        if ends[link.place] == nil {
          ends[link.place] = try end(of: relationship, at: link.place, &kept)
        }
        if let position = ends[link.place]?.next() {
          handedOver = .present(position: position)
        }
      }
      kept.set(handedOver, at: link.place, to: link.target)
    }
    state.plan.links = kept
  }

  /// The ordered relationship whose positions are stored there, or nil.
  private func orderedRelationship(at place: LinkPlace) -> RelationshipSchema? {
    state.schema.entity(place.owner.entity)?.relationships.lazy.compactMap(\.self).first {
      $0.isOrdered && $0.number == place.relationship
    }
  }

  /// The end of a survivor's list. Members without a number come last, and get numbers because
  /// other members follow.
  ///
  /// - Parameter links: the save's links; gets the new numbers.
  private func end(
    of relationship: RelationshipSchema, at place: LinkPlace, _ links: inout LinkChanges
  ) throws -> ListEnd {
    var numbers: [ObjectKey: UInt64] = [:]
    if case .inverseSlot(let index, let slot) = relationship.storage {
      for member in try state.referrers(to: place.owner, index: index, slot: slot) {
        numbers[member] = ListPosition.unnumbered
      }
    }
    try state.view.scanLinks(at: place) { target, position in
      if !relationship.isOfSlots || numbers[target] != nil { numbers[target] = position }
      return .more
    }
    for (target, link) in links.at(place) {
      numbers[target] = link.position
    }
    let unnumbered = numbers.filter { $0.value == ListPosition.unnumbered }.keys.sorted()
    let last = numbers.values.lazy.filter { $0 != ListPosition.unnumbered }.max()
    var end = ListEnd(after: last, roomFor: state.save.links.count + unnumbered.count)
    for member in unnumbered {
      guard let number = end.next() else { break }
      links.set(.present(position: number), at: place, to: member)
    }
    return end
  }
}

/// A link of an object that has given way, as the survivor is to have it.
private struct MovedLink {
  let place: LinkPlace
  let target: ObjectKey
  let state: LinkState
  /// The owner before.
  let formerOwner: ObjectKey
  /// Whether the owner has given way, and not only the target.
  let hasMovedOwner: Bool

  /// The order in which links are moved: owner by owner, in the order of each owner's list.
  func isBefore(_ other: MovedLink) -> Bool {
    (place.owner.rawValue, formerOwner.rawValue, state.position ?? 0, target.rawValue)
      < (
        other.place.owner.rawValue, other.formerOwner.rawValue, other.state.position ?? 0,
        other.target.rawValue
      )
  }
}

/// The end of an ordered list, where members are added.
private struct ListEnd {
  private var last: UInt64?
  private let step: UInt64

  /// - Parameters:
  ///   - last: the number of the last member, or nil.
  ///   - count: the number of members to add.
  init(after last: UInt64?, roomFor count: Int) {
    self.last = last
    let room = ListPosition.unnumbered - (last ?? ListPosition.middle)
    step = min(ListPosition.spacing, room / (UInt64(count) + 1))
  }

  /// The number of the next member; nil if there is no room: it comes last without one.
  mutating func next() -> UInt64? {
    if step == 0 { return nil }
    let number = last.map { $0 + step } ?? ListPosition.middle
    last = number
    return number
  }
}
