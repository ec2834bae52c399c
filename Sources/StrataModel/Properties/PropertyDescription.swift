// SPDX-License-Identifier: Apache-2.0

/// A property of an entity: an attribute or a relationship.
/// Core Data: `NSPropertyDescription`.
public enum PropertyDescription: Sendable {
  /// A value that the object itself holds.
  case attribute(AttributeDescription)
  /// Links to other objects.
  case relationship(RelationshipDescription)

  /// The name, which is unique among the properties of the entity.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  /// The key path of the Swift property, from the class that declares it; nil if none was given.
  public var keyPath: (AnyKeyPath & Sendable)? {
    switch self {
    case .attribute(let attribute): attribute.keyPath
    case .relationship(let relationship): relationship.keyPath
    }
  }

  /// The name that the property had in the model before this one, or nil if it is the same.
  /// Core Data: `renamingIdentifier`.
  public var originalName: String? {
    switch self {
    case .attribute(let attribute): attribute.originalName
    case .relationship(let relationship): relationship.originalName
    }
  }

  /// The attribute, or nil if this is a relationship.
  public var attribute: AttributeDescription? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  /// The relationship, or nil if this is an attribute.
  public var relationship: RelationshipDescription? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }
}
