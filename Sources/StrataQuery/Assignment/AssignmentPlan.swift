// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A property and the value that a batch update gives to it, before resolution.
package struct Assignment: Sendable {
  let property: PathStep
  let value: any OperandNode

  package init(_ property: any AnyKeyPath & Sendable, _ value: any OperandNode) {
    (self.property, self.value) = (.keyPath(property), value)
  }

  package init(_ property: String, _ value: any OperandNode) {
    (self.property, self.value) = (.name(property), value)
  }

  /// A value in the grammar of format strings.
  ///
  /// - Throws: `PredicateFormatError`.
  package init(
    _ property: String, format: String, arguments: [Any?]
  ) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self.init(property, try parser.parseValue())
  }

  /// A constant.
  package init(_ property: any AnyKeyPath & Sendable, constant: PropertyValue) {
    self.init(property, Constant(constant))
  }
}

/// The resolved assignments of a batch update. All values are calculated from the object as it is
/// before the update.
///
/// ## Isolation
/// Sendable and without state.
package struct AssignmentPlan: Sendable {
  /// With the Swift types of attributes, which are found once for all objects.
  private let assignments: [(slot: Int, value: any Operand, type: DeclaredType?)]
  private let entity: EntitySchema
  private let schema: Schema

  /// The slots that are set.
  package var slots: SlotSet { assignments.reduce(into: []) { $0.insert($1.slot) } }

  /// - Throws: `QueryError.unknownProperty`, `.unassignableProperty`; the errors of resolving the
  ///   values.
  package init(
    _ assignments: [Assignment], entity: EntitySchema, schema: Schema
  ) throws(QueryError) {
    let resolver = PathResolver(schema: schema, entity: entity)
    var resolved: [(slot: Int, value: any Operand, type: DeclaredType?)] = []
    for assignment in assignments {
      let slot = try entity.slot(at: assignment.property)
      guard entity.isAssignable(slot) else { throw entity.unassignable(slot) }
      let value = try assignment.value.resolved(by: resolver.resolving(assignment.value.extent))
      resolved.append((slot, value, entity.declaredType(of: slot)))
    }
    self.assignments = resolved
    self.entity = entity
    self.schema = schema
  }

  /// Returns the value of each assignment for an object, in their order.
  ///
  /// - Throws: `QueryError.unfitAssignment`; errors of the store.
  package func values(
    of row: Row, _ reader: RowReader
  ) throws -> [(slot: Int, value: PropertyValue)] {
    try assignments.map { slot, operand, type in
      let value = try operand.value(of: row, reader)
      guard let fitting = schema.assignable(value, to: slot, of: entity, as: type) else {
        throw entity.unfit(slot)
      }
      return (slot, fitting)
    }
  }
}

extension EntitySchema {
  /// Whether a batch can set the slot: a stored attribute that is not derived, or a to-one
  /// relationship.
  package func isAssignable(_ slot: Int) -> Bool {
    switch description.properties[slot] {
    case .attribute(let attribute): !attribute.isTransient && !derivedSlots.contains(slot)
    case .relationship(let relationship): !relationship.isToMany
    }
  }

  package func unassignable(_ slot: Int) -> QueryError {
    .unassignableProperty(entity: description.name, property: description.properties[slot].name)
  }

  package func unfit(_ slot: Int) -> QueryError {
    .unfitAssignment(entity: description.name, property: description.properties[slot].name)
  }
}

extension Schema {
  /// Returns the value as one of the slot, which is assignable; nil if it does not fit: if it is
  /// not of the attribute's type, or if the Swift type of the property does not have it. All ways
  /// of setting a property by its name come through here.
  ///
  /// - Parameter type: the entity's `declaredType(of: slot)`.
  package func assignable(
    _ value: PropertyValue, to slot: Int, of entity: EntitySchema, as type: DeclaredType?
  ) -> PropertyValue? {
    func declared(_ value: PropertyValue) -> PropertyValue? {
      if let type { type.value(of: value) } else { value }
    }
    return switch (entity.description.properties[slot], value) {
    case (.attribute(let attribute), .null): attribute.isOptional ? value : nil
    case (.attribute(let attribute), .codable):
      attribute.type == .codable ? declared(value) : nil
    case (.attribute(let attribute), _):
      value.fitting(attribute.type).flatMap(declared)
    case (.relationship, .null): value
    case (.relationship, .object(let id)): canLead(slot, of: entity, to: id) ? value : nil
    case (.relationship, _): nil
    }
  }

  /// Whether the to-one relationship at `slot` may lead to an object of the ID's entity.
  package func canLead(_ slot: Int, of entity: EntitySchema, to id: ObjectID) -> Bool {
    guard store.has(id), let relationship = entity.relationships[slot] else { return false }
    return canLead(relationship, to: id.key.entity)
  }
}
