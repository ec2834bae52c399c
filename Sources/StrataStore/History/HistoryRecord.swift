// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The objects that one transaction inserts, updates and deletes, collected while it is written.
///
/// A batch writes in parts and may write an object more than once; `finish` makes one change of
/// them.
///
/// ## Invariants
/// - I1 After `finish`, each list ascends, and no object is in the lists twice.
struct HistoryRecord {
  private(set) var inserted: [ObjectKey] = []
  private(set) var deleted: [ObjectKey] = []
  /// The values that deleted objects leave; only of entities that leave any.
  private(set) var tombstones = HistoryTombstones()
  /// With the slots that changed: of attributes, of to-one relationships, and of to-many
  /// relationships whose links are kept beside the objects.
  private(set) var updated: [(key: ObjectKey, slots: SlotSet)] = []

  let schema: Schema
  /// The updates of each object are joined when there are as many.
  private var joinCount = 65_536

  init(_ schema: Schema) { self.schema = schema }

  /// Notes the objects that the writes of a save, or of a part of a batch, will change.
  ///
  /// - Parameter view: the state before the writes. Links are compared with it: a save may add a
  ///   link that is there, or remove one that is not.
  /// - Throws: `StoreError.damaged`, `.storage`.
  mutating func note(_ plan: SavePlan, in view: @autoclosure () -> StoreView) throws {
    let formerCount = inserted.count
    for section in plan.sections {
      for item in section.items {
        if item.new == nil {
          deleted.append(item.key)
          if let old = item.old { noteTombstone(of: item.key, old) }
        } else if item.old == nil {
          inserted.append(item.key)
        } else {
          updated.append((item.key, item.differing))
        }
      }
    }
    if plan.linkEntries.isEmpty { return }
    let view = view()
    let new = Set(inserted[formerCount...])
    for (number, changes) in plan.linkEntries {
      for link in changes.added {
        let place = LinkPlace(number, link.owner)
        if !new.contains(link.owner), !new.contains(link.target),
          try view.link(at: place, to: link.target) == link.position
        {
          continue
        }
        note(linksAt: place)
      }
      for link in changes.removed {
        let place = LinkPlace(number, link.owner)
        if try view.link(at: place, to: link.target) == nil { continue }
        note(linksAt: place, isRemoval: true)
      }
    }
  }

  /// Notes that an object gains or loses links.
  ///
  /// A position that goes with its member is not a change: the member's to-one relationship
  /// changes.
  mutating func note(linksAt place: LinkPlace, isRemoval: Bool = false) {
    let all = schema.entity(place.owner.entity)?.ends.links
    guard let links = all?.first(where: { $0.number == place.relationship }),
      let slot = links.relationship, !isRemoval || links.mirror != nil
    else { return }
    updated.append((place.owner, [slot]))
    if updated.count >= joinCount {
      joinUpdates()
      joinCount = max(joinCount, 2 * updated.count)
    }
  }

  mutating func noteDeleted(_ keys: [ObjectKey]) { deleted += keys }

  /// Whether deleted objects of an entity leave values.
  func leavesTombstones(_ entity: EntityNumber) -> Bool {
    schema.entity(entity)?.preservedSlots.isEmpty == false
  }

  /// Notes the values that an object leaves when it is deleted.
  mutating func noteTombstone(of key: ObjectKey, _ record: Record) {
    guard let entity = schema.entity(key.entity), !entity.preservedSlots.isEmpty else { return }
    var arena = RecordArena()
    let others = entity.layout.placedSlots.subtracting(entity.preservedSlots)
    let left = entity.layout.clearing(others, in: record, into: &arena)
    left.withUnsafeBytes { tombstones.add($0, of: key) }
  }

  /// Orders the lists, and joins the changes of each object into one.
  mutating func finish() {
    // A save's are sorted, except the changes that links add.
    if !inserted.areAscending { inserted.sort() }
    if !deleted.areAscending { deleted.sort() }
    tombstones.finish()
    if !areUpdatesAscending { joinUpdates() }
    if inserted.isEmpty && deleted.isEmpty { return }
    updated.removeAll { inserted.hasSorted($0.key) || deleted.hasSorted($0.key) }
  }

  /// The deleted objects that leave no values. All lists must be finished.
  var deletedWithoutTombstone: [ObjectKey] {
    var index = 0
    return deleted.filter { key in
      while index < tombstones.count, tombstones.key(at: index) < key { index += 1 }
      return index == tombstones.count || tombstones.key(at: index) != key
    }
  }

  private var areUpdatesAscending: Bool {
    updated.indices.dropFirst().allSatisfy { updated[$0 - 1].key < updated[$0].key }
  }

  private mutating func joinUpdates() {
    updated.sort { $0.key < $1.key }
    var last = 0
    for place in updated.indices.dropFirst() {
      if updated[place].key == updated[last].key {
        updated[last].slots.formUnion(updated[place].slots)
      } else {
        last += 1
        updated[last] = updated[place]
      }
    }
    updated.removeSubrange(min(last + 1, updated.count)...)
  }
}

extension [ObjectKey] {
  fileprivate var areAscending: Bool { indices.dropFirst().allSatisfy { self[$0 - 1] < self[$0] } }

  /// Whether this ascending array has `key`. O(log count).
  fileprivate func hasSorted(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == key
  }
}
