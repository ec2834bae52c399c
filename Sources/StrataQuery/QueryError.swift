// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// Why a fetch request cannot be carried out. Each case is a mistake in the request, found before
/// anything is read; `noValue` alone is found in a row.
public enum QueryError: Error, Sendable, Hashable {
  /// The key path reads no stored property of `entity`: a computed one, perhaps, or one of another
  /// class. Only attributes and relationships of the model can be asked for.
  case unknownProperty(entity: String, keyPath: String)
  /// The attribute is transient, so the store does not have it. Core Data refuses such a fetch too.
  /// Filter or sort the fetched objects instead.
  case transientProperty(entity: String, property: String)
  /// The attribute is external, so its bytes lie beside the objects that are looked through. Only
  /// whether there is a value can be asked, with `== nil` and `!= nil`. Filter the fetched objects
  /// instead, or store what is looked for in an attribute of its own: a digest, a title.
  case externalProperty(entity: String, property: String)
  /// The constant is of another type than the attribute's, or out of its range.
  case mismatchedType(entity: String, property: String, type: AttributeType)
  /// The operator does not apply to the property: text operators to anything but a string, an order
  /// to a type that has none, a path that goes on from an attribute.
  case unfitProperty(entity: String, property: String)
  /// The predicate compares a to-many relationship as if it were one value, or goes on through it.
  /// Say which of its members are meant, with `any`, `all`, `none`, `count` or an aggregate.
  case toManyProperty(entity: String, property: String)
  /// The two sides of an operator cannot be compared or calculated with: a number and a text, a sum
  /// of dates. What they are is described without values.
  case mismatchedOperands(left: String, right: String)
  /// The pattern of `matches` is no regular expression.
  case invalidPattern(reason: String)
  /// A variable of a format string has no value yet, `withSubstitutionVariables` gives it one; or a
  /// path begins at an element of a collection outside of the condition on it.
  case unboundVariable(String)
  /// A value is of a type that no property can have.
  case unsupportedValue(type: String)
  /// A `#Predicate`, an `#Expression` or a sort descriptor has a part that no fetch can answer.
  case unsupportedExpression(String)
  /// Rows are grouped, or one of their columns is an aggregate, and the property is neither inside an
  /// aggregate nor one that they are grouped by: a group has many values of it.
  case ungroupedProperty(entity: String, property: String)
  /// An aggregate of the fetched rows stands where each object is looked at by itself: in a predicate,
  /// in another aggregate, or in a condition on a collection. Filter groups with `having`.
  case misplacedAggregate(String)
  /// Rows are grouped by something else than properties.
  case unfitGroupKey(String)
  /// Two columns of a dictionary have the same name.
  case duplicateColumn(String)
  /// A column has no value in some row, and its type has no nil: a path that leads nowhere, a quotient
  /// by zero, a sum beyond 64 bits. Say `orNil`.
  case noValue(column: String)
}

extension QueryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownProperty(let entity, let keyPath):
      "The key path \(keyPath) reads no stored property of \(entity). Computed properties and those "
        + "of other classes cannot be fetched by."
    case .transientProperty(let entity, let property):
      "\(entity).\(property) is transient, so the store does not have it. Filter or sort the fetched "
        + "objects instead."
    case .externalProperty(let entity, let property):
      "\(entity).\(property) is external: only == nil and != nil can be asked of it. Store what is "
        + "looked for in an attribute of its own."
    case .mismatchedType(let entity, let property, let type):
      "\(entity).\(property) is compared with a value that does not fit its type, \(type)."
    case .unfitProperty(let entity, let property):
      "The operator or the sort key does not apply to \(entity).\(property)."
    case .toManyProperty(let entity, let property):
      "\(entity).\(property) is a to-many relationship: say which of its members are meant, with any, "
        + "all, none, count or an aggregate."
    case .mismatchedOperands(let left, let right):
      "The operator does not apply to \(left) and \(right)."
    case .invalidPattern(let reason): "The pattern is no regular expression: \(reason)"
    case .unboundVariable(let name): "Nothing was given for \(name)."
    case .unsupportedExpression(let part):
      "A fetch cannot answer \(part). Filter or sort the fetched objects instead."
    case .unsupportedValue(let type): "A value of type \(type) cannot stand in a predicate."
    case .ungroupedProperty(let entity, let property):
      "\(entity).\(property) has many values in a group: group by it too, or make it part of an "
        + "aggregate."
    case .misplacedAggregate(let aggregate):
      "\(aggregate) is about many rows and cannot stand where one object is looked at: filter groups "
        + "with having."
    case .unfitGroupKey(let key): "Rows cannot be grouped by \(key): it is no property."
    case .duplicateColumn(let name): "Two columns are called \(name): name one otherwise."
    case .noValue(let column):
      "The column \(column) has no value in some row, and its type has no nil: make it orNil."
    }
  }
}
