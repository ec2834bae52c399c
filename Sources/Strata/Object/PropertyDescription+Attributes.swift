// SPDX-License-Identifier: Apache-2.0
public import StrataModel
import StrataPrimitives
public import StrataRecord

// Descriptions of attributes, from the Swift type of the property, as `@Entity` generates them and
// as they are written by hand. `attribute` is for a property marked `@Attribute`, `property` for an
// unmarked one, which may also be a to-one relationship.

extension PropertyDescription {
  /// An attribute of a type that is stored as it is.
  ///
  /// - Parameters:
  ///   - name: the property's name.
  ///   - keyPath: the property, from the class that declares it.
  ///   - type: the property's type.
  ///   - options: see `AttributeOption`.
  ///   - originalName: the name in the previous model; nil if it is the same.
  ///   - defaultValue: the value of a new object; nil for the type's zero, or for nil.
  public static func attribute<Root: ManagedObject, T: AttributeValue>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T? = nil
  ) -> PropertyDescription {
    describe(name, keyPath, T.self, options, originalName, defaultValue)
  }

  /// An attribute of an enum's type, stored as the raw value.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: RawRepresentable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    describe(
      name, keyPath, _RawValueBox<T>.self, options, originalName,
      defaultValue.map(_RawValueBox.init))
  }

  /// An attribute of an optional enum's type, stored as the raw value.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: RawRepresentable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T?.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T?? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    describe(
      name, keyPath, _RawValueBox<T>?.self, options, originalName,
      defaultValue?.map(_RawValueBox.init))
  }

  /// An attribute of the type of an enum that is `Codable` too.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    describe(
      name, keyPath, _RawValueBox<T>.self, options, originalName,
      defaultValue.map(_RawValueBox.init))
  }

  /// An attribute of the optional type of an enum that is `Codable` too.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: RawRepresentable & Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T?.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T?? = nil
  ) -> PropertyDescription where T.RawValue: AttributeValue {
    describe(
      name, keyPath, _RawValueBox<T>?.self, options, originalName,
      defaultValue?.map(_RawValueBox.init))
  }

  /// An attribute of a `Codable` type, stored encoded.
  ///
  /// - Precondition: `encode(to:)` of the default does not throw, and `init(from:)` takes the
  ///   bytes.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, _CodableBox<T>.self, options, originalName, defaultValue.map(encodable))
  }

  /// An attribute of an optional `Codable` type, stored encoded.
  @_disfavoredOverload
  public static func attribute<Root: ManagedObject, T: Codable & Sendable>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as _: T?.Type,
    _ options: AttributeOption..., originalName: String? = nil, default defaultValue: T?? = nil
  ) -> PropertyDescription {
    describe(
      name, keyPath, _CodableBox<T>?.self, options, originalName,
      defaultValue?.map(encodable))
  }

  /// A default, which the model's source has: one that does not encode itself is a mistake of the
  /// program. The message does not show the error, which can contain the value.
  private static func encodable<T: Codable & Sendable>(_ value: T) -> _CodableBox<T> {
    let box = _CodableBox(value)
    require(
      box.value != .null,
      "A default of type \(T.self) does not encode itself, because encode(to:) throws: declare a "
        + "default that does.")
    return box
  }

  private static func describe<T: AttributeValue>(
    _ name: String, _ keyPath: AnyKeyPath & Sendable, _: T.Type, _ options: [AttributeOption],
    _ originalName: String?, _ defaultValue: T?
  ) -> PropertyDescription {
    let value = defaultValue?.value ?? .null
    // A value that cannot be read reads as the default.
    require(
      T.isOptional || value == .null || T(value: value) != nil,
      "The default of \(type(of: keyPath).rootType).\(name) cannot be read: its type refuses the "
        + "value that it is stored as. Declare a default that the type takes.")
    return .attribute(
      AttributeDescription(
        name, keyPath: keyPath, type: T.attributeType, isOptional: T.isOptional,
        defaultValue: value, options: Set(options),
        originalName: originalName, needsDefault: T.zero == nil))
  }
}
