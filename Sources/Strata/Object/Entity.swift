// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataQuery

/// A class of managed objects that is an entity of a model. `@Entity` adds the conformance.
///
/// With it, static calls as `where` have the type of the class that they are called on.
public protocol Entity: ManagedObject {}

/// A class that a request may be for: the class of an entity, or `ManagedObject` in a request that
/// names its entity.
///
/// A constraint to the class `ManagedObject` would say the same. But the compiler takes that as a
/// hint for the type of a request that it does not know yet, and then refuses nested closures.
public protocol _Fetchable: ManagedObject {}

extension ManagedObject: _Fetchable {}

extension Entity {
  /// A request for the objects of this entity that match a predicate.
  ///
  ///     let large = City.where { $0.population > 1_000_000 }.sorted(by: \.name)
  public static func `where`(
    _ predicate: (PropertyPath<Self, Self>) -> FetchPredicate
  ) -> FetchRequest<Self> {
    FetchRequest(predicate(PropertyPath()))
  }

  /// A request for all objects of this entity.
  public static var all: FetchRequest<Self> { FetchRequest() }
}

extension ManagedObjectModel {
  /// A model of the entities of these classes and of those that they inherit from.
  ///
  /// - Throws: `ModelError`, which names the declaration that is wrong.
  public init(_ classes: any Entity.Type...) throws(ModelError) {
    try self.init(entities: classes.map { $0.entity })
  }
}

// MARK: - Objects in predicates

/// An object as an argument of `FetchPredicate(format:)`: its ID.
extension ManagedObject: _PredicateArgument {
  public var predicateValue: PropertyValue { objectID.predicateValue }
}

/// Whether the to-one relationship leads to `object`.
public func == <Root, Target: ManagedObject>(
  path: PropertyPath<Root, Target?>, object: Target
) -> FetchPredicate {
  path == object.objectID
}

/// Whether the to-one relationship leads to another object than `object`, or to none.
public func != <Root, Target: ManagedObject>(
  path: PropertyPath<Root, Target?>, object: Target
) -> FetchPredicate {
  path != object.objectID
}
