// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// Descriptions of relationships, from the Swift type of the property.

extension PropertyDescription {
  /// A to-one relationship.
  ///
  /// - Parameters:
  ///   - name: the property's name.
  ///   - keyPath: the property, from the class that declares it.
  ///   - type: the property's type, an optional of the target's class.
  ///   - options: see `RelationshipOption`.
  ///   - deleteRule: the effect on the others when an object of this entity is deleted.
  ///   - inverse: the property at the other end that holds the same links; nil if it is named
  ///     there, or if there is none.
  ///   - originalName: the name in the previous model; nil if it is the same.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T?.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: (AnyKeyPath & Sendable)? = nil, originalName: String? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, T.self, .toOne, options, deleteRule,
      inverse.map(RelationshipDescription.Inverse.keyPath),
      originalName)
  }

  /// A to-one relationship, its inverse named by a string.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T?.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: String, originalName: String? = nil
  ) -> PropertyDescription {
    describe(name, keyPath, T.self, .toOne, options, deleteRule, .name(inverse), originalName)
  }

  /// A to-many relationship.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: ToMany<T>.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: (AnyKeyPath & Sendable)? = nil, originalName: String? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, T.self, .toMany, options, deleteRule,
      inverse.map(RelationshipDescription.Inverse.keyPath),
      originalName)
  }

  /// A to-many relationship, its inverse named by a string.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: ToMany<T>.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: String, originalName: String? = nil
  ) -> PropertyDescription {
    describe(name, keyPath, T.self, .toMany, options, deleteRule, .name(inverse), originalName)
  }

  /// An ordered to-many relationship.
  ///
  /// - Parameters:
  ///   - name: the property's name.
  ///   - keyPath: the property, from the class that declares it.
  ///   - type: the property's type.
  ///   - options: see `RelationshipOption`.
  ///   - deleteRule: the effect on the others when an object of this entity is deleted.
  ///   - inverse: the property at the other end that holds the same links; nil if it is named
  ///     there, or if there is none.
  ///   - ordered: repeats the statement of the type; it may be left out.
  ///   - originalName: the name in the previous model; nil if it is the same.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: OrderedToMany<T>.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: (AnyKeyPath & Sendable)? = nil, ordered: Bool = true, originalName: String? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, T.self, .orderedToMany, options, deleteRule,
      inverse.map(RelationshipDescription.Inverse.keyPath), originalName)
  }

  /// An ordered to-many relationship, its inverse named by a string.
  public static func relationship<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: OrderedToMany<T>.Type,
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: String, ordered: Bool = true, originalName: String? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, T.self, .orderedToMany, options, deleteRule, .name(inverse), originalName)
  }

  private static func describe<T: ManagedObject>(
    _ name: String, _ keyPath: AnyKeyPath & Sendable, _: T.Type,
    _ kind: RelationshipDescription.Kind,
    _ options: [RelationshipOption], _ deleteRule: DeleteRule,
    _ inverse: RelationshipDescription.Inverse?,
    _ originalName: String?
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name, keyPath: keyPath, kind: kind, destination: { T.entity }, deleteRule: deleteRule,
        inverse: inverse, options: Set(options), originalName: originalName))
  }
}
