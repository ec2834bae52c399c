// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The ordered relationships that a context edits by index, so that a series of edits does not read
/// the list again for each.
///
/// The context's own edits are applied to the lists too. All other causes of change release them:
/// others' changes, pushes, saves, undo, an edit of an object that is stale.
///
/// ## Invariants
/// - I1 A list here has the members that the turn's view shows, unsaved edits included.
/// - I2 There are at most eight, the most recently used at the end.
///
/// ## Isolation
/// The context's.
struct OrderedLists {
  private struct Entry {
    let place: LinkPlace
    /// Whether the members' to-one slots are the truth, and the links are mere positions.
    let isOfSlots: Bool
    let members: OrderedMembers
  }

  private var entries: [Entry] = []
  private static let countMax = 8

  var isEmpty: Bool { entries.isEmpty }

  /// The list at `place`; nil if it is not kept.
  mutating func members(at place: LinkPlace) -> OrderedMembers? {
    guard let index = entries.firstIndex(where: { $0.place == place }) else { return nil }
    if index != entries.count - 1 { entries.append(entries.remove(at: index)) }
    return entries.last?.members
  }

  mutating func add(_ members: OrderedMembers, at place: LinkPlace, isOfSlots: Bool) {
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(place: place, isOfSlots: isOfSlots, members: members))
  }

  mutating func removeAll() { entries = [] }

  // MARK: - The context's own edits

  /// A link was edited.
  func linkDidChange(at place: LinkPlace, to target: ObjectKey, _ state: LinkState) {
    for entry in entries where entry.place == place {
      switch state {
      case .present(let position) where !entry.isOfSlots || entry.members.contains(target):
        entry.members.set(target, at: position)
      case .moved(let position) where entry.members.contains(target):
        entry.members.set(target, at: position)
      case .absent where !entry.isOfSlots: entry.members.remove(target)
      case .absent where entry.members.contains(target): entry.members.set(target, at: .max)
      case .present, .moved, .absent: break
      }
    }
  }

  /// Updates the lists after the to-one slot of `member` was set, whose inverse is `relationship`.
  ///
  /// - Parameter position: returns the position that the member has in the list of its new owner.
  func targetDidChange(
    of member: ObjectKey, to owner: ObjectKey?, _ relationship: PropertyNumber,
    position: (LinkPlace) -> UInt64
  ) {
    for entry in entries where entry.place.relationship == relationship {
      if entry.place.owner == owner {
        entry.members.set(member, at: position(entry.place))
      } else {
        entry.members.remove(member)
      }
    }
  }

  /// An object was deleted.
  mutating func didDelete(_ key: ObjectKey) {
    entries.removeAll { $0.place.owner == key }
    for entry in entries { entry.members.remove(key) }
  }
}
