// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

// The links of to-many relationships whose inverse is to-many or missing, and the positions of
// ordered ones.

extension StoreCheck {
  /// The links of one direction of a relationship.
  private struct LinkList {
    let place: String
    let number: PropertyNumber
    /// The number of the other direction; nil for positions, which have none.
    let opposite: PropertyNumber?
    /// The entities that the targets may be of; nil if the other direction has no relationship.
    let family: [EntityNumber]?
  }

  mutating func checkLinks() {
    var lists: [PropertyNumber: LinkList] = [:]
    for entity in view.schema.entities {
      for case let relationship? in entity.relationships where relationship.isToMany {
        let place = "\(entity.description.name).\(relationship.name)"
        switch relationship.storage {
        case .slot: continue
        case .inverseSlot:
          guard relationship.isOrdered else { continue }
          // A superentity comes first: its name stays.
          if lists[relationship.number] == nil {
            lists[relationship.number] = LinkList(
              place: place, number: relationship.number, opposite: nil, family: nil)
          }
        case .links(let number, let mirror):
          for (one, other) in [(number, mirror), (mirror, number)] where lists[one] == nil {
            lists[one] = LinkList(
              place: place, number: one, opposite: other,
              family: destination(of: one, of: relationship)?.family)
          }
        }
      }
    }
    for (_, list) in lists.sorted(by: { $0.key < $1.key }) { check(list) }
  }

  /// The entity that one direction of a relationship leads to; nil if that direction is the way
  /// back of a relationship without an inverse.
  private func destination(
    of number: PropertyNumber, of relationship: RelationshipSchema
  ) -> EntitySchema? {
    let destination = view.schema.entity(relationship.destination)
    if number == relationship.number { return destination }
    let inverse = relationship.inverse.flatMap { destination?.relationships[$0.slot] }
    return inverse.flatMap { view.schema.entity($0.destination) }
  }

  private mutating func check(_ list: LinkList) {
    guard let tree = view.trees.entries(of: list.number) else { return }
    let prefix = EntryKey.prefix(list.number)
    var keys: [(owner: ObjectKey, target: ObjectKey)] = []
    do {
      try prefix.withUnsafeBytes { prefix in
        try view.reader.withCursor(on: tree) { cursor in
          var isThere = try cursor.seek(atOrAbove: prefix)
          while isThere, cursor.key.starts(with: prefix) {
            let (key, value) = (cursor.key, cursor.value)
            if key.count == EntryKey.prefixByteCount + EntryKey.linkByteCount,
              value.isEmpty || value.count == 8
            {
              keys.append((Self.object(in: key, at: 2), Self.object(in: key, at: 10)))
            } else {
              found(list.place, "a link has \(key.count) and \(value.count) bytes")
            }
            // A part at a time is in memory.
            if keys.count == 4_096 {
              check(keys, of: list)
              keys = []
            }
            isThere = try cursor.next()
          }
        }
      }
    } catch {
      found(list.place, error)
    }
    check(keys, of: list)
  }

  private mutating func check(
    _ keys: [(owner: ObjectKey, target: ObjectKey)], of list: LinkList
  ) {
    for (owner, target) in keys {
      noteWork()
      counts.links += 1
      // Positions may be left of members that were linked elsewhere.
      guard let opposite = list.opposite else { continue }
      for end in [owner, target] where (try? view.contains(end)) == false {
        found(list.place, "a link of \(name(of: end)), which does not exist")
      }
      if let family = list.family, !family.contains(target.entity) {
        found(
          list.place,
          "\(name(of: owner)) is linked to \(name(of: target)), an object of another entity")
      }
      do {
        if try view.link(at: LinkPlace(opposite, target), to: owner) == nil {
          found(
            list.place,
            "\(name(of: owner)) is linked to \(name(of: target)), and not the other way round")
        }
      } catch {
        found(list.place, error)
      }
    }
  }

  private static func object(in key: UnsafeRawBufferPointer, at offset: Int) -> ObjectKey {
    ObjectKey(
      rawValue: UInt64(
        bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
  }
}
