// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Why descriptions do not make a model. Each case is a mistake in the program's declarations.
public enum ModelError: Error, Sendable, Hashable {
  /// Two entities have this name.
  case duplicateEntity(String)
  /// Two properties of `entity`, inherited ones included, have this name.
  case duplicateProperty(entity: String, property: String)
  /// The entity inherits from one that is not in the model under that name.
  case unknownSuperentity(entity: String, superentity: String)
  /// The relationship leads to an entity that the model lacks: name it in
  /// `ManagedObjectModel(…)` too.
  case unknownDestination(entity: String, property: String, destination: String)
  /// The destination has no relationship with the name in `inverse:`.
  case unknownInverse(entity: String, property: String, destination: String)
  /// The inverse leads to another entity than the one that declares the relationship, or is an
  /// attribute.
  case mismatchedInverse(entity: String, property: String, inverse: String)
  /// Two relationships name the same inverse, or the two sides name different ones.
  case conflictingInverse(entity: String, property: String, inverse: String)
  /// `.symmetric` is for a to-many relationship of an entity with itself, without `inverse:`.
  case unfitSymmetry(entity: String, property: String)
  /// A `.transient` attribute cannot be `.unique` or `.indexed`: it is not stored.
  case indexedTransient(entity: String, property: String)
  /// `.external` is for a `Data` attribute that is neither `.unique`, alone or together with
  /// others, nor `.indexed`, nor `.transient`, nor derived: its bytes are not in the object.
  case unfitExternal(entity: String, property: String)
  /// `.preserveValueOnDeletion` is for an attribute that is neither `.external` nor `.transient`:
  /// its value is not in the stored object.
  case unfitPreservation(entity: String, property: String)
  /// Values of this type have no order that an index could keep (`Codable` structs).
  case unindexableType(entity: String, property: String, type: AttributeType)
  /// `uniqueTogether` names a property that the entity does not have.
  case unknownConstraintProperty(entity: String, property: String)
  /// `uniqueTogether` names a to-many relationship: only attributes and to-one relationships have
  /// one value.
  case toManyConstraint(entity: String, property: String)
  /// `uniqueTogether` has fewer than two different properties, or repeats another set.
  case unfitConstraint(entity: String, properties: [String])
  /// `indexes` names a property that the entity does not have.
  case unknownIndexProperty(entity: String, property: String)
  /// `indexes` names a to-many relationship: only attributes and to-one relationships have one
  /// value.
  case toManyIndex(entity: String, property: String)
  /// An index of `indexes` is over less than two different properties, or over a list that has an
  /// index already.
  case unfitIndex(entity: String, properties: [String])
  /// A non-optional enum or `Codable` attribute needs a default value: there is no other value that
  /// a new object could have.
  case missingDefault(entity: String, property: String)
  /// The default is not of the attribute's type.
  case mismatchedDefault(entity: String, property: String)
  /// The rule cannot be asked of values of the property's type, or no value obeys it, or every
  /// value does.
  case unfitRule(entity: String, property: String, rule: String)
  /// The pattern of a `.matches` rule is no regular expression.
  case invalidPattern(entity: String, property: String, pattern: String, reason: String)
  /// The source of the derivation is no property, a derived one itself, or of a type that the
  /// attribute cannot have; or the attribute is transient, or derived twice.
  case unfitDerivation(entity: String, property: String)
  /// The name of `entity`, or of its `property`, is empty, is longer than 255 bytes of UTF-8, or
  /// has a point, a comma, a bracket or a control character. The names in the case are as they
  /// were given.
  case unfitName(entity: String, property: String?)
  /// The entity is on a deeper level of its hierarchy than the 64th.
  case tooManySuperentities(entity: String)
  /// An entity has more than 4,095 properties, or the model more than 32,767 entities,
  /// or properties, constraints and indexes.
  case tooLarge
}

