// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives

/// A model bound to one store: every name of the model has its number there, every entity its
/// record layout. It is made once, when the store is opened, and all layers above use it.
///
/// ## Invariants
/// - I1 Each entity of the model has exactly one `EntitySchema`, found by its number.
/// - I2 A slot has the same property number in the entity that declares it and in all that inherit.
///
/// ## Isolation
/// Sendable: constant.
package final class Schema: Sendable {
  package let model: ManagedObjectModel
  package let store: StoreIdentity
  package let numbers: SchemaNumbers
  /// How many models this store has had, from 1. The layout of an entity's records has the version
  /// in which it last changed.
  package let version: UInt16
  /// The versions of the layouts, present and earlier ones.
  package let layouts: LayoutVersions
  /// The validation that saves do before they hand objects on.
  package let validation: ValidationSchema
  /// The derivations of saves to the store.
  package let derivation: DerivationSchema
  /// Whether an attribute has a merge rule.
  package let hasMergeRules: Bool
  /// The clock of the dates that Strata itself writes.
  package let clock: StoreClock

  private let byNumber: [EntitySchema?]
  /// By the number of the index.
  private let entitiesByIndex: [[EntityNumber]]
  private let layoutsByNumber: [RecordLayout?]
  private let upgradesByNumber: [[RecordUpgrade]?]
  private let entityHooks: EntityHooks
  private let byClass: OrderedTable<ObjectIdentifier, EntitySchema>

  /// - Precondition: `numbers` has a number for every entity and property of `model`.
  package init(
    model: ManagedObjectModel, numbers: SchemaNumbers, store: StoreIdentity, version: UInt16,
    layouts: LayoutVersions = LayoutVersions(), clock: StoreClock = .system
  ) {
    self.model = model
    self.clock = clock
    self.numbers = numbers
    self.store = store
    self.version = version
    self.layouts = layouts
    let builder = SchemaBuilder(model: model, numbers: numbers, layouts: layouts, store: store)
    var byNumber = [EntitySchema?](repeating: nil, count: Int(numbers.lastEntity) + 1)
    var byClass = OrderedTable<ObjectIdentifier, EntitySchema>()
    for entity in model.entities {
      let schema = builder.schema(of: entity)
      byNumber[Int(schema.number.rawValue)] = schema
      byClass.set(schema, for: ObjectIdentifier(entity.managedObjectClass))
    }
    self.byNumber = byNumber
    hasMergeRules = byNumber.contains { $0?.mergedSlots.isEmpty == false }
    var entitiesByIndex = [[EntityNumber]](repeating: [], count: Int(numbers.lastProperty) + 1)
    for case let entity? in byNumber where !entity.description.isAbstract {
      for index in entity.indexes {
        entitiesByIndex[Int(index.number.rawValue)].append(entity.number)
      }
    }
    self.entitiesByIndex = entitiesByIndex
    layoutsByNumber = byNumber.map { $0?.layout }
    upgradesByNumber = byNumber.map { entity in
      entity.flatMap { layouts.upgrades(of: $0.number, to: $0.layout) }
    }
    entityHooks = EntityHooks(
      all: model.entities.reduce([]) { $1.isAbstract ? $0 : $0.union($1.hooks) },
      byNumber: byNumber.map { $0?.description.hooks })
    self.byClass = byClass
    validation = ValidationSchema(byNumber)
    derivation = DerivationSchema(byNumber)
    store.register(byNumber.map { $0?.description.name })
  }

  /// All entities, ascending by number.
  package var entities: [EntitySchema] { byNumber.compactMap { $0 } }

  /// The entity with this number, or nil if the model has none: a number may come from the disk or
  /// from another store's ID.
  package func entity(_ number: EntityNumber) -> EntitySchema? {
    byNumber.element(of: number)
  }

  /// Whether a relationship may lead to objects of an entity. The number of the entity may come
  /// from the disk. O(entities that inherit from the destination).
  package func canLead(_ relationship: RelationshipSchema, to entity: EntityNumber) -> Bool {
    self.entity(relationship.destination)?.family.contains(entity) == true
  }

  /// The entities whose objects have entries in an index, ascending.
  package func entities(with index: PropertyNumber) -> [EntityNumber] {
    let number = Int(index.rawValue)
    return number < entitiesByIndex.count ? entitiesByIndex[number] : []
  }

  /// How an entity's records are laid out; nil for a number that the model does not have.
  package func layout(of number: EntityNumber) -> RecordLayout? {
    layoutsByNumber.element(of: number)
  }

  /// How records of an earlier layout are read; nil if the entity has no layout of this version.
  package func upgrade(of number: EntityNumber, from version: UInt16) -> RecordUpgrade? {
    upgrades(of: number).first { $0.earlier.version == version }
  }

  /// How records of an entity's earlier layouts are read, ascending by version.
  package func upgrades(of number: EntityNumber) -> [RecordUpgrade] {
    upgradesByNumber.element(of: number) ?? []
  }

  /// The life cycle methods of all entities together: saves and fetches skip hooks that are absent
  /// here.
  package var hooks: _LifeCycleHooks { entityHooks.all }

  /// The life cycle methods of an entity's objects; none for a number that the model does not have.
  package func hooks(of number: EntityNumber) -> _LifeCycleHooks {
    entityHooks.byNumber.element(of: number) ?? []
  }

  /// The entity of this name, or nil. O(entities).
  package func entity(named name: String) -> EntitySchema? {
    byNumber.lazy.compactMap { $0 }.first { $0.description.name == name }
  }

  /// The entity whose objects are of this very class, or nil.
  package func entity(for managedObjectClass: AnyClass) -> EntitySchema? {
    entity(forClass: ObjectIdentifier(managedObjectClass))
  }

  /// The entity whose objects are of the class with this identity, or nil.
  package func entity(forClass identifier: ObjectIdentifier) -> EntitySchema? {
    byClass[identifier]
  }
}

/// The life cycle methods of a schema's entities.
private struct EntityHooks: Sendable {
  /// The methods of all entities that are not abstract.
  let all: _LifeCycleHooks
  let byNumber: [_LifeCycleHooks?]
}

extension Array {
  /// The element of an entity, in an array by number; nil also for a number that the model does not
  /// have.
  @inline(__always)
  func element<Wrapped>(of number: EntityNumber) -> Wrapped? where Element == Wrapped? {
    let index = Int(number.rawValue)
    return index < count ? self[index] : nil
  }
}
