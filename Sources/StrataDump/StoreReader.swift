// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Strata
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord
import StrataStore

/// Reads all of a store, in one state of it, as the items of a dump.
///
/// In memory are one object, and a relationship's members of one object. If damage is survived, the
/// keys of all objects are, too.
///
/// ## Isolation
/// One thread.
package struct StoreReader {
  /// Called for an object that cannot be read, with its ID, and for a tree of which the rest cannot
  /// be read, with the name of the entity.
  package typealias DamageHandler = (_ place: String, any Error) -> Void

  /// Called with the number of steps that are done, and the number of all.
  package typealias ProgressHandler = (_ completed: Int, _ total: Int) -> Void

  private static let membersCountMax = 1_000

  private let schema: Schema
  private let blueprint: StoreBlueprint
  private let view: ReadView
  /// Nil if damage ends the reading.
  private let onDamage: DamageHandler?
  private let onProgress: ProgressHandler
  /// The objects that could be read, while damage is survived.
  private let salvaged = Salvaged()

  private final class Salvaged {
    var keys: Set<ObjectKey> = []
  }

  /// - Parameter onDamage: goes on after damage; nil to throw the first error.
  package init(
    _ coordinator: PersistentStoreCoordinator, onProgress: @escaping ProgressHandler = { _, _ in },
    onDamage: DamageHandler? = nil
  ) throws {
    schema = coordinator.schema
    let snapshot = try coordinator.snapshot()
    guard let store = coordinator.store as? LMDBStore else {
      stopProgram("a store that was opened from a file is Strata's own")
    }
    blueprint = try store.blueprint(in: snapshot)
    view = ReadView(of: snapshot, schema)
    self.onProgress = onProgress
    self.onDamage = onDamage
  }

  /// Calls `body` with each item, in the order of a dump.
  package func visit(_ body: (DumpItem) throws -> Void) throws {
    try body(.header(blueprint))
    var total = 0
    for entity in concreteEntities {
      total += (try? view.snapshot.count(of: entity.number)) ?? 0
    }
    var objectCount = 0
    for entity in concreteEntities {
      try forEachObject(of: entity) { key, record in
        try body(.object(id(key), values(of: key, entity, record)))
        if onDamage != nil { salvaged.keys.insert(key) }
        objectCount += 1
        onProgress(objectCount, 2 * total)
      }
    }
    var linkedCount = objectCount
    for entity in concreteEntities {
      let toMany = entity.relationships.compactMap { $0 }.filter { Self.hasLines($0) }
      let toOne = entity.relationships.compactMap { $0 }.filter { !$0.isToMany }
      if toMany.isEmpty && toOne.isEmpty { continue }
      try forEachObject(of: entity) { key, record in
        let targets = try targets(of: key, toOne, entity, record)
        if !targets.isEmpty { try body(.targets(id(key), targets)) }
        for relationship in toMany { try visitMembers(of: key, relationship, body) }
        linkedCount += 1
        onProgress(linkedCount, 2 * total)
      }
    }
    try body(.end(objectCount: objectCount))
  }

  private var concreteEntities: [EntitySchema] {
    schema.entities.filter { !$0.description.isAbstract }
  }

  private func id(_ key: ObjectKey) -> DumpedID {
    DumpedID(
      entity: schema.entity(key.entity)?.description.name ?? "", serial: key.serial)
  }

  // MARK: - Objects

  /// Calls `body` with the first byte of each record of an entity, ascending by serial.
  private func forEachObject(
    of entity: EntitySchema, _ body: (ObjectKey, UnsafeRawPointer) throws -> Void
  ) throws {
    guard let onDamage else {
      return try view.snapshot.scanRecords(of: entity.number) { key, _, record in
        if let start = record.baseAddress { try body(key, start) }
        return .more
      }
    }
    for key in keys(of: entity, onDamage) {
      let stored: StoredRecord?
      do { stored = try view.snapshot.record(for: key) } catch {
        onDamage(id(key).text, error)
        continue
      }
      guard let record = stored?.record else { continue }
      try record.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress { try body(key, start) }
      }
    }
  }

  /// The keys of an entity's objects, ascending. If the walk over them ends at damage, they are
  /// those in the pages that can be read.
  private func keys(of entity: EntitySchema, _ onDamage: DamageHandler) -> [ObjectKey] {
    var found: [ObjectKey] = []
    do {
      try view.snapshot.scanKeys(of: entity.number) { key in
        found.append(key)
        return .more
      }
    } catch {
      onDamage(entity.description.name, error)
      found = (view.snapshot as? StoreView)?.readableKeys(of: entity.number) ?? []
    }
    return found.filter { key in
      if blueprint.mayHave(key) { return true }
      onDamage(id(key).text, DumpMistake("no object of the store has such a serial"))
      return false
    }
  }

  private func values(
    of key: ObjectKey, _ entity: EntitySchema, _ record: UnsafeRawPointer
  ) throws -> [(name: String, value: PropertyValue)] {
    var values: [(name: String, value: PropertyValue)] = []
    var external: [(place: Int, slot: Int)] = []
    for (slot, property) in entity.description.properties.enumerated() {
      guard let attribute = property.attribute, !attribute.isTransient else { continue }
      let stored = entity.layout.slot(slot, at: record)
      guard stored.isPresent else { continue }
      if attribute.isExternal {
        external.append((values.count, slot))
        values.append((attribute.name, .null))
      } else {
        values.append((attribute.name, stored.value(store: schema.store)))
      }
    }
    // Read at the end: reading another value may move the record.
    for (place, slot) in external {
      do {
        guard let data = try view.snapshot.externalData(of: key, at: slot)?.data else { continue }
        values[place].value = .data(data)
      } catch {
        guard let onDamage else { throw error }
        onDamage("\(id(key).text).\(values[place].name)", error)
      }
    }
    return values.filter { $0.value != .null }
  }

  // MARK: - Links

  private func targets(
    of owner: ObjectKey, _ relationships: [RelationshipSchema], _ entity: EntitySchema,
    _ record: UnsafeRawPointer
  ) throws -> [(name: String, target: DumpedID)] {
    // All are read first: reading another record may move this one.
    let found = relationships.compactMap { relationship in
      entity.layout.slot(relationship.slot, at: record).toOne.map { (relationship, $0) }
    }
    // A delete rule without action leaves links that lead nowhere.
    return try found.filter { relationship, target in
      try isThere(target) && isSound(relationship, of: owner, to: target)
    }.map { ($0.0.name, id($0.1)) }
  }

  /// Whether an object is in the dump.
  private func isThere(_ key: ObjectKey) throws -> Bool {
    guard schema.entity(key.entity) != nil else { return false }
    return onDamage == nil ? try view.snapshot.contains(key) : salvaged.keys.contains(key)
  }

  private func visitMembers(
    of owner: ObjectKey, _ relationship: RelationshipSchema, _ body: (DumpItem) throws -> Void
  ) throws {
    var members: [ObjectKey]
    do {
      members = try view.members(of: relationship, owner: owner).map(\.key)
    } catch {
      guard let onDamage else { throw error }
      return onDamage("\(id(owner).text).\(relationship.name)", error)
    }
    if relationship.isSymmetric { members.removeAll { $0 < owner } }
    members = try members.filter {
      try isThere($0) && isSound(relationship, of: owner, to: $0)
    }
    var rest = members[...]
    while !rest.isEmpty {
      try body(
        .members(
          id(owner), property: relationship.name,
          rest.prefix(Self.membersCountMax).map { id($0) }))
      rest = rest.dropFirst(Self.membersCountMax)
    }
  }

  /// Whether a link may be there: it leads to an object of the right entity, and the member's
  /// record has the link too, if it is kept there. An index that says something else is damaged,
  /// and may not overrule a record. A link that may not be there is damage.
  private func isSound(
    _ relationship: RelationshipSchema, of owner: ObjectKey, to member: ObjectKey
  ) throws -> Bool {
    let error: StoreError
    if schema.canLead(relationship, to: member.entity) {
      guard case .inverseSlot(_, let slot) = relationship.storage else { return true }
      if try view.target(of: member, at: slot) == owner { return true }
      error = .damagedIndex(
        naming: member, "an index says that the object leads to another one, and it does not")
    } else if relationship.isToMany {
      error = .damagedIndex(
        naming: member, "it is linked as a member, and is of another entity")
    } else {
      error = .damagedRecord(of: owner, "it leads to an object of another entity")
    }
    guard let onDamage else { throw error }
    onDamage("\(id(owner).text).\(relationship.name)", error)
    return false
  }

  /// Whether a to-many relationship has lines of its own.
  private static func hasLines(_ relationship: RelationshipSchema) -> Bool {
    switch relationship.storage {
    case .slot: false
    case _ where relationship.isOrdered: true
    case .inverseSlot: false
    case .links:
      switch relationship.inverse {
      case nil: true
      case let inverse?:
        relationship.isSymmetric
          || inverse.kind != .orderedToMany && relationship.number < inverse.number
      }
    }
  }
}
