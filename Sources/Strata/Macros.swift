// SPDX-License-Identifier: Apache-2.0
//
// The macros are sugar: all that they write can be written by hand. They need swift-syntax when a
// program is built; a program that turns the package's trait `Macros` off does without both.

#if Macros
  public import StrataModel

  /// Makes a class an entity: its stored properties become attributes and relationships of its
  /// objects, kept in their context's records and in the store. Core Data: an entity of the model
  /// editor and its `@NSManaged` properties.
  ///
  /// ```swift
  /// @Entity final class Country: ManagedObject {
  ///   @Attribute(.unique) var iso: String
  ///   @Attribute(.indexed) var name: String
  ///   var population: Int = 0
  ///   @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
  /// }
  ///
  /// @Entity final class City: ManagedObject {
  ///   var name: String
  ///   var country: Country?
  /// }
  ///
  /// let model = try ManagedObjectModel(Country.self, City.self)
  /// ```
  ///
  /// The class inherits from `ManagedObject` or from another entity, written by its own name. It
  /// may be public or open and be used from other modules, and it may be nested in another type; it
  /// cannot be generic.
  ///
  /// Every stored property becomes a property of the entity, and is stored unless it is
  /// `.transient`. `@Attribute` and `@Relationship` only add options. The property is a `var` with
  /// its type written out:
  ///
  /// - a value, perhaps optional: an attribute. Its initial value is its default in the model, one
  ///   value for all objects.
  /// - an optional entity, `Country?`: a to-one relationship;
  /// - `ToMany` or `OrderedToMany` of an entity: a to-many relationship.
  ///
  /// Computed properties, static ones, methods, initialisers and nested types are yours, and left
  /// as they are.
  ///
  /// Properties that must be unique together are named by strings, which are checked when the model
  /// is built: a key path here would be a circular reference.
  ///
  /// ```swift
  /// @Entity(uniqueTogether: ["country", "name"], ["latitude", "longitude"])
  /// final class City: ManagedObject { … }
  /// ```
  ///
  /// An index over several properties is declared in the same way. It serves requests for one value
  /// of the first property in the order of the second, or with a range of it:
  ///
  /// ```swift
  /// @Entity(indexes: ["country", "population"])
  /// final class City: ManagedObject { … }
  ///
  /// City.where { $0.country == iran }.sorted(by: \.population, order: .reverse).limit(10)
  /// ```
  ///
  /// - Parameters:
  ///   - isAbstract: Whether the entity only declares properties for its subentities and has no
  ///     objects of its own. A class between `ManagedObject` and an entity is always an entity.
  ///   - uniqueTogether: Sets of two or more attributes and to-one relationships whose values no
  ///     two objects have together, objects of subentities included. An object with nil in one of
  ///     them equals no other. Checked as a `.unique` attribute is.
  ///   - indexes: Lists of two or more attributes and to-one relationships to index, including the
  ///     objects of subentities. Properties that are unique together have an index already.
  ///   - originalName: The name that the entity had in the model before this one, if it is another.
  @attached(
    member, names: prefixed(_slotBase_), prefixed(_slotEnd_), prefixed(_entity_), named(entity))
  @attached(memberAttribute)
  @attached(extension, conformances: Entity)
  public macro Entity(
    isAbstract: Bool = false, uniqueTogether: [String]..., indexes: [String]...,
    originalName: String? = nil
  ) =
    #externalMacro(module: "StrataMacros", type: "EntityMacro")

  /// Adds options to an attribute of an `@Entity` class.
  ///
  /// ```swift
  /// @Attribute(.unique) var iso: String
  /// @Attribute(.indexed, originalName: "title") var name: String
  /// @Attribute(.transient) var isSelected: Bool = false
  /// @Attribute(.external) var picture: Data?
  /// @Attribute(.required, .matches("[A-Z]{2}")) var code: String?
  /// @Attribute(.range(0...130)) var age: Int = 0
  /// ```
  ///
  /// - Parameters:
  ///   - options: The options, in any order. `.unique`, `.indexed`, `.fullText`: an index.
  ///     `.transient`: never stored, so none of these. `.external`: for large `Data`; see
  ///     `AttributeOption.external`. `.preserveValueOnDeletion`: the history keeps the value of a
  ///     deleted object. Rules that a save checks: `.required`, `.length(1...80)`,
  ///     `.range(0...130)`, `.matches("[A-Z]{2}")`; see `AttributeRule`.
  ///     `.derived(.count("cities"))`: a calculated value, which cannot be set; see
  ///     `AttributeDerivation`.
  ///   - originalName: The name that the attribute had in the previous model, by which a migration
  ///     finds its values; nil if it is the same.
  @attached(peer)
  public macro Attribute(_ options: AttributeOption..., originalName: String? = nil) =
    #externalMacro(module: "StrataMacros", type: "MarkerMacro")

  /// Adds options to a relationship of an `@Entity` class.
  ///
  /// ```swift
  /// @Relationship(deleteRule: .cascade, inverse: \City.country) var cities: ToMany<City>
  /// @Relationship(.symmetric) var neighbours: ToMany<Country>
  /// @Relationship(.required, .count(...11)) var players: ToMany<Player>
  /// ```
  ///
  /// The inverse is named on one side only: the compiler calls two properties that name each other
  /// a circular reference. If it reports one nevertheless, name the inverse as a string.
  ///
  /// - Parameters:
  ///   - options: `.symmetric` for a `ToMany` of an entity with itself that is its own inverse.
  ///     `.required` if it must not be empty when a context saves the object, `.count(2...5)` for
  ///     the number of members that it must have then if it has any.
  ///   - deleteRule: The effect on the others when an object of this entity is deleted.
  ///   - inverse: The property at the other end that holds the same links; nil if it is named
  ///     there, or if there is none.
  ///   - ordered: Whether the others have an order. The type says it too, and must agree: true only
  ///     for `OrderedToMany`. It may be left out.
  ///   - originalName: The name that the relationship had in the previous model, by which a
  ///     migration finds its links; nil if it is the same.
  @attached(peer)
  public macro Relationship(
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
    inverse: (AnyKeyPath & Sendable)? = nil, ordered: Bool = false, originalName: String? = nil
  ) = #externalMacro(module: "StrataMacros", type: "MarkerMacro")

  /// Adds options to a relationship, and names its inverse by a string.
  ///
  /// ```swift
  /// @Relationship(inverse: "country") var cities: ToMany<City>
  /// ```
  ///
  /// Use it if a key path does not compile. The name is checked when the model is built, not by the
  /// compiler. Everything else is as with an inverse given by key path.
  ///
  /// - Parameters:
  ///   - options: See the other `Relationship`.
  ///   - deleteRule: The effect on the others when an object of this entity is deleted.
  ///   - inverse: The name of the property at the other end that holds the same links.
  ///   - ordered: Whether the others have an order. The type says it too, and must agree.
  ///   - originalName: The name that the relationship had in the previous model.
  @attached(peer)
  public macro Relationship(
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, inverse: String,
    ordered: Bool = false, originalName: String? = nil
  ) = #externalMacro(module: "StrataMacros", type: "MarkerMacro")

  /// Gives a stored property the accessors of a record's slot. `@Entity` puts it on; do not write
  /// it.
  ///
  /// - Parameter slot: The property's place among those that its class declares, from 0; nil for
  ///   one that was refused.
  @attached(accessor)
  public macro _Persisted(slot: Int?) =
    #externalMacro(module: "StrataMacros", type: "PersistedMacro")
#endif
