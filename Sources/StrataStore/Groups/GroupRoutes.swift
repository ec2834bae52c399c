// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The ways from objects to the stores of a group. A place is the index of a store in the group.
///
/// ## Isolation
/// Sendable: constant.
final class GroupRoutes: Sendable {
  private let groupMembers: [GroupMember]
  /// By range; nil where no store has it.
  private let byRange: [Int?]
  /// The places, ascending by range: the order of the keys of one entity.
  let ascending: [Int]
  /// The slots of to-one relationships, by entity number.
  private let toOneSlots: [[Int]]

  init(_ groupMembers: [GroupMember], _ schema: Schema) {
    self.groupMembers = groupMembers
    var byRange = [Int?](repeating: nil, count: (groupMembers.map(\.range).max() ?? 0) + 1)
    for (place, member) in groupMembers.enumerated() { byRange[member.range] = place }
    self.byRange = byRange
    ascending = byRange.compactMap { $0 }
    var toOneSlots = [[Int]](repeating: [], count: Int(schema.numbers.lastEntity) + 1)
    for entity in schema.entities {
      toOneSlots[Int(entity.number.rawValue)] = entity.relationships.compactMap {
        $0.flatMap { $0.isToMany ? nil : $0.slot }
      }
    }
    self.toOneSlots = toOneSlots
  }

  /// The store that has the object with this key, if it is saved; nil if no store of the group can
  /// have it.
  func place(of key: ObjectKey) -> Int? {
    let range = key.serialRange
    return range < byRange.count ? byRange[range] : nil
  }

  /// The store of new objects of an entity; nil if no writable store accepts them.
  func defaultPlace(for entity: EntityNumber) -> Int? {
    groupMembers.firstIndex { !$0.store.isReadOnly && $0.accepts(entity) }
  }

  // MARK: - Saves

  /// The store that a save is for; the first writable one if it changes nothing.
  ///
  /// - Throws: `linksAcrossStores`, `severalStoresChanged`, `readOnly`, `noStore`.
  func place(of changeSet: ChangeSet, _ schema: Schema) throws(StoreError) -> Int {
    if let key = Self.keyWithoutStore(in: changeSet) { return try placeToSave(key, schema) }
    let links = crossing(changeSet, schema)
    if !links.isEmpty { throw .linksAcrossStores(links) }
    var places: Set<Int> = []
    var last: ObjectKey?
    for key in changeSet.changes.keys {
      if let last, key.serialRange == last.serialRange { continue }
      last = key
      places.insert(try placeToSave(key, schema))
    }
    for (place, targets) in changeSet.links.byPlace {
      let range = place.owner.serialRange
      // A link to another store that came and went changes neither.
      if !targets.keys.contains(where: { $0.serialRange == range }) { continue }
      places.insert(try placeToSave(place.owner, schema))
    }
    if places.count > 1 {
      throw .severalStoresChanged(stores: places.sorted().map { groupMembers[$0].name })
    }
    return places.first ?? groupMembers.firstIndex { !$0.store.isReadOnly } ?? 0
  }

  /// An object that no store has given its serial; nil if there is none. The keys of an entity
  /// ascend, so the last of each shows it.
  private static func keyWithoutStore(in changeSet: ChangeSet) -> ObjectKey? {
    let keys = changeSet.changes.keys
    return changeSet.changes.spans.lazy.map { keys[$0.range.upperBound - 1] }
      .first { $0.serialRange >= ObjectKey.serialRangeCount }
  }

  private func placeToSave(_ key: ObjectKey, _ schema: Schema) throws(StoreError) -> Int {
    if let place = place(of: key) { return place }
    // An object without a store: it was inserted here. A writable store that could give it no
    // serial refuses it, and knows why (I3 of `SerialAllocator`).
    if key.serialRange >= ObjectKey.serialRangeCount, let place = defaultPlace(for: key.entity) {
      return place
    }
    if groupMembers.contains(where: { $0.accepts(key.entity) }) { throw .readOnly }
    throw .noStore(entity: schema.entity(key.entity)?.description.name ?? "")
  }

  /// The links of a save that lead from one store to another.
  private func crossing(_ changeSet: ChangeSet, _ schema: Schema) -> [StoreError.LinkAcrossStores] {
    var found: [StoreError.LinkAcrossStores] = []
    for (key, change) in changeSet.changes {
      guard let record = change.record, let entity = schema.entity(key.entity) else { continue }
      for slot in toOneSlots[Int(key.entity.rawValue)] where change.slots.contains(slot) {
        guard let target = record.toOne(at: slot, layout: entity.layout),
          target.serialRange != key.serialRange, let relationship = entity.relationships[slot]
        else { continue }
        found.append(link(relationship.name, from: key, to: target, schema))
      }
    }
    for (place, targets) in changeSet.links.byPlace {
      for (target, state) in targets
      where state != .absent && target.serialRange != place.owner.serialRange {
        let name = schema.entity(place.owner.entity)?.relationships.lazy.compactMap(\.self)
          .first { $0.number == place.relationship }?.name
        // A relationship without inverse has its links in both directions too.
        if let name { found.append(link(name, from: place.owner, to: target, schema)) }
      }
    }
    return found
  }

  private func link(
    _ name: String, from owner: ObjectKey, to target: ObjectKey, _ schema: Schema
  ) -> StoreError.LinkAcrossStores {
    StoreError.LinkAcrossStores(
      owner: ObjectID(store: schema.store, key: owner),
      entity: schema.entity(owner.entity)?.description.name ?? "", property: name,
      target: ObjectID(store: schema.store, key: target),
      ownerStore: place(of: owner).map { groupMembers[$0].name },
      targetStore: place(of: target).map { groupMembers[$0].name })
  }
}
