// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The changes of one part of a batch, by object, including the changes that follow at the other
/// ends of relationships.
///
/// | inverse of a changed to-one relationship | consequence |
/// | --- | --- |
/// | missing, or to-many | nothing: the inverse is an index over the slot |
/// | to-one | former partners' slots become nil, and the new partner's slot leads to the object |
/// | ordered | the object leaves its former list, and is put last in its new list |
///
/// ## Lifetime
/// As long as the part that it is made for, because it holds a view.
struct BatchChanges {
  private let view: ReadView
  private let schema: Schema
  private var changes: [ObjectKey: Change] = [:]
  private var links = LinkChanges()
  private var lists: [LinkPlace: OrderedList] = [:]
  var arena = RecordArena()

  /// - Parameter view: the state of the store before the part.
  init(over view: ReadView) {
    self.view = view
    schema = view.schema
  }

  /// Returns the part as a segment, after it has given the objects in ordered relationships their
  /// positions.
  mutating func finished() throws -> Segment {
    try numberLists()
    return Segment(changes: ChangeTable(changes), links: links, schema: schema)
  }

  /// The object's record with the changes so far, and the stored record if there is no change; nil
  /// if there is no such object.
  private func state(of key: ObjectKey) throws -> (record: Record, stored: StoredRecord?)? {
    if let change = changes[key] { return change.record.map { ($0, nil) } }
    return try view.record(of: key).map { ($0.record, $0) }
  }

  // MARK: - Objects

  /// Inserts an object.
  ///
  /// - Parameter slots: the slots that have a value.
  mutating func insert(
    _ key: ObjectKey, _ record: Record, slots: SlotSet, external: ExternalValues
  ) throws {
    changes[key] = .insert(record, slots: slots, external: external)
    try relate(key, from: nil, to: record)
  }

  /// Sets slots of an object that is in the store or that this part has inserted.
  ///
  /// - Parameters:
  ///   - values: a record with the values.
  ///   - external: the bytes of external slots among `slots`.
  /// - Returns: whether a value of the object has changed.
  mutating func update(
    _ key: ObjectKey, from values: Record, slots: SlotSet, external: ExternalValues
  ) throws -> Bool {
    guard let (former, stored) = try state(of: key),
      let layout = schema.entity(key.entity)?.layout
    else { return false }
    let record = layout.splice(base: former, changes: values, slots: slots, into: &arena)
    let differing = layout.differingSlots(former, record)
    if differing.isEmpty { return false }
    put(record, of: key, over: stored, changing: differing, external)
    try relate(key, from: former, to: record)
    return true
  }

  /// Makes `record` the object's record.
  ///
  /// - Parameter stored: the stored record; nil if the object has a change in this part.
  private mutating func put(
    _ record: Record, of key: ObjectKey, over stored: StoredRecord?, changing slots: SlotSet,
    _ external: ExternalValues = ExternalValues()
  ) {
    guard let layout = schema.entity(key.entity)?.layout else { return }
    if let stored {
      changes[key] = .update(
        record, base: Base(record: stored.record, generation: stored.generation), slots: slots,
        external: external.fitting(record, layout, in: layout.externalSlots))
    } else if var change = changes[key] {
      change.external = external.fitting(
        record, layout, in: layout.externalSlots, orElse: change.external)
      change.record = record
      change.slots.formUnion(slots)
      changes[key] = change
    }
  }

  // MARK: - Links

  /// Adds a link in both directions, unless it exists.
  mutating func link(
    _ key: ObjectKey, _ relationship: RelationshipSchema, to target: ObjectKey
  ) throws {
    guard case .links(let number, let mirror) = relationship.storage else { return }
    if changes[key]?.kind != .insert,
      try view.snapshot.link(at: LinkPlace(number, key), to: target) != nil
    {
      return
    }
    links.set(.present(position: 0), at: LinkPlace(number, key), to: target)
    links.set(.present(position: 0), at: LinkPlace(mirror, target), to: key)
  }

