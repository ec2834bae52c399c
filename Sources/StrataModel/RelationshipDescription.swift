// SPDX-License-Identifier: Apache-2.0

/// What a relationship may be told with `@Relationship`, or by hand.
public enum RelationshipOption: Sendable, Hashable {
  /// A to-many relationship that is its own inverse: if a is linked to b, b is linked to a.
  case symmetric
}

/// How many targets a relationship has, and whether they have an order.
public enum RelationshipKind: UInt8, Sendable, Hashable, Codable {
  case toOne = 1
  case toMany = 2
  case orderedToMany = 3
}

/// The other side of a relationship, as a model's author names it.
public enum InverseReference: Sendable {
  /// By the key path of the inverse property.
  case keyPath(AnyKeyPath & Sendable)
  /// By its name, checked when the model is built: for the cases where the compiler calls a key
  /// path a circular reference.
  case name(String)
}

/// A relationship: links from the objects of an entity to those of another.
/// Core Data: `NSRelationshipDescription`.
public struct RelationshipDescription: Sendable {
  public let name: String
  /// The key path of the Swift property, from the class that declares it.
  public let keyPath: (AnyKeyPath & Sendable)?
  public let kind: RelationshipKind
  /// The entity at the other end. A closure, because two entities may name each other.
  public let destination: @Sendable () -> EntityDescription
  public let deleteRule: DeleteRule
  /// The inverse, if this side names it; it is named on one side only.
  public let inverse: InverseReference?
  public let options: Set<RelationshipOption>
  /// The name that the relationship had in the model before this one, or nil if it is the same.
  public let originalName: String?

  public init(
    _ name: String, keyPath: (AnyKeyPath & Sendable)? = nil, kind: RelationshipKind,
    destination: @escaping @Sendable () -> EntityDescription, deleteRule: DeleteRule = .nullify,
    inverse: InverseReference? = nil, options: Set<RelationshipOption> = [],
    originalName: String? = nil
  ) {
    self.name = name
    self.keyPath = keyPath
    self.kind = kind
    self.destination = destination
    self.deleteRule = deleteRule
    self.inverse = inverse
    self.options = options
    self.originalName = originalName
  }

  public var isToMany: Bool { kind != .toOne }
  public var isOrdered: Bool { kind == .orderedToMany }
  public var isSymmetric: Bool { options.contains(.symmetric) }
}
