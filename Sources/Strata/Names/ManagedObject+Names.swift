// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataQuery
public import StrataRecord

// Properties by name, for code that does not know the class of an object: tools, importers, and
// stores that are opened with the model that they have (`ManagedObjectModel(ofStoreAt:)`). A
// program with classes uses the properties of its classes, which the compiler checks.

extension ManagedObject {
  /// The value of an attribute, or the ID of a to-one relationship's target. `.null` for no value,
  /// also where the property of a class reads as its default or as the zero of its type. Fires a
  /// fault. Core Data: `value(forKey:)`.
  ///
  /// - Throws: `QueryError.unknownProperty`; `.toManyProperty` for a to-many relationship.
  public final func value(for name: String) throws -> PropertyValue {
    let slot = try binding.entity.requireSlot(named: name)
    switch binding.entity.description.properties[slot] {
    case .attribute(let attribute): return attribute.type.storedType.value(of: self, at: slot)
    case .relationship(let relationship):
      if relationship.isToMany { throw binding.entity.toMany(slot) }
      return target(at: slot).map { .object($0.objectID) } ?? .null
    }
  }

  /// The value of an attribute as a `V`; nil for no value, and for a value that is not of this
  /// type. Fires a fault.
  ///
  /// - Throws: as `value(for:)`.
  public final func value<V: ColumnValue>(for name: String, as _: V.Type = V.self) throws -> V? {
    V(value: try value(for: name))
  }

  /// Sets an attribute, or a to-one relationship to the object of an ID. `.null` removes the value
  /// or the target. The inverse of a relationship is set too. Core Data: `setValue(_:forKey:)`.
  ///
  /// Integers fit attributes of any integer type that can represent them. A model without classes
  /// has no enums and no `Codable` types: every value of the stored type fits then.
  ///
  /// - Throws: `QueryError.unknownProperty`; `.unassignableProperty` for a to-many relationship and
  ///   for a derived attribute; `.unfitAssignment` for a value that does not fit the property, such
  ///   as a raw value that is not a case of its enum, and for `.null` where the attribute is not
  ///   optional; `ContextError.objectNotFound` if the target of the ID does not exist. The object
  ///   is then unchanged.
  public final func setValue(_ value: PropertyValue, for name: String) throws {
    let entity = binding.entity
    let slot = try entity.requireSlot(named: name)
    let attribute = entity.description.properties[slot].attribute
    guard entity.isAssignable(slot) || attribute?.isTransient == true else {
      throw entity.unassignable(slot)
    }
    guard let context = context(for: .setting(slot: slot)),
      let fitting = context.schema.assignable(
        value, to: slot, of: entity, as: entity.declaredType(of: slot))
    else { throw entity.unfit(slot) }
    if let attribute {
      guard attribute.type.storedType.set(fitting, of: self, at: slot) else {
        throw entity.unfit(slot)
      }
      return
    }
    guard case .object(let id) = fitting else { return setTarget(nil, at: slot) }
    let target = try context.object(ManagedObject.self, with: id)
    if target.isFault { try context.loader.load(target) }
    guard !target.isDeleted else { throw ContextError.objectNotFound(id) }
    setTarget(target, at: slot)
  }

  /// The target of a to-one relationship, a fault if it is not loaded; nil if there is none.
  ///
  /// - Throws: `QueryError.unknownProperty`; `.toManyProperty` for a to-many relationship;
  ///   `.unfitProperty` for an attribute.
  public final func target(for name: String) throws -> ManagedObject? {
    let (slot, relationship) = try binding.entity.requireRelationship(named: name)
    if relationship.isToMany { throw binding.entity.toMany(slot) }
    return target(at: slot)
  }

  /// A to-many relationship, in which members can be inserted and removed. `orderedMembers(for:)`
  /// also moves those of an ordered one. Core Data: `mutableSetValue(forKey:)`.
  ///
  /// - Important: A member is of the relationship's destination or of an entity that inherits from
  ///   it. Inserting another object stops the program; check `objectID.entityName` first.
  /// - Throws: `QueryError.unknownProperty`; `.unfitProperty` for a property that is not a to-many
  ///   relationship.
  public final func members(for name: String) throws -> ToMany<ManagedObject> {
    let (slot, relationship) = try binding.entity.requireRelationship(named: name)
    guard relationship.isToMany else { throw binding.entity.unfitProperty(slot) }
    return ToMany(owner: self, slot: slot)
  }

  /// An ordered to-many relationship, in which members can be inserted, moved and removed. Core
  /// Data: `mutableOrderedSetValue(forKey:)`.
  ///
  /// - Important: As for `members(for:)`, inserting an object of another entity stops the program.
  /// - Throws: `QueryError.unknownProperty`; `.unfitProperty` for a property that is not an ordered
  ///   to-many relationship.
  public final func orderedMembers(for name: String) throws -> OrderedToMany<ManagedObject> {
    let (slot, relationship) = try binding.entity.requireRelationship(named: name)
    guard relationship.isOrdered else { throw binding.entity.unfitProperty(slot) }
    return OrderedToMany(owner: self, slot: slot)
  }
}

// MARK: - Slots

extension EntitySchema {
  fileprivate func requireSlot(named name: String) throws(QueryError) -> Int {
    guard let slot = description.slot(named: name) else {
      throw .unknownProperty(entity: description.name, keyPath: name)
    }
    return slot
  }

  fileprivate func requireRelationship(
    named name: String
  ) throws(QueryError) -> (slot: Int, RelationshipDescription) {
    let slot = try requireSlot(named: name)
    guard let relationship = description.properties[slot].relationship else {
      throw unfitProperty(slot)
    }
    return (slot, relationship)
  }

  fileprivate func toMany(_ slot: Int) -> QueryError {
    .toManyProperty(entity: description.name, property: description.properties[slot].name)
  }

  fileprivate func unfitProperty(_ slot: Int) -> QueryError {
    .unfitProperty(entity: description.name, property: description.properties[slot].name)
  }
}

extension AttributeValue {
  fileprivate static func value(of object: ManagedObject, at slot: Int) -> PropertyValue {
    (object.value(at: slot) as Self?).value
  }

  /// - Returns: false if the value is not of this type.
  fileprivate static func set(
    _ value: PropertyValue, of object: ManagedObject, at slot: Int
  ) -> Bool {
    guard let converted = Self?(value: value) else { return false }
    object.setValue(converted, at: slot)
    return true
  }
}
