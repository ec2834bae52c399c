// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump

/// The values of attributes as texts of a form: the inverse of `PropertyValue.shownText`.
enum TypedText {
  /// A form has no longer texts. They are shown, and can be loaded as a file.
  static let byteCountMax = 64 << 10

  /// Whether a form can carry the text and give it back unchanged: line ends become CR LF, and
  /// other control characters are lost.
  static func canEdit(_ text: String) -> Bool {
    text.utf8.count <= byteCountMax
      && text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !isControl($0) }
  }

  /// A text of a form, with its lines as they were.
  static func normalized(_ text: String) -> String {
    text.replacingOccurrences(of: "\r\n", with: "\n")
  }

  /// The value of an attribute of `type`; nil if the text does not have its form.
  static func value(of text: String, as type: AttributeType) -> PropertyValue? {
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return switch type {
    case .string: .string(text)
    case .bool: ["true": true, "false": false][word.lowercased()].map(PropertyValue.bool)
    case .int8, .int16, .int32, .int64: Int64(word).map(PropertyValue.int)
    case .uint8, .uint16, .uint32, .uint64: UInt64(word).map(PropertyValue.uint)
    case .float, .double: Double(word).map(PropertyValue.double)
    case .decimal: decimal(word)
    case .date: date(word)
    case .uuid: UUID(uuidString: word).map(PropertyValue.uuid)
    case .url: word.isEmpty ? nil : URL(string: word).map(PropertyValue.url)
    case .data: Data(base64Encoded: word).map(PropertyValue.data)
    case .codable:
      (try? JSONParser.value(of: Array(word.utf8)[...])).map { _ in .codable(Data(word.utf8)) }
    }
  }

  /// The form of a type's texts, for an explanation of a mistake.
  static func expectation(of type: AttributeType) -> String {
    switch type {
    case .string: "a text"
    case .bool: "true or false"
    case .int8, .int16, .int32, .int64: "a whole number that fits \(type.shownName)"
    case .uint8, .uint16, .uint32, .uint64:
      "a whole number of 0 or more that fits \(type.shownName)"
    case .float, .double: "a number, such as 0.25 or 1e9"
    case .decimal: "a decimal number of at most 38 digits"
    case .date: "a date in ISO 8601, such as 2026-05-31T12:00:00Z"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .data: "bytes in base 64"
    case .codable: "JSON"
    }
  }

  private static func decimal(_ word: String) -> PropertyValue? {
    if word == "NaN" { return .decimal(.nan) }
    guard let json = try? JSONParser.value(of: Array(word.utf8)[...]), case .number = json else {
      return nil
    }
    return DumpedValue.value(of: json, as: .decimal)
  }

  /// A date in ISO 8601, with or without milliseconds, or the seconds since 2001.
  private static func date(_ word: String) -> PropertyValue? {
    let date =
      (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(word))
      ?? (try? Date.ISO8601FormatStyle().parse(word))
      ?? (try? Date.ISO8601FormatStyle().year().month().day().parse(word))
      ?? Double(word).map(Date.init(timeIntervalSinceReferenceDate:))
    return date.map(PropertyValue.date)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
  }
}
