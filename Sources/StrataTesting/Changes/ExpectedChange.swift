// SPDX-License-Identifier: Apache-2.0
public import Strata
public import StrataModel

/// A change that a test expects: `Inserted`, `Updated` or `Deleted`.
public protocol ExpectedChange: Sendable {
  /// The change without its static type.
  var _expectation: _ChangeExpectation { get }
}

/// An expected change without its static type.
public enum _ChangeExpectation: Sendable {
  case inserted(entity: String, [_ExpectedProperty])
  case updated(ObjectID, _ExpectedProperty, former: _ExpectedValue)
  case deleted(ObjectID)
}

/// A property and the value that it is expected to have.
public struct _ExpectedProperty: Sendable {
  /// The name; nil if the key path reads no stored property.
  let name: String?
  /// The name, or else the key path, for texts.
  let text: String
  let value: _ExpectedValue

  init(_ name: String, _ value: _ExpectedValue) {
    self.name = name
    text = name
    self.value = value
  }

  init<Root: Entity>(_ keyPath: PartialKeyPath<Root>, _ value: _ExpectedValue) {
    name = Root.entity.slot(for: keyPath).map { Root.entity.properties[$0].name }
    text = name ?? "\(keyPath)"
    self.value = value
  }
}

// MARK: - Inserted

/// An expected new object of an entity, with the values that `setting` names. Every other property
/// is expected to have the value of a new object.
///
///     Inserted(City.self).setting(\.name, to: "Bern").setting(\.country, to: switzerland)
public struct Inserted<Root: ManagedObject>: ExpectedChange {
  private let entity: String
  private var properties: [_ExpectedProperty] = []

  /// An object of exactly this entity, not of one that inherits from it.
  public init(_ type: Root.Type) where Root: Entity { entity = Root.entity.name }

  /// An object of the entity with a name, for tests without its class.
  public init(entityName: String) where Root == ManagedObject { entity = entityName }

  public var _expectation: _ChangeExpectation { .inserted(entity: entity, properties) }

  private func with(_ property: _ExpectedProperty) -> Inserted {
    var inserted = self
    inserted.properties.append(property)
    return inserted
  }

  /// Returns the change that also expects the value of an attribute, or the target of a to-one
  /// relationship.
  @_disfavoredOverload
  public func setting<Value>(
    _ property: KeyPath<Root, Value>, to value: Value
  ) -> Inserted where Root: Entity {
    with(_ExpectedProperty(property, _ExpectedValue(value)))
  }

  /// Returns the change that also expects the target of a to-one relationship by its ID; nil for
  /// none.
  public func setting<Target: ManagedObject>(
    _ property: KeyPath<Root, Target?>, to target: ObjectID?
  ) -> Inserted where Root: Entity {
    with(_ExpectedProperty(property, _ExpectedValue(target)))
  }

  /// Returns the change that also expects the members of a to-many relationship. Their order counts
  /// if it is ordered.
  public func setting<Members: Sequence>(
    _ property: KeyPath<Root, Members>, to members: [ObjectID]
  ) -> Inserted where Root: Entity, Members.Element: ManagedObject {
    with(_ExpectedProperty(property, .members(members)))
  }

  /// Returns the change that also expects the value of an attribute, or the target of a to-one
  /// relationship, by the property's name.
  public func setting(_ property: String, to value: PropertyValue) -> Inserted {
    with(_ExpectedProperty(property, .value(value)))
  }
}

// MARK: - Updated

/// An expected change of one property of an object, with its value before and after. Several
/// properties of an object are several changes.
///
///     Updated(zurich, \City.population, from: 421_878, to: 430_000)
public struct Updated: ExpectedChange {
  public let _expectation: _ChangeExpectation

  private init(_ id: ObjectID, _ property: _ExpectedProperty, from former: _ExpectedValue) {
    _expectation = .updated(id, property, former: former)
  }

  /// A change of an attribute, or of the target of a to-one relationship.
  @_disfavoredOverload
  public init<Root: Entity, Value>(
    _ id: ObjectID, _ property: KeyPath<Root, Value>, from former: Value, to value: Value
  ) {
    self.init(
      id, _ExpectedProperty(property, _ExpectedValue(value)), from: _ExpectedValue(former))
  }

  /// A change of the target of a to-one relationship, by its ID; nil for no target.
  public init<Root: Entity, Target: ManagedObject>(
    _ id: ObjectID, _ property: KeyPath<Root, Target?>, from former: ObjectID?, to target: ObjectID?
  ) {
    self.init(
      id, _ExpectedProperty(property, _ExpectedValue(target)), from: _ExpectedValue(former))
  }

  /// A change of a to-many relationship. The order of the members counts if it is ordered.
  public init<Root: Entity, Members: Sequence>(
    _ id: ObjectID, _ property: KeyPath<Root, Members>, from former: [ObjectID],
    to members: [ObjectID]
  ) where Members.Element: ManagedObject {
    self.init(id, _ExpectedProperty(property, .members(members)), from: .members(former))
  }

  /// A change of an attribute or a to-one relationship, by the property's name.
  public init(
    _ id: ObjectID, _ property: String, from former: PropertyValue, to value: PropertyValue
  ) {
    self.init(id, _ExpectedProperty(property, .value(value)), from: .value(former))
  }
}

// MARK: - Deleted

/// An expected deletion of an object. Consequences of delete rules are changes of their own:
/// objects that are deleted with it, and links that others lose.
public struct Deleted: ExpectedChange {
  private let id: ObjectID

  public init(_ id: ObjectID) { self.id = id }

  public var _expectation: _ChangeExpectation { .deleted(id) }
}
