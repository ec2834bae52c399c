// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The change of one entity's layout when its store's model evolves.
struct LayoutStep {
  /// How records of the former layout are read; nil if it stays.
  let upgrade: RecordUpgrade?
  /// The numbers of the attributes that show their default in objects that have no value.
  let filled: Set<PropertyNumber>

  /// - Parameters:
  ///   - former: the slots that the entity's records have.
  ///   - optional: the attributes among them that were optional.
  ///   - moves: the present numbers of the entity's former properties.
  ///   - version: the version of a layout that differs.
  ///   - layouts: the versions of the layouts so far.
  init(
    from former: [SlotDescription], optional: Set<PropertyNumber>, _ moves: PropertyMoves,
    to entity: EntitySchema, version: UInt16, _ layouts: LayoutVersions
  ) {
    let renumbering = moves.renumbering(of: former, to: entity)
    let stored = Set(former.filter { !$0.isTransient }.compactMap { moves[$0.number] })
    let optional = Set(optional.compactMap { moves[$0] })
    var (filled, defaults) = (Set<PropertyNumber>(), [(slot: Int, value: PropertyValue)]())
    for (slot, property) in entity.description.properties.enumerated() {
      guard let attribute = property.attribute, !attribute.isTransient, !attribute.isExternal,
        attribute.defaultValue != .null
      else { continue }
      let number = entity.numbers[slot]
      guard !stored.contains(number) || (!attribute.isOptional && optional.contains(number))
      else { continue }
      filled.insert(number)
      defaults.append((slot, attribute.defaultValue))
    }
    self.filled = filled
    let present = entity.layout.placedSlots.map { entity.layout.slots[$0] }
      .sorted { $0.number < $1.number }
    if filled.isEmpty, renumbering.isEmpty, former == present {
      upgrade = nil
      return
    }
    let layout = RecordLayout(version: version, slots: entity.layout.slots)
    var arena = RecordArena()
    let template = layout.edited(nil, into: &arena) { draft in
      for (slot, value) in defaults { draft.setValue(value, at: slot) }
    }
    upgrade = RecordUpgrade(
      from: RecordLayout(version: layouts.version(of: entity.number), slots: former), to: layout,
      template: template, renumbering)
  }
}
