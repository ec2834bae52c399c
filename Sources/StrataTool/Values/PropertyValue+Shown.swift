// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataDump

// Values as the commands for people show them. A dump has a form of its own, which is exact
// (`DumpedValue`).

extension PropertyValue {
  /// The value as the text of a cell; empty for no value.
  var shownText: String {
    switch self {
    case .null: ""
    case .bool(let bool): bool ? "true" : "false"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .double(let number): number.shownText
    case .decimal(let number): "\(number)"
    case .string(let text): text
    case .data(let data): data.base64EncodedString()
    case .date(let date): date.shownText
    case .uuid(let id): id.uuidString
    case .url(let url): url.absoluteString
    case .codable(let data): String(decoding: data, as: UTF8.self)
    case .object(let id): id.shownText
    }
  }

  var shownJSON: JSONValue {
    switch self {
    case .null: .null
    case .bool(let bool): .bool(bool)
    case .int(let number): .integer(number)
    case .uint(let number): .integer(number)
    case .double(let number): number.isFinite ? .number("\(number)") : .string(number.shownText)
    case .decimal(let number): number.isNaN ? .string("NaN") : .number("\(number)")
    case .codable(let data):
      (try? JSONParser.value(of: [UInt8](data)[...])) ?? .string(data.base64EncodedString())
    case .string, .data, .date, .uuid, .url, .object: .string(shownText)
    }
  }
}

extension ObjectID {
  /// The entity and the serial: `City/5`.
  var shownText: String { "\(entityName ?? "\(key.entity.rawValue)")/\(key.serial)" }
}

extension Double {
  /// The shortest digits that give the same number; a whole number has no fraction.
  fileprivate var shownText: String {
    if let whole = Int64(exactly: self), whole.magnitude < 1 << 53, !(self == 0 && sign == .minus) {
      return "\(whole)"
    }
    return isNaN ? "nan" : "\(self)"
  }
}

extension Date {
  /// ISO 8601 in UTC, with milliseconds if there are any; the seconds since 2001 for a date that
  /// the calendar does not have.
  fileprivate var shownText: String {
    let seconds = timeIntervalSinceReferenceDate
    // The years 1 to 9999.
    guard seconds.isFinite, -63_114_076_800.0..<252_423_993_600.0 ~= seconds else {
      return "\(seconds)"
    }
    let hasFraction = (seconds * 1_000).rounded() != seconds.rounded() * 1_000
    return formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction, timeZone: .gmt))
  }
}
