// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// Descriptions of properties that no marker says more about: an attribute or a to-one relationship,
// by the Swift type.

extension PropertyDescription {
  /// An attribute of a type that is stored as it is.
  ///
  /// - Parameters:
  ///   - name: the property's name.
  ///   - keyPath: the property, from the class that declares it.
  ///   - type: the property's type.
  ///   - defaultValue: the value of a new object; nil for the type's zero, or for nil.
  public static func property<Root: ManagedObject, T: AttributeValue>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    default defaultValue: T? = nil
  ) -> PropertyDescription {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of an enum's type, stored as the raw value.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: RawRepresentable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    default defaultValue: T? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of an optional enum's type, stored as the raw value.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: RawRepresentable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T?.Type,
    default defaultValue: T?? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of the type of an enum that is `Codable` too.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    default defaultValue: T? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of the optional type of an enum that is `Codable` too.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T?.Type,
    default defaultValue: T?? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of a `Codable` type, stored encoded.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    default defaultValue: T? = nil
  ) -> PropertyDescription {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// An attribute of an optional `Codable` type, stored encoded.
  @_disfavoredOverload
  public static func property<Root: ManagedObject, T: Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T?.Type,
    default defaultValue: T?? = nil
  ) -> PropertyDescription {
    attribute(name, keyPath, as: type, default: defaultValue)
  }

  /// A to-one relationship.
  public static func property<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T?.Type
  ) -> PropertyDescription {
    relationship(name, keyPath, as: type)
  }
}
