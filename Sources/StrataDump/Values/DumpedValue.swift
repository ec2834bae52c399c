// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

/// The values of attributes in a dump: exact, so that a loaded store dumps to the same bytes.
///
/// | type | in JSON |
/// | --- | --- |
/// | integers | a number |
/// | `float`, `double` | the shortest number that reads as the same; otherwise the bits, `"0x…"` |
/// | `decimal` | a number with all digits, or `"NaN"` |
/// | `date` | the seconds since 2001, as a `double` |
/// | `string`, `uuid`, `url` | a string |
/// | `data`, `codable` | a string in base 64 |
package enum DumpedValue {
  package static func json(_ value: PropertyValue) -> JSONValue {
    switch value {
    // No attribute has an object.
    case .null, .object: .null
    case .bool(let bool): .bool(bool)
    case .int(let number): .integer(number)
    case .uint(let number): .integer(number)
    case .double(let number): json(number)
    case .decimal(let number): number.isNaN ? .string("NaN") : .number("\(number)")
    case .string(let text): .string(text)
    case .data(let data), .codable(let data): .string(data.base64EncodedString())
    case .date(let date): json(date.timeIntervalSinceReferenceDate)
    case .uuid(let id): .string(id.uuidString)
    case .url(let url): .string(url.absoluteString)
    }
  }

  /// The value of an attribute of `type`; nil if the JSON is not one. Null is not a value of any
  /// type.
  package static func value(of json: JSONValue, as type: AttributeType) -> PropertyValue? {
    switch type {
    case .bool: json.bool.map(PropertyValue.bool)
    case .int8, .int16, .int32, .int64: json.integer().map(PropertyValue.int)
    case .uint8, .uint16, .uint32, .uint64: json.integer().map(PropertyValue.uint)
    case .float, .double: double(json).map(PropertyValue.double)
    case .decimal: decimal(json).map(PropertyValue.decimal)
    case .string: json.string.map(PropertyValue.string)
    case .data: data(json).map(PropertyValue.data)
    case .codable: data(json).map(PropertyValue.codable)
    case .date:
      double(json).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: json.string.flatMap(UUID.init(uuidString:)).map(PropertyValue.uuid)
    case .url: json.string.flatMap { URL(string: $0) }.map(PropertyValue.url)
    }
  }

  private static func json(_ number: Double) -> JSONValue {
    number.isFinite
      ? .number("\(number)") : .string("0x" + String(number.bitPattern, radix: 16))
  }

  private static func double(_ json: JSONValue) -> Double? {
    switch json {
    case .number(let digits):
      Double(digits).flatMap { $0.isFinite ? $0 : nil }
    case .string(let text) where text.hasPrefix("0x"):
      UInt64(text.dropFirst(2), radix: 16).map(Double.init(bitPattern:))
    default: nil
    }
  }

  private static func decimal(_ json: JSONValue) -> Decimal? {
    switch json {
    case .number(let digits): DumpedDecimal(digits)?.decimal
    case .string("NaN"): .nan
    default: nil
    }
  }

  private static func data(_ json: JSONValue) -> Data? {
    json.string.flatMap { Data(base64Encoded: $0) }
  }
}

/// The digits of a decimal number. Foundation's own parsing may round numbers of 38 digits.
private struct DumpedDecimal {
  let decimal: Decimal

  /// Nil if it has more digits than a `Decimal`.
  init?(_ text: String) {
    var (mantissa, exponent, isFraction) = (UInt128(0), 0, false)
    var digits = text[...]
    let isNegative = digits.first == "-"
    if isNegative { digits = digits.dropFirst() }
    if let mark = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let shift = Int(digits[digits.index(after: mark)...].drop { $0 == "+" }),
        -999...999 ~= shift
      else { return nil }
      exponent = shift
      digits = digits[..<mark]
    }
    for character in digits {
      guard let digit = character.wholeNumberValue else {
        isFraction = true
        continue
      }
      let (tens, isBeyond) = mantissa.multipliedReportingOverflow(by: 10)
      // Zeros at the end belong to the exponent.
      if isBeyond {
        guard digit == 0 else { return nil }
        if !isFraction { exponent += 1 }
        continue
      }
      let (sum, isLarger) = tens.addingReportingOverflow(UInt128(digit))
      if isLarger { return nil }
      mantissa = sum
      if isFraction { exponent -= 1 }
    }
    while mantissa != 0, mantissa.isMultiple(of: 10) {
      mantissa /= 10
      exponent += 1
    }
    guard mantissa == 0 || -128...127 ~= exponent else { return nil }
    decimal =
      DecimalBytes(
        mantissa: mantissa, exponent: mantissa == 0 ? 0 : Int8(exponent), isNegative: isNegative
      ).decimal
  }
}
