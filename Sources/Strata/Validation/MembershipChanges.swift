// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Gathers which to-many relationships of which objects gain or lose members by a save.
///
/// It goes by what the save comes upon, not by the changes' bases: those may be older, and who goes by
/// them misses who loses an object that somebody else has moved meanwhile.
struct MembershipChanges {
  let schema: MembershipSchema
  /// The relationships found, each with its owner.
  private(set) var places: Set<LinkPlace> = []

  private let beneath: ReadView

  /// - Parameter view: what the context sees, its unsaved changes included.
  init(_ schema: MembershipSchema, in view: ReadView) {
    self.schema = schema
    beneath = view.over(Overlay())
  }

  /// Adds what gains or loses an object by its unsaved change.
  ///
  /// - Parameter seen: the object's record when it was looked at before for the same save: what it was
  ///   a member of then was counted with it.
  mutating func add(_ key: ObjectKey, _ change: Change, afterLookAt seen: Record? = nil) throws {
    guard let entity = schema[key.entity], let layout = beneath.schema.entity(key.entity)?.layout
    else { return }
    var former: Record?
    if !entity.slots.isEmpty, change.base != nil, case .record(let stored) = try beneath.find(key) {
      former = stored.record
    }
    for (slot, relationship) in entity.slots {
      if let target = seen?.toOne(at: slot, layout: layout) {
        places.insert(LinkPlace(relationship, target))
      }
      if change.kind == .update, !change.slots.contains(slot) { continue }
      let old = former?.toOne(at: slot, layout: layout)
      let new = change.record?.toOne(at: slot, layout: layout)
      if old == new { continue }
      for case let target? in [old, new] { places.insert(LinkPlace(relationship, target)) }
    }
    guard change.kind == .delete else { return }
    for (relationship, end) in entity.ends {
      let place = LinkPlace(relationship, key)
      for member in try beneath.linked(at: place, isOrdered: false) {
        places.insert(LinkPlace(end, member.key))
      }
    }
  }

  /// Adds the relationships whose links are unsaved.
  mutating func add(_ links: LinkChanges) {
    if schema.relationships.isEmpty { return }
    for place in links.byPlace.keys where schema.relationships.contains(place.relationship) {
      places.insert(place)
    }
  }
}
