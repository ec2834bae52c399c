// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel

/// The rules and hooks of a model's entities, which saves check before they hand changes on. They
/// are collected once, so that a model without any costs a save one check.
package struct ValidationSchema: Sendable {
  /// Whether no entity has a rule or a hook.
  package let isEmpty: Bool
  /// Whether a derived attribute has a rule.
  package let concernsDerived: Bool
  /// How the members of counted relationships are found.
  package let memberships: MembershipSchema

  private let byNumber: [EntityValidation?]

  /// - Parameter entities: by number; nil where the model has none.
  init(_ entities: [EntitySchema?]) {
    byNumber = entities.map { entity in
      entity.flatMap { $0.description.isAbstract ? nil : EntityValidation($0) }
    }
    let counted = byNumber.compactMap { $0?.counts }.joined().map(\.relationship.number)
    memberships = MembershipSchema(of: Set(counted), entities)
    isEmpty = byNumber.allSatisfy { $0 == nil }
    concernsDerived = byNumber.contains { $0?.attributes.contains(where: \.isDerived) ?? false }
  }

  /// The validation of an entity's objects; nil if nothing is validated, or if the model has no
  /// such entity.
  package subscript(number: EntityNumber) -> EntityValidation? {
    byNumber.element(of: number)
  }
}

/// The validation of the objects of one entity, inherited parts included.
package struct EntityValidation: Sendable {
  /// The attributes that have rules.
  package let attributes: [AttributeCheck]
  /// The slots of to-one relationships that must have a target.
  package let requiredTargets: [Int]
  /// The to-many relationships whose members are counted.
  package let counts: [CountCheck]
  /// The hooks that say whether an object may be saved.
  package let hooks: _LifeCycleHooks

  /// An attribute and the rules of its value.
  package struct AttributeCheck: Sendable {
    package let slot: Int
    package let name: String
    package let type: AttributeType
    package let rules: [AttributeRule]
    /// Whether the value is derived by the save that reaches the store, and not before.
    package let isDerived: Bool
    /// The value that the attribute reads as if it has none.
    package let unset: PropertyValue
  }

  /// A to-many relationship and how many members it must have.
  package struct CountCheck: Sendable {
    package let relationship: RelationshipSchema
    /// Whether it must not be empty.
    package let isRequired: Bool
    /// How many there must be if there are any.
    package let min: Int
    package let max: Int?

    package func allows(_ count: Int) -> Bool {
      count == 0 ? !isRequired : count >= min && max.map { count <= $0 } ?? true
    }

    /// The count at which counting may stop.
    package var sufficientCount: Int { Swift.max((max ?? 0) + 1, min, 1) }
  }

  init?(_ entity: EntitySchema) {
    let properties = entity.description.properties
    attributes = properties.enumerated().compactMap { slot, property in
      guard let attribute = property.attribute, !attribute.rules.isEmpty else { return nil }
      return AttributeCheck(
        slot: slot, name: attribute.name, type: attribute.type, rules: attribute.rules,
        isDerived: attribute.derivation != nil, unset: attribute.unsetValue)
    }
    requiredTargets = properties.indices.filter {
      properties[$0].relationship.map { !$0.isToMany && $0.isRequired } ?? false
    }
    counts = entity.relationships.compactMap { schema in
      guard let schema, schema.isToMany,
        let relationship = entity.description.properties[schema.slot].relationship,
        relationship.isRequired || relationship.minCount > 1 || relationship.maxCount != nil
      else { return nil }
      return CountCheck(
        relationship: schema, isRequired: relationship.isRequired, min: relationship.minCount,
        max: relationship.maxCount)
    }
    hooks = entity.description.hooks.intersection(.validating)
    if attributes.isEmpty && requiredTargets.isEmpty && counts.isEmpty && hooks.isEmpty {
      return nil
    }
  }
}

extension AttributeDescription {
  /// The value that the attribute reads as if it has none: nil, its default, or its type's zero
  /// where that can be under a rule.
  package var unsetValue: PropertyValue {
    if isOptional { return .null }
    if defaultValue != .null { return defaultValue }
    return switch type {
    case .int8, .int16, .int32, .int64: .int(0)
    case .uint8, .uint16, .uint32, .uint64: .uint(0)
    case .float, .double: .double(0)
    case .decimal: .decimal(0)
    case .string: .string("")
    case .data: .data(Data())
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .bool, .uuid, .url, .codable: .null
    }
  }
}
