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
  /// `.fullText` is for a `String` attribute that is not `.transient`: other values have no words,
  /// and a transient one is not stored.
  case unfitFullText(entity: String, property: String)
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
  /// An attribute has one merge rule at most, and of its type: numbers for `.sum`, numbers and
  /// `Date` for `.max` and `.min`, a `Set` or an `Array` of hashable elements for `.union`.
  /// Derived, external and transient attributes have none.
  case unfitMergeRule(entity: String, property: String, rule: String)
  /// The pattern of a `.matches` rule is not a regular expression.
  case invalidPattern(entity: String, property: String, pattern: String, reason: String)
  /// The source of the derivation is not a property, a derived one itself, or of a type that the
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

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension ModelError: LocalizedError, CustomStringConvertible, ExplainedError {}
