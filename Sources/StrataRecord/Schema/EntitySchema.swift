// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel

/// An entity in one store: its number, its record layout, its indexes and its relationships.
///
/// ## Isolation
/// Sendable: constant.
package final class EntitySchema: Sendable {
  package let store: StoreIdentity
  package let number: EntityNumber
  package let description: EntityDescription
  package let layout: RecordLayout
  /// Property numbers by slot.
  package let numbers: [PropertyNumber]
  /// The indexes that hold entries for objects of this entity, inherited ones included.
  package let indexes: [IndexSchema]
  /// The indexes with one entry for each object, made of its values: all except indexes of words.
  package let valueIndexes: [IndexSchema]
  /// The slots that are parts of indexes.
  package let indexedSlots: SlotSet
  /// The slots of derived attributes: no edit sets them, and they count in no conflict.
  package let derivedSlots: SlotSet
  /// The slots of attributes with a merge rule: their values count in no conflict of two updates.
  package let mergedSlots: SlotSet
  /// The slots whose values a history keeps of deleted objects.
  package let preservedSlots: SlotSet
  /// By slot; nil where the slot is an attribute.
  package let relationships: [RelationshipSchema?]
  /// Relationships without inverse that may lead to objects of this entity.
  package let incoming: [IncomingRelationship]
  /// The ends that objects of this entity have of their own and of others' relationships.
  package let ends: RelationshipEnds
  /// The entities whose objects are objects of this one: itself unless abstract, and all that
  /// inherit from it. Ascending.
  package let family: [EntityNumber]

  init(
    store: StoreIdentity, number: EntityNumber, description: EntityDescription,
    layout: RecordLayout,
    numbers: [PropertyNumber], indexes: [IndexSchema], relationships: [RelationshipSchema?],
    incoming: [IncomingRelationship], family: [EntityNumber]
  ) {
    self.store = store
    self.number = number
    self.description = description
    self.layout = layout
    self.numbers = numbers
    self.indexes = indexes
    valueIndexes = indexes.contains(where: \.isOfWords) ? indexes.filter { !$0.isOfWords } : indexes
    indexedSlots = indexes.reduce(into: []) { $0.formUnion($1.slots) }
    derivedSlots = description.properties.enumerated().reduce(into: []) { slots, property in
      guard let attribute = property.element.attribute,
        description.derivation(of: attribute) != nil
      else { return }
      slots.insert(property.offset)
    }
    mergedSlots = description.properties.enumerated().reduce(into: []) { slots, property in
      if property.element.attribute?.mergeRule != nil { slots.insert(property.offset) }
    }
    preservedSlots = description.properties.enumerated().reduce(into: []) { slots, property in
      if property.element.attribute?.preservesValueOnDeletion == true {
        slots.insert(property.offset)
      }
    }
    self.relationships = relationships
    self.incoming = incoming
    ends = RelationshipEnds(relationships, incoming)
    self.family = family
  }

  /// The slots in which an edit made `right` of `left`, or the other way round: derived and
  /// transient ones are left out.
  package func editedSlots(_ left: Record, _ right: Record) -> SlotSet {
    layout.differingSlots(left, right).subtracting(derivedSlots)
      .subtracting(layout.transientSlots)
  }

  /// The slots that make an update a conflict if they differ: without those that merge rules
  /// decide.
  package func contestedSlots(_ left: Record, _ right: Record) -> SlotSet {
    editedSlots(left, right).subtracting(mergedSlots)
  }

  /// Whether both records have the same values, derived and transient ones left out.
  package func hasEqualEdits(_ left: Record, _ right: Record) -> Bool {
    left == right || editedSlots(left, right).isEmpty
  }

  /// A schema of an entity that no store has: for objects that only say which slots they are asked
  /// for.
  package static func unbound(_ entity: EntityDescription) -> EntitySchema {
    let numbers = entity.properties.indices.map { PropertyNumber(rawValue: UInt16($0 + 1)) }
    let slots = zip(entity.properties, numbers).map {
      SlotDescription(number: $1, kind: SchemaBuilder.kind(of: $0), isTransient: false)
    }
    return EntitySchema(
      store: StoreIdentity(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      number: EntityNumber(rawValue: 0),
      description: entity, layout: RecordLayout(version: 1, slots: slots, of: entity.name),
      numbers: numbers, indexes: [], relationships: Array(repeating: nil, count: slots.count),
      incoming: [], family: [])
  }

  /// The index over `slot`, or nil. O(indexes).
  package func index(at slot: Int) -> IndexSchema? {
    valueIndexes.first { $0.slot == slot && !$0.isCompound }
  }

  /// The index of the words of the text in `slot`, or nil. O(indexes).
  package func wordIndex(at slot: Int) -> IndexSchema? {
    indexes.first { $0.slot == slot && $0.isOfWords }
  }

  /// The unique index over exactly these slots, in any order, or nil. O(indexes).
  package func uniqueIndex(over slots: [Int]) -> IndexSchema? {
    indexes.first { $0.isUnique && $0.parts.map(\.slot).sorted() == slots.sorted() }
  }
}
