// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel

/// The Swift type of an attribute's property, for values that come without it: by name, from a
/// format string, a dictionary, a merge policy or a fixture. The type can have fewer values than
/// the attribute's `AttributeType`: a text may be no case of an enum.
///
/// The accessors that `@Entity` calls have the same kinds of types, in the same order: a type that
/// is an `AttributeValue` itself, an enum with raw values, another `Codable` type.
package struct DeclaredType: Sendable {
  /// Without the optional.
  package let type: Any.Type
  package let attributeType: AttributeType
  private let kind: Kind

  /// The kinds of types above. `whole` is one with all values of its attribute's type, and one that
  /// is not of the attribute's type, in a description by hand.
  // Safety: types are constant, and any thread may call the requirements of the protocols here.
  private enum Kind: @unchecked Sendable {
    case attribute(any AttributeValue.Type)
    case raw(any RawRepresentable.Type, any AttributeValue.Type)
    case encoded(any Codable.Type)
    case whole
  }

  /// `AttributeValue`s that store each value of their attribute's type as it is.
  private static let wholeTypes = Set(
    [
      Bool.self, Int.self, Int64.self, UInt.self, UInt64.self, Double.self, Decimal.self,
      String.self, Data.self, Date.self, UUID.self, URL.self,
    ].map { (type: any AttributeValue.Type) in ObjectIdentifier(type) })

  /// Nil for an attribute without a key path, as in a model without classes.
  package init?(of attribute: AttributeDescription) {
    guard let type = attribute.swiftType else { return nil }
    self.type = type
    attributeType = attribute.type
    kind = Self.kind(of: type, as: attribute.type)
  }

  private static func kind(of type: Any.Type, as attributeType: AttributeType) -> Kind {
    if let type = type as? any AttributeValue.Type {
      let isWhole = wholeTypes.contains(ObjectIdentifier(type))
      return isWhole || type.attributeType != attributeType ? .whole : .attribute(type)
    }
    if let type = type as? any RawRepresentable.Type, let rawType = rawType(of: type) {
      return rawType.attributeType == attributeType ? .raw(type, rawType) : .whole
    }
    if attributeType == .codable, let type = type as? any Codable.Type { return .encoded(type) }
    return .whole
  }

  /// The type of the raw values of an enum; nil for other types.
  package var rawType: (any AttributeValue.Type)? {
    (type as? any RawRepresentable.Type).flatMap { Self.rawType(of: $0) }
  }

  /// The value as code that sets it stores it; nil if the type does not have it. The bytes of a
  /// `Codable` value stay as they are. A property whose type is not of the attribute's type, in a
  /// description by hand, takes every value.
  ///
  /// - Parameter value: a value of the attribute's type, not `.null`.
  package func value(of value: PropertyValue) -> PropertyValue? {
    switch (kind, value) {
    case (.attribute(let type), _):
      Self.converted(value, to: type)?.value
    case (.raw(let type, let rawType), _):
      Self.converted(value, to: rawType).flatMap { Self.raw($0, of: type) }?.value
    case (.encoded(let type), .codable(let data)):
      Self.isDecodable(data, as: type) ? value : nil
    case (.encoded, _), (.whole, _):
      value
    }
  }

  /// The stored value of one of the type itself, which is stored encoded; nil if `value` is of
  /// another type, or does not encode itself.
  package func encoded(_ value: Any) -> PropertyValue? {
    guard attributeType == .codable, let type = type as? any Codable.Type else { return nil }
    return Self.encoded(value, as: type)
  }

  // MARK: - With a static type

  private static func converted<T: AttributeValue>(
    _ value: PropertyValue, to _: T.Type
  ) -> (any AttributeValue)? {
    T(value: value)
  }

  private static func rawType<T: RawRepresentable>(of _: T.Type) -> (any AttributeValue.Type)? {
    T.RawValue.self as? any AttributeValue.Type
  }

  /// The raw value of the case with this raw value; nil if there is no such case.
  private static func raw<T: RawRepresentable>(
    _ raw: any AttributeValue, of _: T.Type
  ) -> (any AttributeValue)? {
    (raw as? T.RawValue).flatMap(T.init(rawValue:))?.rawValue as? any AttributeValue
  }

  private static func isDecodable<T: Codable>(_ data: Data, as type: T.Type) -> Bool {
    (try? _CodableCoding.decode(type, from: data)) != nil
  }

  private static func encoded<T: Codable>(_ value: Any, as _: T.Type) -> PropertyValue? {
    (value as? T).flatMap { try? _CodableCoding.encode($0) }.map(PropertyValue.codable)
  }
}

extension EntitySchema {
  /// The Swift type of an attribute; nil for a relationship, and in a model without classes.
  package func declaredType(of slot: Int) -> DeclaredType? {
    description.properties[slot].attribute.flatMap { DeclaredType(of: $0) }
  }
}
