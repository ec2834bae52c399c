// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The model that a store has, as its catalog describes it: there are no classes for it any more.
struct StoredModel {
  /// An index over one property or over several.
  struct Index: Equatable {
    /// A property whose values are in the keys.
    struct Part: Equatable {
      let property: PropertyNumber
      let form: KeyForm
    }

    let number: PropertyNumber
    let parts: [Part]
    let isUnique: Bool
  }

  /// The types whose values have the same keys.
  enum KeyForm: Equatable {
    case integer
    case double
    case other(AttributeType)
    case toOne
    /// The words of a text, by a folding of this number.
    case words(folding: UInt8)

    init(_ type: AttributeType) {
      self =
        switch type {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer
        case .float, .double: .double
        default: .other(type)
        }
    }
  }

  let entities: StoredEntities
  let numbers: SchemaNumbers
  /// The number of the folding of words.
  private let folding: UInt8

  init(_ catalog: Catalog) {
    entities = StoredEntities(catalog.outline)
    numbers = catalog.numbers
    folding = catalog.hasPresentWords ? TextFolding.number : 1
  }

  func number(of entity: String) -> EntityNumber? { numbers.number(ofEntity: entity) }

  func number(of property: ModelEvolution.Property) -> PropertyNumber? {
    numbers.number(ofProperty: property.property, declaredBy: property.entity)
  }

  /// The slots of an entity's records that have a place, in the order of their numbers; nil if one
  /// has no number.
  func slots(of name: String) -> [SlotDescription]? {
    var slots: [SlotDescription] = []
    for entity in entities.lineage(of: name) {
      for attribute in entity.attributes {
        guard let number = numbers.number(ofProperty: attribute.name, declaredBy: entity.name)
        else { return nil }
        let isExternal = attribute.isExternal ?? false
        guard !isExternal || attribute.type == .data else { return nil }
        slots.append(
          SlotDescription(
            number: number, kind: .attribute(attribute.type), isTransient: attribute.isTransient,
            isExternal: isExternal))
      }
      for relationship in entity.relationships where relationship.kind == .toOne {
        guard let number = numbers.number(ofProperty: relationship.name, declaredBy: entity.name)
        else { return nil }
        slots.append(SlotDescription(number: number, kind: .toOne))
      }
    }
    slots.sort { $0.number < $1.number }
    let isRepeated = zip(slots, slots.dropFirst()).contains { $0.number == $1.number }
    return isRepeated ? nil : slots
  }

  /// The entities that are not abstract and whose objects are objects of `name`.
  func family(of name: String) -> Set<EntityNumber> {
    Set(
      entities.heirs(of: name).filter { entities[$0]?.isAbstract == false }.compactMap {
        number(of: $0)
      })
  }

  /// The attributes of an entity, inherited ones included, that may have no value.
  func optionalAttributes(of name: String) -> Set<PropertyNumber> {
    var optional: Set<PropertyNumber> = []
    for entity in entities.lineage(of: name) {
      for attribute in entity.attributes where attribute.isOptional {
        guard let number = numbers.number(ofProperty: attribute.name, declaredBy: entity.name)
        else { continue }
        optional.insert(number)
      }
    }
    return optional
  }

  /// The indexes that an entity itself declares.
  func indexes(declaredBy name: String) -> [Index] {
    guard let entity = entities[name] else { return [] }
    let attributes = entity.attributes.filter(\.isIndexed).compactMap { attribute in
      part(attribute.name, in: name).map {
        Index(number: $0.property, parts: [$0], isUnique: attribute.isUnique)
      }
    }
    let links = entity.relationships.filter { $0.kind == .toOne }.compactMap { relationship in
      part(relationship.name, in: name).map {
        Index(number: $0.property, parts: [$0], isUnique: false)
      }
    }
    let unique = (entity.uniqueTogether ?? []).map { ($0, true) }
    let compound = (unique + (entity.indexes ?? []).map { ($0, false) }).compactMap {
      list, isUnique -> Index? in
      let key = SchemaNumbers.name(ofIndexOver: list)
      let parts = list.compactMap { part($0, in: name) }
      guard let number = numbers.number(ofProperty: key, declaredBy: name),
        parts.count == list.count
      else { return nil }
      return Index(number: number, parts: parts, isUnique: isUnique)
    }
    let words = entity.attributes.filter { $0.isFullText == true }.compactMap { attribute in
      let key = SchemaNumbers.name(ofWordsOf: attribute.name)
      return numbers.number(ofProperty: key, declaredBy: name).flatMap { number in
        part(attribute.name, in: name).map {
          Index(
            number: number,
            parts: [Index.Part(property: $0.property, form: .words(folding: folding))],
            isUnique: false)
        }
      }
    }
    return attributes + links + compound + words
  }

  /// A property that an entity has, its own or inherited, as a part of an index.
  private func part(_ property: String, in entity: String) -> Index.Part? {
    for entity in entities.lineage(of: entity) {
      guard let number = numbers.number(ofProperty: property, declaredBy: entity.name) else {
        continue
      }
      if let attribute = entity.attributes.first(where: { $0.name == property }) {
        return Index.Part(property: number, form: KeyForm(attribute.type))
      }
      return Index.Part(property: number, form: .toOne)
    }
    return nil
  }
}
