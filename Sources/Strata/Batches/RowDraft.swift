// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// The values of one row of a batch insert, while they are set. The rows of a part use one
/// instance, one after the other. `BatchRow` is its typed interface.
///
/// ## Isolation
/// The isolation of the batch.
@usableFromInline
final class RowDraft {
  private let entity: EntitySchema
  private let schema: Schema
  /// The slots that can be set.
  private let assignable: SlotSet
  /// The Swift types of attributes, for values by name.
  private lazy var types = entity.description.properties.indices.map {
    entity.declaredType(of: $0)
  }
  // Safety: `@exclusivity(unchecked)` removes run-time checks from each setter. No code of the
  // program runs while a value is set.
  /// The draft of the row; it is valid while the row is filled.
  @exclusivity(unchecked)
  @usableFromInline private(set) var draft: Draft
  // Safety: as `draft`.
  /// The properties that were set.
  @exclusivity(unchecked)
  private(set) var slots = SlotSet()
  /// The links that were added, by the slot of their relationship.
  private(set) var links: [(slot: Int, target: ObjectKey)] = []
  /// The first error in the row's values.
  private(set) var mistake: (any Error)?

  init(_ entity: EntitySchema, _ schema: Schema, _ draft: Draft) {
    (self.entity, self.schema, self.draft) = (entity, schema, draft)
    assignable = entity.description.properties.indices.reduce(into: []) { slots, slot in
      if entity.isAssignable(slot) { slots.insert(slot) }
    }
  }

  /// Begins the next row.
  func begin(_ draft: Draft) {
    self.draft = draft
    slots = SlotSet()
    if !links.isEmpty { links = [] }
    if mistake != nil { mistake = nil }
  }

  // MARK: - Attributes

  @inlinable
  func value<V: AttributeValue>(of property: AnyKeyPath) -> V {
    if let slot = slot(of: property), let value: V = draft.value(at: slot) { return value }
    return unsetValue(of: property)
  }

  @inlinable
  func set<V: AttributeValue>(_ value: V, _ property: AnyKeyPath) {
    if let slot = assignableSlot(property) { draft.set(value, at: slot) }
  }

  @usableFromInline func slot(of property: AnyKeyPath) -> Int? {
    entity.description.slot(for: property)
  }

  /// The value of an attribute that has no value in the draft: an external attribute, or an
  /// attribute that was not set.
  @usableFromInline func unsetValue<V: AttributeValue>(of property: AnyKeyPath) -> V {
    if let slot = slot(of: property) {
      if let data = draft.external[slot]?.data, let value = V(external: data) { return value }
      if !V.isOptional, let attribute = entity.description.properties[slot].attribute,
        let value = V(value: attribute.defaultValue)
      {
        return value
      }
    } else {
      note(unknown(property))
    }
    guard let zero = V.zero else {
      stopProgram(
        "\(property) was read in a row of a batch, and \(entity.description.name) has no attribute "
          + "of this type there: read the attributes that the class is described with.")
    }
    return zero
  }

  // MARK: - Relationships

  @usableFromInline func target(of property: AnyKeyPath) -> ObjectID? {
    slot(of: property).flatMap { draft.toOne(at: $0) }.map {
      ObjectID(store: schema.store, key: $0)
    }
  }

  @usableFromInline func set(_ id: ObjectID?, _ property: AnyKeyPath) {
    if let slot = assignableSlot(property) { set(id, at: slot) }
  }

  @usableFromInline func insert(_ ids: [ObjectID], into property: AnyKeyPath) {
    guard let slot = slot(of: property) else { return note(unknown(property)) }
    insert(ids, at: slot)
  }

  private func insert(_ ids: [ObjectID], at slot: Int) {
    guard let relationship = entity.relationships[slot], !relationship.isOrdered,
      case .links = relationship.storage, relationship.inverse?.kind != .orderedToMany
    else { return note(entity.unassignable(slot)) }
    for id in ids {
      guard isOwn(id) else { return }
      guard schema.canLead(slot, of: entity, to: id) else { return note(unexpected(id, at: slot)) }
      links.append((slot, id.key))
    }
  }

  private func set(_ id: ObjectID?, at slot: Int) {
    if let id {
      guard isOwn(id) else { return }
      guard schema.canLead(slot, of: entity, to: id) else { return note(unexpected(id, at: slot)) }
    }
    draft.setToOne(id?.key, at: slot)
  }

  private func isOwn(_ id: ObjectID) -> Bool {
    if !schema.store.has(id) { note(ContextError.foreignObjectID(id)) }
    return schema.store.has(id)
  }

  // MARK: - Names

  /// Sets the properties that a dictionary names.
  func set(_ values: [String: Any?]) {
    for (name, value) in values { set(value, named: name) }
  }

  /// Sets a property by its name: an attribute to a value of its type, a to-one relationship to an
  /// `ObjectID`, a to-many relationship to an array of `ObjectID`; nil for no value.
  private func set(_ value: Any?, named name: String) {
    guard let slot = entity.description.slot(named: name) else {
      return note(QueryError.unknownKey(entity: entity.description.name, key: name))
    }
    if entity.relationships[slot]?.isToMany == true {
      guard let ids = (value ?? [ObjectID]()) as? [ObjectID] else {
        return note(entity.unfit(slot))
      }
      return insert(ids, at: slot)
    }
    guard assignable.contains(slot) else { return note(entity.unassignable(slot)) }
    let known = value.map { self.value(of: $0, at: slot) } ?? .null
    if case .object(let id)? = known, !isOwn(id) { return }
    guard let known, let fitting = schema.assignable(known, to: slot, of: entity, as: types[slot])
    else {
      return note(entity.unfit(slot))
    }
    slots.insert(slot)
    draft.setValue(fitting, at: slot)
  }

  /// The stored value of one from a dictionary; nil if it is of a type that no attribute has.
  private func value(of value: Any, at slot: Int) -> PropertyValue? {
    if let known = value as? PropertyValue { return known }
    if let attribute = entity.description.properties[slot].attribute, attribute.type == .codable {
      return types[slot]?.encoded(value)
    }
    return PropertyValue(argument: value)
  }

  // MARK: - Mistakes

  @usableFromInline func assignableSlot(_ property: AnyKeyPath) -> Int? {
    guard let slot = slot(of: property) else {
      note(unknown(property))
      return nil
    }
    guard assignable.contains(slot) else {
      note(entity.unassignable(slot))
      return nil
    }
    slots.insert(slot)
    return slot
  }

  private func note(_ error: any Error) {
    if mistake == nil { mistake = error }
  }

  private func unknown(_ property: AnyKeyPath) -> QueryError {
    .unknownProperty(entity: entity.description.name, keyPath: "\(property)")
  }

  private func unexpected(_ id: ObjectID, at slot: Int) -> ContextError {
    .unexpectedEntity(
      id,
      expected: entity.relationships[slot].flatMap { schema.entity($0.destination) }?
        .description.name ?? "",
      found: schema.entity(id.key.entity)?.description.name ?? "")
  }
}

@available(*, unavailable)
extension RowDraft: Sendable {}