  /// Updates the other ends of an object's to-one relationships whose targets have changed.
  private mutating func relate(
    _ key: ObjectKey, from former: Record?, to record: Record
  ) throws {
    guard let entity = schema.entity(key.entity) else { return }
    for target in entity.ends.targets where target.partner != nil || target.positions != nil {
      let old = former?.toOne(at: target.slot, layout: entity.layout)
      let new = record.toOne(at: target.slot, layout: entity.layout)
      if old == new { continue }
      if let partner = target.partner {
        if let old { try cut(old, partner, from: key) }
        if let new { try lead(new, partner, back: key, at: target.slot) }
      } else if let inverse = target.inverse {
        try move(key, from: old, to: new, inverse)
      }
    }
  }

  /// Sets a partner's slot to nil, if it leads to the object.
  private mutating func cut(_ partner: ObjectKey, _ slot: Int, from key: ObjectKey) throws {
    guard let layout = schema.entity(partner.entity)?.layout,
      let (record, stored) = try state(of: partner),
      record.toOne(at: slot, layout: layout) == key
    else { return }
    let cleared = layout.clearing([slot], in: record, into: &arena)
    put(cleared, of: partner, over: stored, changing: [slot])
  }

  /// Sets a new partner's slot to the object. If the partner had another partner, sets that
  /// object's slot to nil.
  private mutating func lead(
    _ partner: ObjectKey, _ slot: Int, back key: ObjectKey, at own: Int
  ) throws {
    guard let layout = schema.entity(partner.entity)?.layout,
      let (record, stored) = try state(of: partner)
    else { return }
    if let other = record.toOne(at: slot, layout: layout), other != key {
      try cut(other, own, from: partner)
    }
    let edited = layout.edited(record, into: &arena) { $0.setToOne(key, at: slot) }
    put(edited, of: partner, over: stored, changing: [slot])
  }

  // MARK: - Ordered relationships

  /// The members that one ordered list gains in this part, in their order.
  private struct OrderedList {
    let relationship: RelationshipSchema
    var gained: [ObjectKey] = []
    /// Whether a gained member has a lower key than a member before it.
    var isOutOfOrder = false
  }

  private mutating func move(
    _ key: ObjectKey, from old: ObjectKey?, to new: ObjectKey?,
    _ inverse: RelationshipSchema.Inverse
  ) throws {
    if let old {
      let place = LinkPlace(inverse.number, old)
      links.set(.absent, at: place, to: key)
      lists[place]?.gained.removeAll { $0 == key }
    }
    guard let new,
      let relationship = schema.entity(new.entity)?.relationships[inverse.slot],
      case .inverseSlot(let index, _) = relationship.storage
    else { return }
    let place = LinkPlace(inverse.number, new)
    // Members without a position come last, in the order of their keys: a new member that has the
    // highest key needs no position.
    var list = lists[place] ?? OrderedList(relationship: relationship)
    let last = try list.gained.last ?? view.lastReferrer(to: new, index: index)
    if let last, last > key { list.isOutOfOrder = true }
    list.gained.append(key)
    lists[place] = list
  }

  /// Gives positions to gained members that their keys would not put last, and to the members
  /// before them if necessary.
  private mutating func numberLists() throws {
    for (place, list) in lists where list.isOutOfOrder {
      let gained = Set(list.gained)
      // The view still has the members that leave in this part.
      let members = OrderedMembers(
        try view.members(of: list.relationship, owner: place.owner).filter {
          !gained.contains($0.key) && !hasLeft($0.key, place)
        })
      for key in list.gained {
        guard members.unnumberedCount > 0, members[members.count - 1].key > key else {
          members.set(key, at: ListPosition.unnumbered)
          continue
        }
        let plan = PositionPlan(inserting: [key], at: members.count, in: members)
        for member in plan.moved { put(member.key, at: member.position, in: members, place) }
        put(key, at: plan.positions[0], in: members, place)
      }
    }
  }

  private mutating func put(
    _ key: ObjectKey, at position: UInt64, in members: OrderedMembers, _ place: LinkPlace
  ) {
    members.set(key, at: position)
    links.set(.present(position: position), at: place, to: key)
  }

  private func hasLeft(_ key: ObjectKey, _ place: LinkPlace) -> Bool {
    links.state(at: place, to: key) == .absent
  }
}
