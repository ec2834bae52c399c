// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The writes of a save that has passed its checks, in order.
struct SavePlan {
  /// One object whose stored record changes.
  struct Item {
    let key: ObjectKey
    /// The stored record; nil for a new object.
    let old: Record?
    /// The record to write, without transient values; nil to delete.
    let new: Record?
    /// The slots in which the two differ: all that records of `layout` have, if one is nil.
    let differing: SlotSet
    /// The bytes of the external slots of `new` that differ from `old`.
    let external: ExternalValues

    init(
      key: ObjectKey, old: Record?, new: Record?, external: ExternalValues = ExternalValues(),
      _ layout: RecordLayout
    ) {
      self.key = key
      self.old = old
      self.new = new
      self.external = external
      differing =
        if let old, let new { layout.differingSlots(old, new) } else { layout.placedSlots }
    }

    /// Whether the store is to have something else than it has.
    var isChange: Bool {
      old != nil && new != nil ? !differing.isEmpty : old != nil || new != nil
    }
  }

  /// The objects of one entity, ascending by key.
  struct Section {
    let entity: EntitySchema
    var items: [Item]
  }

  /// A link in one direction, in the order in which trees have them.
  struct LinkEntry: Comparable {
    let owner: ObjectKey
    let target: ObjectKey
    /// Written beside the link, unless it is 0.
    var position: UInt64 = 0

    static func < (left: LinkEntry, right: LinkEntry) -> Bool {
      left.owner == right.owner ? left.target < right.target : left.owner < right.owner
    }
  }

  /// The links of one direction of a relationship that come and go, ascending when they are
  /// written.
  struct LinkEntryChanges {
    var removed: [LinkEntry] = []
    var added: [LinkEntry] = []
  }

  /// Ascending by entity.
  var sections: [Section] = []
  /// The entities that lose all their objects, if any do: their trees are emptied, and no entry in
  /// these is planned one by one.
  var emptied: EmptiedEntities?
  /// One for each index.
  var indexes: [IndexChanges] = []
  /// The links that the save adds and removes, without those that deletions remove.
  var links = LinkChanges()
  var linkEntries: [PropertyNumber: LinkEntryChanges] = [:]
  /// The decisions of merge policies and the derived values, also of objects outside the save. The
  /// saver is notified of them.
  var merged: [ObjectKey: Record?] = [:]
  /// The objects of `merged` without a policy's decision, with the derived slots that differ from
  /// the saver's.
  var derived: [ObjectKey: SlotSet] = [:]

  /// Whether nothing is written: for example, if only transient values have changed.
  var isEmpty: Bool {
    sections.isEmpty && indexes.allSatisfy(\.isEmpty)
      && linkEntries.allSatisfy { $0.value.removed.isEmpty && $0.value.added.isEmpty }
  }

  /// The save's entry in the store's feed: the objects that it writes, and the ends of its links.
  var changedKeys: ChangedKeys {
    var keys = ChangedKeys()
    for section in sections {
      for item in section.items {
        keys.append(item.key, item.new == nil ? .delete : item.old == nil ? .insert : .update)
      }
    }
    for place in links.byPlace.keys { keys.updated.append(place.owner) }
    return keys
  }
}
