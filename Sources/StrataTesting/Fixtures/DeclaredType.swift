// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The Swift type of an attribute's property. A value of a fixture passes through it, so that a
/// fixture can set the same values as code, and the store gets the same bytes.
///
/// The accessors that `@Entity` calls have the same kinds of types, in the same order: a type that
/// is an `AttributeValue` itself, an enum with raw values, another `Codable` type.
struct DeclaredType {
  /// The type does not have the value.
  struct Refusal: Error {
    /// The allowed values, for texts.
    let expected: String
  }

  /// Without the optional.
  private let type: Any.Type
  private let stored: AttributeType

  /// Nil for an attribute without a key path, as in a model without classes.
  init?(of attribute: AttributeDescription) {
    guard let keyPath = attribute.keyPath else { return nil }
    var type = Swift.type(of: keyPath as AnyKeyPath).valueType
    while let optional = type as? any OptionalType.Type { type = optional.wrappedType }
    self.type = type
    stored = attribute.type
  }

  /// The value as code that sets it stores it. A property whose type is not of the attribute's
  /// type, in a description by hand, takes every value.
  ///
  /// - Parameter value: a value of the attribute's type, not `.null`.
  func stored(_ value: PropertyValue) throws(Refusal) -> PropertyValue {
    if let type = type as? any AttributeValue.Type {
      guard type.attributeType == stored else { return value }
      guard let converted = Self.converted(value, to: type) else { throw refusal }
      return converted.value
    }
    if let type = type as? any RawRepresentable.Type, let rawType = Self.rawType(of: type) {
      guard rawType.attributeType == stored else { return value }
      guard let raw = Self.converted(value, to: rawType), let known = Self.raw(raw, of: type) else {
        throw refusal
      }
      return known.value
    }
    if let type = type as? any Codable.Type, case .codable(let data) = value {
      return try EncodedFixture.value(of: data, as: type)
    }
    return value
  }

  /// The values of an enum; nil for other types, whose values their `AttributeType` describes.
  var form: String? {
    guard let type = type as? any RawRepresentable.Type, Self.rawType(of: type) != nil else {
      return nil
    }
    return expected
  }

  // MARK: - For texts

  private var refusal: Refusal { Refusal(expected: expected) }

  private var expected: String {
    let name = "a value of \(type)"
    guard let type = type as? any CaseIterable.Type, let cases = Self.cases(of: type) else {
      return "\(name), as \(FixtureValue.form(of: stored))"
    }
    return "\(name): \(cases)"
  }

  /// How many cases of an enum a text shows.
  private static let caseCountMax = 16

  /// The raw values of an enum, `"capital" or "port"`; nil if it has none.
  private static func cases<T: CaseIterable>(of _: T.Type) -> String? {
    var shown = T.allCases.prefix(caseCountMax + 1).compactMap { known in
      (known as? any RawRepresentable).flatMap { $0.rawValue as? any AttributeValue }?
        .value.shownText
    }
    guard let last = shown.popLast() else { return nil }
    if shown.count == caseCountMax { return "\(shown.joined(separator: ", ")), …" }
    return shown.isEmpty ? last : "\(shown.joined(separator: ", ")) or \(last)"
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
}

/// An optional, whose wrapped type is not known.
private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
