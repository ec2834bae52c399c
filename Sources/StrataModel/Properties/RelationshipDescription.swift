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

  private let contents: ValueBox<Contents>
  /// How many targets the relationship has, and whether they have an order.
  public let kind: RelationshipDescription.Kind
  /// What happens to the targets when an object of the entity is deleted.
  public let deleteRule: DeleteRule

  /// - Parameters:
  ///   - name: 1 to 255 bytes of UTF-8 (`ModelError.unfitName`).
  ///   - keyPath: the key path of the Swift property, from the class that declares it; nil for an
  ///     entity without one.
  ///   - kind: how many targets it has, and whether they have an order.
  ///   - destination: returns the entity at the other end: a closure, because two entities may name
  ///     each other.
  ///   - deleteRule: applied to the targets when an object of the entity is deleted.
  ///   - inverse: the relationship of the destination that leads back. One of the two names the
  ///     other; nil on the other side.
  ///   - options: whether it is symmetric, and how many targets a saved object must have.
  ///   - originalName: the name in the previous model; nil if it is the same.
  public init(
    _ name: String, keyPath: (AnyKeyPath & Sendable)? = nil, kind: RelationshipDescription.Kind,
    destination: @escaping @Sendable () -> EntityDescription, deleteRule: DeleteRule = .nullify,
    inverse: RelationshipDescription.Inverse? = nil, options: Set<RelationshipOption> = [],
    originalName: String? = nil
  ) {
    contents = ValueBox(
      Contents(
        name: name, keyPath: keyPath, destination: destination, inverse: inverse,
        options: options, originalName: originalName))
    self.kind = kind
    self.deleteRule = deleteRule
  }

  /// The name, which is unique among the properties of the entity.
  public var name: String { contents.value.name }

  /// The key path of the Swift property, from the class that declares it.
  public var keyPath: (AnyKeyPath & Sendable)? { contents.value.keyPath }

  /// The entity at the other end. A closure, because two entities may name each other.
  public var destination: @Sendable () -> EntityDescription { contents.value.destination }

  /// The inverse, if this side names it; it is named on one side only.
  public var inverse: RelationshipDescription.Inverse? { contents.value.inverse }

  /// The options that the description was made with.
  public var options: Set<RelationshipOption> { contents.value.options }

  /// The name that the relationship had in the model before this one, or nil if it is the same.
  public var originalName: String? { contents.value.originalName }

  /// Whether it may have several targets. Core Data: `isToMany`.
  public var isToMany: Bool { kind != .toOne }
  /// Whether its targets have an order that the program sets. Core Data: `isOrdered`.
  public var isOrdered: Bool { kind == .orderedToMany }
  /// Whether it is its own inverse: the option `.symmetric`.
  public var isSymmetric: Bool { options.contains(.symmetric) }

  /// Whether there must be a target when a context saves the object. Core Data: not `isOptional`.
  public var isRequired: Bool { options.contains(.required) }

  /// How many targets there must be if there are any; 0 for no bound. Core Data: `minCount`.
  public var minCount: Int { counts.map(\.min).max() ?? 0 }

  /// How many targets there may be; nil for no bound. Core Data: `maxCount`, where 0 means no
  /// bound.
  public var maxCount: Int? { counts.compactMap(\.max).min() }

  private var counts: [(min: Int, max: Int?)] {
    options.compactMap { if case .count(let min, let max) = $0 { (min, max) } else { nil } }
  }
}

extension RelationshipDescription {
  /// How many targets a relationship has, and whether they have an order.
  public enum Kind: UInt8, Sendable, Hashable, Codable {
    /// One target, or none.
    case toOne = 1
    /// A set of targets.
    case toMany = 2
    /// Targets in an order that the program sets, each once. Core Data: `isOrdered`.
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
