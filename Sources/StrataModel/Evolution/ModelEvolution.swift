// SPDX-License-Identifier: Apache-2.0

/// The way from the model that a store was made with to the model of a program: the former names of
/// entities and properties, the new ones, and the removed ones.
///
/// An entity continues the one of its `originalName` in the store, if the store has not carried
/// that out before, or else the one of its name (`NameMatching`). A property does the same among
/// all properties that its entity had, inherited ones included. So properties may move between an
/// entity and its superentities. Core Data: an inferred mapping model.
///
/// One property of a superentity may continue properties of several entities, which had no common
/// superentity. One former property of a superentity may be continued by properties of several
/// subentities.
package struct ModelEvolution: Sendable {
  package typealias Property = ManagedObjectModel.PropertyReference

  /// An entity of the new model.
  package struct Entity: Sendable {
    package let description: EntityDescription
    /// Nil if it is new.
    package let former: ModelOutline.Entity?
    /// The stored properties that its properties continue, inherited ones included, by name. New
    /// ones are missing.
    package let formerProperties: [String: Property]
    /// The stored properties that the properties that it declares continue, in itself and in its
    /// subentities, by name. New ones are missing.
    package let origins: [String: [Property]]

    /// The former names of a list of properties; nil if one of them is new.
    package func formerList(_ names: [String]) -> [String]? {
      let former = names.compactMap { formerProperties[$0]?.property }
      return former.count == names.count ? former : nil
    }
  }

  /// In the order of the model.
  package let entities: [Entity]
  /// The names of the store's entities that are gone.
  package let removedEntities: [String]
  /// The differences that cannot be inferred; empty if all can.
  package let mismatches: [ModelMismatch]

  /// The attributes that must have a value, which no default gives to existing objects: the code of
  /// a stage does. Names of the new model.
  package let awaited: [Property]
  /// The former names that the store has carried out afterwards.
  package let formerNames: FormerNames

  /// Whether an entity or a property continues one of another name.
  package var movesNames: Bool {
    entities.contains { entity in
      entity.former.map { $0.name != entity.description.name } ?? false
        || entity.formerProperties.contains { $0.key != $0.value.property }
    }
  }

  /// - Parameters:
  ///   - carriedOut: the former names that the store has carried out.
  ///   - removing: the data that may be deleted.
  ///   - converting: properties of the new model whose values the code of a stage sets. A former
  ///     property of the name with another form is removed.
  package init(
    from stored: ModelOutline, _ carriedOut: FormerNames, to model: ManagedObjectModel,
    removing: DataRemoval = DataRemoval(), converting: Set<Property> = []
  ) {
    var comparison = ModelComparison(
      StoredEntities(stored), carriedOut, model, removing, converting)
    comparison.run()
    entities = comparison.entities
    removedEntities = comparison.removedEntities
    mismatches = comparison.mismatches
    awaited = comparison.awaited
    formerNames = comparison.laterFormerNames()
  }
}

extension ManagedObjectModel {
  /// Whether the former name of an entity or a property is a name of the model itself, so that a
  /// store with the outline of the model may have data to move.
  package var hasFormerNamesOfItsOwn: Bool {
    entities.contains { entity in
      func isOwn(_ name: String) -> Bool { entity.properties.contains { $0.name == name } }
      return entity.originalName.map { self.entity(named: $0) != nil } ?? false
        || entity.properties.contains { $0.originalName.map(isOwn) ?? false }
    }
  }
}
