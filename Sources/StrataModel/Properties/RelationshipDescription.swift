// SPDX-License-Identifier: Apache-2.0

/// An option of a relationship, for `@Relationship` and for descriptions by hand.
public enum RelationshipOption: Sendable, Hashable {
  /// A to-many relationship that is its own inverse: if a is linked to b, b is linked to a.
  case symmetric
  /// There must be a target, or at least one, when a context saves the object. Without it a
  /// relationship may be empty. Core Data: not `isOptional`.
  case required
  /// How many targets a to-many relationship must have when a context saves the object, if it has
  /// any: at least `min`, and no more than `max`, which is nil for no bound. Written as
  /// `.count(2...5)`.
  case count(min: Int, max: Int?)

  /// How many targets a to-many relationship must have if it has any.
  public static func count(_ bounds: ClosedRange<Int>) -> RelationshipOption {
    .count(min: bounds.lowerBound, max: bounds.upperBound)
  }

  /// How many targets a to-many relationship must have at least if it has any.
  public static func count(_ bounds: PartialRangeFrom<Int>) -> RelationshipOption {
    .count(min: bounds.lowerBound, max: nil)
  }

  /// How many targets a to-many relationship may have.
  public static func count(_ bounds: PartialRangeThrough<Int>) -> RelationshipOption {
    .count(min: 0, max: bounds.upperBound)
  }
}

/// A relationship: links from the objects of one entity to those of another. Core Data:
/// `NSRelationshipDescription`.
public struct RelationshipDescription: Sendable {
  private struct Contents {
    let name: String
    let keyPath: (AnyKeyPath & Sendable)?
    let destination: @Sendable () -> EntityDescription
    let inverse: RelationshipDescription.Inverse?
    let options: Set<RelationshipOption>
    let originalName: String?
  }

  private let contents: Shared<Contents>
  public let kind: RelationshipDescription.Kind
  public let deleteRule: DeleteRule

  public init(
    _ name: String, keyPath: (AnyKeyPath & Sendable)? = nil, kind: RelationshipDescription.Kind,
    destination: @escaping @Sendable () -> EntityDescription, deleteRule: DeleteRule = .nullify,
    inverse: RelationshipDescription.Inverse? = nil, options: Set<RelationshipOption> = [],
    originalName: String? = nil
  ) {
    contents = Shared(
      Contents(
        name: name, keyPath: keyPath, destination: destination, inverse: inverse,
        options: options, originalName: originalName))
    self.kind = kind
    self.deleteRule = deleteRule
  }

  public var name: String { contents.value.name }

  /// The key path of the Swift property, from the class that declares it.
  public var keyPath: (AnyKeyPath & Sendable)? { contents.value.keyPath }

  /// The entity at the other end. A closure, because two entities may name each other.
  public var destination: @Sendable () -> EntityDescription { contents.value.destination }

  /// The inverse, if this side names it; it is named on one side only.
  public var inverse: RelationshipDescription.Inverse? { contents.value.inverse }

  public var options: Set<RelationshipOption> { contents.value.options }

  /// The name that the relationship had in the model before this one, or nil if it is the same.
  public var originalName: String? { contents.value.originalName }

  public var isToMany: Bool { kind != .toOne }
  public var isOrdered: Bool { kind == .orderedToMany }
  public var isSymmetric: Bool { options.contains(.symmetric) }

  /// Whether there must be a target when a context saves the object. Core Data: not `isOptional`.
  public var isRequired: Bool { options.contains(.required) }

  /// How many targets there must be if there are any; 0 for no bound. Core Data: `minCount`.
  public var minCount: Int { counts.map(\.min).max() ?? 0 }

  /// How many targets there may be; nil for no bound. Core Data: `maxCount`, where 0 is no bound.
  public var maxCount: Int? { counts.compactMap(\.max).min() }

  private var counts: [(min: Int, max: Int?)] {
    options.compactMap { if case .count(let min, let max) = $0 { (min, max) } else { nil } }
  }
}

extension RelationshipDescription {
  /// How many targets a relationship has, and whether they have an order.
  public enum Kind: UInt8, Sendable, Hashable, Codable {
    case toOne = 1
    case toMany = 2
    case orderedToMany = 3
  }

  /// The other side of a relationship, as a model's author names it.
  public enum Inverse: Sendable {
    /// The inverse, named by its key path.
    case keyPath(AnyKeyPath & Sendable)
    /// The inverse, named by its name, which is checked when the model is built: for the cases
    /// where the compiler calls a key path a circular reference.
    case name(String)
  }
}
