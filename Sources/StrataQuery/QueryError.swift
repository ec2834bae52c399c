// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

/// A mistake in a request. The mistake is found before any object is read, except for
/// `costlyPattern`, `noValue` and `unfitAssignment`, which are found in a row.
public enum QueryError: Error, Sendable, Hashable {
  /// The key path reads no stored property of `entity`. It may be a computed property or a property
  /// of another class. Only attributes and relationships of the model can be used in requests.
  case unknownProperty(entity: String, keyPath: String)
  /// A key of a batch insert's dictionary is not a property's name. The error's text does not show
  /// the key, because a dictionary may come from a stranger.
  case unknownKey(entity: String, key: String)
  /// The attribute is transient, so the store does not have it. Core Data refuses such a fetch too.
  /// Filter or sort the fetched objects instead.
  case transientProperty(entity: String, property: String)
  /// The attribute is external, so its bytes are stored outside of the objects' records. Requests
  /// can only test whether there is a value, with `== nil` and `!= nil`. Filter the fetched objects
  /// instead, or store the needed part in another attribute, such as a digest or a title.
  case externalProperty(entity: String, property: String)
  /// The constant has another type than the attribute, or is out of its range.
  case mismatchedType(entity: String, property: String, type: AttributeType)
  /// The operator does not apply to the property: a text operator on a property that is not a
  /// string, an order on a type without one, or a path with a step after an attribute.
  case unfitProperty(entity: String, property: String)
  /// The predicate compares a to-many relationship as if it were one value, or has a step after
  /// one. Select members with `any`, `all`, `none`, `count` or an aggregate.
  case toManyProperty(entity: String, property: String)
  /// The two sides of an operator cannot be compared or calculated with: a number and a text, or a
  /// sum of dates. The descriptions of the sides do not show values.
  case mismatchedOperands(left: String, right: String)
  /// The pattern of `matches` is not a regular expression. Correct the pattern.
  case invalidPattern(reason: String)
  /// The pattern of `matches` has no answer for the text of an object: the match takes more than
  /// ten million steps of the regular expression engine, or more memory than the engine has. A
  /// repetition inside of a repetition is the usual reason: write `a+b` for `(a+)+b`, and `[ab]*`
  /// for `(a|b)*`. Or use `isLike`, whose time grows with the length of the text.
  case costlyPattern
  /// The query of `contains(words:)`, `relevance(to:)` or a `WordQuery` has no word, more than 64
  /// words, an open quotation mark, or a star that is not at the end of a word. Correct the query;
  /// `WordQuery` has the grammar.
  case invalidWords(reason: String)
  /// `relevance(to:)` needs the index of words that the attribute does not have. Add `.fullText` to
  /// the attribute, or use `contains(words:)`, which needs no index.
  case withoutWordIndex(entity: String, property: String)
  /// The predicate or the calculation has more than `maximum` operators inside of operators. Chains
  /// of `&&` or `||` do not count, and a condition on members of a collection counts four times.
  /// Join the conditions of a loop with one operator, or ask for one
  /// of many values with `isIn`.
  case tooManyLevels(maximum: Int)
  /// The predicate or the calculation has more than `maximum` operators and properties. A part that
  /// is used several times counts as often. Ask for one of many values with `isIn`.
  case tooManyOperators(maximum: Int)
  /// A key path has more than `maximum` steps from property to property. Fetch the objects in
  /// between first.
  case tooManySteps(maximum: Int)
  /// A variable of a format string has no value: provide one with `withSubstitutionVariables`. Or a
  /// path begins at an element of a collection and is outside of the condition on that collection.
  case unboundVariable(String)
  /// A value has a type that no property has.
  case unsupportedValue(type: String)
  /// A `#Predicate`, an `#Expression` or a sort descriptor has a part that a fetch cannot evaluate.
  /// Filter or sort the fetched objects instead.
  case unsupportedExpression(String)
  /// A group has many values of the property: rows are grouped or a column is an aggregate, and the
  /// property is neither inside an aggregate nor a group key. Group by the property too, or use it
  /// inside an aggregate.
  case ungroupedProperty(entity: String, property: String)
  /// An aggregate of the fetched rows is used where a single object is evaluated: in a predicate,
  /// in another aggregate, or in a condition on a collection. Filter groups with `having`.
  case misplacedAggregate(String)
  /// A group key is not a property. Group by properties.
  case unfitGroupKey(String)
  /// Two columns have the same name. Rename one of them.
  case duplicateColumn(String)
  /// A column is nil in a row and its type is not optional: a path through a relationship that is
  /// nil, a division by zero, or a sum beyond 64 bits. Exclude such objects, or make the column
  /// optional: `PropertyPath<Stop, Int?>($0.distance / $0.time)`.
  case noValue(column: String)
  /// A batch update cannot give the property a value: it is a to-many relationship, or a derived or
  /// transient attribute. Update it in a context, or leave it out.
  case unassignableProperty(entity: String, property: String)
  /// A value that the property is given by a batch or by its name does not fit it: another type, a
  /// number beyond its range, a raw value that is not a case of its enum, bytes that its `Codable`
  /// type does not decode, nil where the type is not optional, or a value that cannot be stored:
  /// one that is too large, or whose `encode(to:)` throws. A division by zero is nil.
  case unfitAssignment(entity: String, property: String)
}

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension QueryError: LocalizedError, CustomStringConvertible, ExplainedError {}
