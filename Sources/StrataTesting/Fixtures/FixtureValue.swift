// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataDump
import StrataModel

/// The values of attributes in a fixture. They have the form of a dump's values, except for two
/// types that are easier to write by hand: dates are ISO 8601, and encoded values are their JSON.
enum FixtureValue {
  /// The value of an attribute of `type`; nil if the JSON is none.
  static func value(of json: JSONValue, as type: AttributeType) -> PropertyValue? {
    switch (type, json) {
    case (_, .null): .null
    case (.date, .string(let text)): date(text).map(PropertyValue.date)
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
    case .float, .double, .decimal: "a number"
    case .string: "a string"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .date: "a date, as in 2026-01-31T12:00:00Z"
    case .data: "a string in base 64"
    case .codable: "JSON"
    }
  }

  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}

extension JSONValue {
  /// The value with the members of each object in the order of their names, as Strata encodes
  /// `Codable` values.
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