extension ModelError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .duplicateEntity(let name): "Two entities are called \(name). Rename one."
    case .duplicateProperty(let entity, let property):
      "\(entity) has two properties called \(property), perhaps one of them inherited. Rename one."
    case .unknownSuperentity(let entity, let superentity):
      "\(entity) inherits from \(superentity), which is not in the model. Add \(superentity).self."
    case .unknownDestination(let entity, let relationship, let destination):
      "\(entity).\(relationship) leads to \(destination), which is not in the model. "
        + "Add \(destination).self."
    case .unknownInverse(let entity, let relationship, let destination):
      "The inverse that \(entity).\(relationship) names is no property of \(destination)."
    case .mismatchedInverse(let entity, let relationship, let inverse):
      "\(inverse) cannot be the inverse of \(entity).\(relationship): it must be a relationship "
        + "that leads to \(entity)."
    case .conflictingInverse(let entity, let relationship, let inverse):
      "\(inverse), the inverse of \(entity).\(relationship), already has another inverse."
    case .unfitSymmetry(let entity, let relationship):
      "\(entity).\(relationship) cannot be symmetric: that is for an unordered to-many "
        + "relationship of an entity with itself, without inverse:."
    case .indexedTransient(let entity, let attribute):
      "\(entity).\(attribute) is transient and so cannot be unique or indexed."
    case .unfitExternal(let entity, let attribute):
      "\(entity).\(attribute) cannot be external: that is for Data that is neither unique, "
        + "indexed, transient nor derived."
    case .unfitPreservation(let entity, let attribute):
      "\(entity).\(attribute) cannot be preserved on deletion: its value is not in the stored "
        + "object. Remove .preserveValueOnDeletion, or .external or .transient."
    case .unindexableType(let entity, let attribute, let type):
      "\(entity).\(attribute) cannot be unique or indexed: values of type \(type) have no order."
    case .unknownConstraintProperty(let entity, let property):
      "\(entity) has no property \(property), which it calls unique together with others."
    case .toManyConstraint(let entity, let relationship):
      "\(entity).\(relationship) cannot be unique together with others: it is to-many."
    case .unfitConstraint(let entity, let properties):
      "\(entity) calls \(properties.joined(separator: ", ")) unique together: name two properties "
        + "or more, each once, and each set once in a hierarchy. A single attribute is .unique."
    case .unknownIndexProperty(let entity, let property):
      "\(entity) has no property \(property), over which it declares an index."
    case .toManyIndex(let entity, let relationship):
      "\(entity).\(relationship) cannot be in an index: it is to-many."
    case .unfitIndex(let entity, let properties):
      "\(entity) declares an index over \(properties.joined(separator: ", ")): name two properties "
        + "or more, each once, and each list once in a hierarchy; properties that are unique "
        + "together have an index already. A single attribute is .indexed."
    case .missingDefault(let entity, let attribute):
      "\(entity).\(attribute) needs a default value, or an optional type: \(entity)(context:) has "
        + "no other value to give it."
    case .mismatchedDefault(let entity, let attribute):
      "The default value of \(entity).\(attribute) is not of the attribute's type."
    case .unfitRule(let entity, let property, let rule):
      "\(entity).\(property) cannot have the rule \(rule). Lengths are for String and Data, ranges "
        + "for numbers and dates with bounds of their type, patterns for String; counts are for "
        + "to-many relationships, where a minimum of 1 is written .required."
    case .invalidPattern(let entity, let attribute, let pattern, let reason):
      "The pattern \(String(reflecting: pattern)) of \(entity).\(attribute) is no regular "
        + "expression: \(reason)."
    case .unfitDerivation(let entity, let attribute):
      "\(entity).\(attribute) has an invalid derivation. It takes one derivation from properties "
        + "that are not derived: a text from a text, a copy from an attribute of its own type at "
        + "the end of to-one relationships, a count or a sum of integers for an Int, a sum of "
        + "Double or Decimal for the same, now for a Date; and it is not transient."
    case .unfitName(let entity, let property):
      "The name \(Self.shown(entity, property)) cannot be used: a name has 1 to 255 bytes of "
        + "UTF-8, and no point, comma, bracket or control character. Rename the "
        + (property == nil ? "entity." : "property.")
    case .tooManySuperentities(let entity):
      "\(entity) inherits from more than 63 entities, one after another. Make the hierarchy "
        + "flatter."
    case .tooLarge:
      "The model is too large: at most 4,095 properties in an entity, 32,767 entities and "
        + "properties in all."
    }
  }
}

extension ModelError {
  /// The name of an entity or a property, on one line and cut.
  private static func shown(_ entity: String, _ property: String?) -> String {
    [entity, property].compactMap { $0.map { String(reflecting: String($0.prefix(64))) } }
      .joined(separator: ".")
  }
}

extension ModelError: LocalizedError {
  /// The error in plain English, as in `description`.
  public var errorDescription: String? { description }
}
