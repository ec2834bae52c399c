// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataDump
import StrataModel
import StrataRecord

/// The objects of a fixture's JSON, checked against a model: everything that can be wrong is found
/// before the first object is inserted.
struct FixtureInsertion {
  /// Objects are named by their index in `objects`.
  private struct Object {
    let entity: EntitySchema
    let name: String?
    /// The object in texts of mistakes.
    let place: String
    var attributes: [(name: String, value: PropertyValue)] = []
    var targets: [(name: String, target: Int)] = []
    var members: [(name: String, isOrdered: Bool, targets: [Int])] = []
  }

  /// A to-one relationship of an object.
  private struct Side: Hashable {
    let object: Int
    let slot: Int
  }

  private let schema: Schema
  private var objects: [Object] = []
  private var places: [String: Int] = [:]
  /// The targets of to-one relationships, also where the other side has the link; nil for null.
  private var toOneTargets: [Side: Int?] = [:]
  private var mistakes: [FixtureError.Mistake] = []

  /// - Throws: `FixtureError` with every mistake.
  init(_ document: FixtureDocument, _ schema: Schema) throws(FixtureError) {
    self.schema = schema
    var written: [FixtureDocument.Object] = []
    var entities: [String: EntitySchema] = [:]
    for name in document.entities {
      if let entity = schema.entity(named: name), !entity.description.isAbstract {
        entities[name] = entity
      } else {
        mistakes.append(.unknownEntity(name))
      }
    }
    for object in document.objects {
      guard let entity = entities[object.entity] else { continue }
      if let name = object.name { places[name] = objects.count }
      objects.append(Object(entity: entity, name: object.name, place: object.place))
      written.append(object)
    }
    // Relationships lead to names of other entities: without them, each would be one more mistake.
    guard mistakes.isEmpty else { throw FixtureError(mistakes) }
    for (index, object) in written.enumerated() {
      for property in object.properties { add(property, to: index) }
    }
    guard mistakes.isEmpty else { throw FixtureError(mistakes) }
  }

  private mutating func add(_ property: JSONValue.Member, to index: Int) {
    let (entity, place) = (objects[index].entity, objects[index].place)
    guard let slot = entity.description.slot(named: property.name) else {
      mistakes.append(.unknownProperty(object: place, property: property.name))
      return
    }
    if entity.derivedSlots.contains(slot) {
      mistakes.append(.derivedProperty(object: place, property: property.name))
      return
    }
    func refuse(_ expected: String) {
      mistakes.append(.unfitValue(object: place, property: property.name, expected: expected))
    }
    if let attribute = entity.description.properties[slot].attribute {
      do throws(DeclaredType.Refusal) {
        let value = try FixtureValue.value(of: property.value, for: attribute)
        objects[index].attributes.append((property.name, value))
      } catch {
        refuse(error.expected)
      }
    } else if let relationship = entity.relationships[slot], relationship.isToMany {
      guard let elements = property.value.elements,
        case let names = elements.compactMap(\.string), names.count == elements.count
      else { return refuse("an array of names of objects") }
      let targets = names.compactMap { target($0, of: relationship, index) }
      objects[index].members.append((property.name, relationship.isOrdered, targets))
    } else if let relationship = entity.relationships[slot] {
      if property.value == .null { return note(nil, at: Side(object: index, slot: slot)) }
      guard let name = property.value.string else { return refuse("the name of an object") }
      guard let target = target(name, of: relationship, index) else { return }
      objects[index].targets.append((property.name, target))
    }
  }

  /// The index of the object that a relationship leads to; nil if there is none that fits, which is
  /// a mistake.
  private mutating func target(
    _ name: String, of relationship: RelationshipSchema, _ owner: Int
  ) -> Int? {
    let place = objects[owner].place
    guard let target = places[name] else {
      mistakes.append(
        .unknownTarget(object: place, property: relationship.name, target: name))
      return nil
    }
    guard let destination = schema.entity(relationship.destination),
      destination.family.contains(objects[target].entity.number)
    else {
      let expected = schema.entity(relationship.destination)?.description.name ?? ""
      mistakes.append(
        .unfitTarget(
          object: place, property: relationship.name, target: name, expected: expected))
      return nil
    }
    if !relationship.isToMany { note(target, at: Side(object: owner, slot: relationship.slot)) }
    if let inverse = relationship.inverse, inverse.kind == .toOne {
      note(owner, at: Side(object: target, slot: inverse.slot))
    }
    return target
  }

  /// Notes the target of a to-one relationship, nil for null. It is a mistake if the relationship
  /// has another target already: one of the two would be lost.
  private mutating func note(_ target: Int?, at side: Side) {
    guard let former = toOneTargets.updateValue(target, forKey: side), former != target else {
      return
    }
    let owner = objects[side.object]
    mistakes.append(
      .severalTargets(
        object: owner.place, property: owner.entity.description.properties[side.slot].name,
        targets: [former, target].map { $0.map { objects[$0].place } ?? "null" }))
  }

  // MARK: - Inserting

  /// Inserts the objects: attributes first, so that relationships lead to objects that are there.
  func insert(into context: ManagedObjectContext) throws -> FixtureObjects {
    var inserted: [ManagedObject] = []
    var ids: [String: ObjectID] = [:]
    for object in objects {
      let new = try EntityDescription.insertNewObject(
        forEntityName: object.entity.description.name, into: context)
      for (name, value) in object.attributes { try new.setValue(value, for: name) }
      if let name = object.name { ids[name] = new.objectID }
      inserted.append(new)
    }
    for (object, new) in zip(objects, inserted) {
      for (name, target) in object.targets {
        try new.setValue(.object(inserted[target].objectID), for: name)
      }
      for (name, isOrdered, targets) in object.members {
        if isOrdered {
          try new.orderedMembers(for: name).append(contentsOf: targets.map { inserted[$0] })
        } else {
          let members = try new.members(for: name)
          for target in targets { members.insert(inserted[target]) }
        }
      }
    }
    return FixtureObjects(ids: ids)
  }
}
