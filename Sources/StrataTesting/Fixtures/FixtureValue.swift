// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataDump
import StrataModel
import StrataQuery
import StrataRecord

/// The values of attributes in a fixture. They have the form of a dump's values, except for types
/// that are easier to write by hand: dates are ISO 8601, and encoded values are their JSON. Numbers
/// are numbers; the strings that a dump has for special ones are not read.
enum FixtureValue {
  /// The value of an attribute as code that sets it stores it.
  ///
  /// - Throws: if the JSON is not a value of the attribute: it has another form, a number is too
  ///   large for the type, or the property's Swift type does not have the value.
  static func value(
    of json: JSONValue, for attribute: AttributeDescription
  ) throws(DeclaredType.Refusal) -> PropertyValue {
    let declared = DeclaredType(of: attribute)
    guard let value = value(of: json, as: attribute.type)?.fitting(attribute) else {
      throw DeclaredType.Refusal(expected: declared?.form ?? form(of: attribute.type))
    }
    return value == .null ? value : try declared?.stored(value) ?? value
  }

  /// The value of an attribute of `type`; nil if the JSON is none.
  private static func value(of json: JSONValue, as type: AttributeType) -> PropertyValue? {
    switch (type, json) {
    case (_, .null): .null
    case (.date, .string(let text)): FixtureDate.date(text).map(PropertyValue.date)
    case (.float, .string), (.double, .string), (.decimal, .string): nil
    case (.codable, _): .codable(Data(json.sorted.text.utf8))
    default: DumpedValue.value(of: json, as: type)
    }
  }

  /// The form of a value of `type`, for texts: "a number".
  static func form(of type: AttributeType) -> String {
    switch type {
    case .bool: "true or false"
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      "an integer of the type \(type)"
    case .float, .double, .decimal: "a number of the type \(type)"
    case .string: "a string"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .date: "a date, as in 2026-01-31T12:00:00Z"
    case .data: "a string in base 64"
    case .codable: "JSON"
    }
  }
}

extension PropertyValue {
  /// The value in the form that the attribute stores; nil if the attribute cannot have it.
  fileprivate func fitting(_ attribute: AttributeDescription) -> PropertyValue? {
    switch self {
    case .null: attribute.isOptional ? self : nil
    case .codable: attribute.type == .codable ? self : nil
    default: fitting(attribute.type)
    }
  }
}

extension JSONValue {
  /// The value with the members of each object in the order of their names, as Strata encodes
  /// `Codable` values. A model without classes has no type that could encode it.
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.sorted { $0.name < $1.name }.map { Member(name: $0.name, value: $0.value.sorted) })
    case .array(let elements): .array(elements.map(\.sorted))
    default: self
    }
  }
}
