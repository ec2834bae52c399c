// SPDX-License-Identifier: Apache-2.0
package import StrataPrimitives

// MARK: - In words

extension ModelError {
  package var explanation: ErrorExplanation {
    switch self {
    case .duplicateEntity(let name):
      ErrorExplanation(
        "The model cannot have two entities called \(name).",
        because: "Entities are told apart by their names.", remedy: "Rename one of them.")
    case .duplicateProperty(let entity, let property):
      ErrorExplanation(
        "The entity \(entity) cannot have two properties called \(property).",
        because: "Properties, inherited ones included, are told apart by their names.",
        remedy: "Rename one of them.")
    case .unknownSuperentity(let entity, let superentity):
      ErrorExplanation(
        "The entity \(entity) cannot be used without \(superentity).",
        because: "It inherits from \(superentity), which is not in the model.",
        remedy: "Add \(superentity).self to the model.")
    case .unknownDestination(let entity, let relationship, let destination):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) leads nowhere.",
        because: "It leads to \(destination), which is not in the model.",
        remedy: "Add \(destination).self to the model.")
    case .unknownInverse(let entity, let relationship, let destination):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) has an invalid inverse.",
        because: "The inverse is not a property of \(destination).",
        remedy: "Name a relationship of \(destination).")
    case .mismatchedInverse(let entity, let relationship, let inverse):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) has an invalid inverse.",
        because: "Its inverse \(inverse) is not a relationship that leads to \(entity).",
        remedy: "Name a relationship that leads to \(entity).")
    case .conflictingInverse(let entity, let relationship, let inverse):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) has an invalid inverse.",
        because: "Its inverse \(inverse) already has another inverse.",
        remedy: "Name each relationship as the inverse of one other.")
    case .unfitSymmetry(let entity, let relationship):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) cannot be symmetric.",
        because: "That is for an unordered to-many relationship of an entity with itself, without "
          + "inverse:.",
        remedy: "Remove .symmetric, or change the relationship.")
    case .indexedTransient(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) cannot be unique or indexed.",
        because: "It is transient, and so it is not in the store.",
        remedy: "Remove .transient, or .unique and .indexed.")
    case .unfitExternal(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) cannot be external.",
        because: "That is for Data that is neither unique, indexed, transient nor derived.",
        remedy: "Remove .external, or the other options.")
    case .unfitFullText(let entity, let attribute):
      ErrorExplanation(
        "The words of the attribute \(entity).\(attribute) cannot have an index.",
        because: "That is for String that is not transient.",
        remedy: "Remove .fullText, or change the attribute.")
    case .unfitPreservation(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) cannot be preserved on deletion.",
        because: "Its value is not in the stored object.",
        remedy: "Remove .preserveValueOnDeletion, or .external or .transient.")
    case .unfitMergeRule(let entity, let attribute, let rule):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) cannot be merged by \(rule).",
        because: "A sum is for numbers, .max and .min are for numbers and Date, .union is for a "
          + "Set or an Array of hashable elements, and a .custom function has values of the "
          + "attribute's type. Derived, external and transient attributes, and those with another "
          + "merge rule, cannot have one.",
        remedy: "Remove .merges(\(rule)), or change the attribute.")
    case .unindexableType(let entity, let attribute, let type):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) cannot be unique or indexed.",
        because: "Values of type \(type) have no order.",
        remedy: "Store the part to search for in an attribute of its own.")
    case .unknownConstraintProperty(let entity, let property):
      ErrorExplanation(
        "The entity \(entity) has an invalid uniqueness constraint.",
        because: "It has no property \(property), which it calls unique together with others.",
        remedy: "Correct the name in uniqueTogether.")
    case .toManyConstraint(let entity, let relationship):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) cannot be unique together with others.",
        because: "It is to-many, and has no single value.",
        remedy: "Name attributes and to-one relationships in uniqueTogether.")
    case .unfitConstraint(let entity, let properties):
      ErrorExplanation(
        "The entity \(entity) has an invalid uniqueness constraint.",
        because:
          "It calls \(Self.list(properties)) unique together. A constraint has two properties "
          + "or more, each once, and each set occurs once in a hierarchy.",
        remedy: "Correct uniqueTogether. A single attribute is .unique.")
    case .unknownIndexProperty(let entity, let property):
      ErrorExplanation(
        "The entity \(entity) has an invalid index.",
        because: "It has no property \(property), over which it declares an index.",
        remedy: "Correct the name in indexes.")
    case .toManyIndex(let entity, let relationship):
      ErrorExplanation(
        "The relationship \(entity).\(relationship) cannot be in an index.",
        because: "It is to-many, and has no single value.",
        remedy: "Name attributes and to-one relationships in indexes.")
    case .unfitIndex(let entity, let properties):
      ErrorExplanation(
        "The entity \(entity) has an invalid index.",
        because:
          "It declares one over \(Self.list(properties)). An index has two properties or more, "
          + "each once, and each list occurs once in a hierarchy; properties that are unique "
          + "together have an index already.",
        remedy: "Correct indexes. A single attribute is .indexed.")
    case .missingDefault(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) has no value in a new object.",
        because: "It is not optional, and \(entity)(context:) has no other value to give it.",
        remedy: "Give it a default value, or an optional type.")
    case .mismatchedDefault(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) has an invalid default value.",
        because: "The value is not of the attribute's type.",
        remedy: "Give it a default value of its type.")
    case .unfitRule(let entity, let property, let rule):
      ErrorExplanation(
        "The property \(entity).\(property) cannot have the rule \(rule).",
        because: "Lengths are for String and Data, ranges for numbers and dates with bounds of "
          + "their type, patterns for String, counts for to-many relationships.",
        remedy: "Remove the rule, or correct its bounds. A count of at least 1 is written "
          + ".required.")
    case .invalidPattern(let entity, let attribute, let pattern, let reason):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) has an invalid pattern.",
        because: "The pattern \(String(reflecting: pattern)) is not a regular expression: "
          + "\(reason).",
        remedy: "Correct the pattern.")
    case .unfitDerivation(let entity, let attribute):
      ErrorExplanation(
        "The attribute \(entity).\(attribute) has an invalid derivation.",
        because: "An attribute that is not transient takes one derivation, from properties that "
          + "are not derived.",
        remedy: "Derive a text from a text, a copy from an attribute of its own type at the end of "
          + "to-one relationships, a count or a sum of integers for an Int, a sum of Double or "
          + "Decimal for the same, now for a Date.")
    case .unfitName(let entity, let property):
      ErrorExplanation(
        "The name \(Self.shown(entity, property)) cannot be used.",
        because: "A name has 1 to 255 bytes of UTF-8, and no point, comma, bracket or control "
          + "character.",
        remedy: "Rename the \(property == nil ? "entity" : "property").")
    case .tooManySuperentities(let entity):
      ErrorExplanation(
        "The entity \(entity) is too deep in its hierarchy.",
        because: "It inherits from more than 63 entities, one after another.",
        remedy: "Make the hierarchy flatter.")
    case .tooLarge:
      ErrorExplanation(
        "The model is too large.",
        because: "An entity has at most 4,095 properties, and a model at most 32,767 entities and "
          + "properties in all.",
        remedy: "Divide the model or its entities.")
    }
  }

  /// The name of an entity or a property, on one line and cut.
  private static func shown(_ entity: String, _ property: String?) -> String {
    [entity, property].compactMap { $0.map { String(reflecting: String($0.prefix(64))) } }
      .joined(separator: ".")
  }

  private static func list(_ properties: [String]) -> String {
    properties.isEmpty ? "no properties" : properties.joined(separator: ", ")
  }
}
