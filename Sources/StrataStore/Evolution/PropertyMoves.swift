// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The numbers of the former properties of one entity's objects, and the numbers that these
/// properties have now. Most numbers stay. A number changes if properties of several entities
/// become one, or one becomes several.
struct PropertyMoves: Sendable {
  /// Former properties that do not go on are missing.
  private let present: [PropertyNumber: PropertyNumber]
  /// All former properties, inherited ones included.
  let former: Set<PropertyNumber>
  /// The present properties of the entity whose values objects did not have under that number.
  let changedNumbers: Set<PropertyNumber>

  init(of entity: ModelEvolution.Entity, from stored: StoredModel, to schema: EntitySchema) {
    var present: [PropertyNumber: PropertyNumber] = [:]
    for (property, number) in zip(schema.description.properties, schema.numbers) {
      guard let match = entity.formerProperties[property.name],
        let formerNumber = stored.number(of: match)
      else { continue }
      present[formerNumber] = number
    }
    let lineage = entity.former.map { stored.entities.lineage(of: $0.name) } ?? []
    former = Set(
      lineage.flatMap { declaring in
        (declaring.attributes.map(\.name) + declaring.relationships.map(\.name)).compactMap {
          stored.numbers.number(ofProperty: $0, declaredBy: declaring.name)
        }
      })
    self.present = present
    let kept = Set(present.filter { $0.key == $0.value }.keys)
    changedNumbers = Set(present.values).union(former.intersection(schema.numbers))
      .subtracting(kept)
  }

  /// The present number of a former property; nil if it does not go on.
  subscript(_ former: PropertyNumber) -> PropertyNumber? { present[former] }

  /// The slots of a former layout that go on under another number, and the slots that do not go on
  /// although a present slot has their number.
  ///
  /// The catalog does not say which slots of a former layout were transient. A former transient
  /// slot needs a note if a present slot of its number would take it for a stored one.
  func renumbering(of slots: [SlotDescription], to entity: EntitySchema) -> SlotRenumbering {
    let layout = entity.layout
    let stored = Dictionary(
      layout.placedSlots.subtracting(layout.transientSlots)
        .map { (layout.slots[$0].number, SlotCode(layout.slots[$0])) }
    ) { first, _ in first }
    var renumbering = SlotRenumbering()
    for slot in slots {
      let later = present[slot.number].flatMap { stored[$0] == nil ? nil : $0 }
      guard slot.isTransient else {
        renumbering.note(slot.number, later, isTaken: stored[slot.number] != nil)
        continue
      }
      // The records have no value of it.
      let fits = later == slot.number && stored[slot.number]?.widens(SlotCode(slot)) == true
      renumbering.note(
        slot.number, nil, isTaken: stored[slot.number] != nil && !fits)
    }
    return renumbering
  }
}
