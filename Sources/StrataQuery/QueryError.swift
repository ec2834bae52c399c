// SPDX-License-Identifier: Apache-2.0
public import StrataModel

/// Why a fetch request cannot be carried out. Each case is a mistake in the request, found before
/// anything is read.
public enum QueryError: Error, Sendable, Hashable {
  /// The key path reads no stored property of `entity`: a computed one, perhaps, or one of another
  /// class. Only attributes and relationships of the model can be asked for.
  case unknownProperty(entity: String, keyPath: String)
  /// The attribute is transient, so the store does not have it. Core Data refuses such a fetch too.
  /// Filter or sort the fetched objects instead.
  case transientProperty(entity: String, property: String)
  /// The constant is of another type than the attribute's, or out of its range.
  case mismatchedType(entity: String, property: String, type: AttributeType)
  /// The operator does not apply to the property: text operators to anything but a string, an order
  /// to a type that has none, a path that goes on from an attribute.
  case unfitProperty(entity: String, property: String)
  /// The predicate goes through, or compares, a to-many relationship in a way that is not supported.
  case toManyProperty(entity: String, property: String)
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
    case .mismatchedType(let entity, let property, let type):
      "\(entity).\(property) is compared with a value that does not fit its type, \(type)."
    case .unfitProperty(let entity, let property):
      "The operator or the sort key does not apply to \(entity).\(property)."
    case .toManyProperty(let entity, let property):
      "\(entity).\(property) is a to-many relationship, which a predicate cannot be about here."
    }
  }
}
