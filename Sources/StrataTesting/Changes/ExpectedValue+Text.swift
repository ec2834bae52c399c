// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

extension _ExpectedValue {
  /// The value on one line, as a difference shows it.
  var text: String {
    switch self {
    case .value(let value): value.shownText
    case .members(let ids): "[\(ids.map(\.shortName).joined(separator: ", "))]"
    case .unfit(let type): "a value of the type \(type)"
    }
  }
}

extension PropertyValue {
  /// The value on one line: texts in quotes, objects by their short names, encoded values as JSON.
  var shownText: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): value.debugDescription
    case .data(let value): Self.bytes(value)
    case .date(let value): Self.date(value)
    case .uuid(let value): "\(value)"
    case .url(let value): "\(value)"
    case .codable(let value): String(data: value, encoding: .utf8) ?? Self.bytes(value)
    case .object(let id): id.shortName
    }
  }

  /// How many bytes of data are shown.
  private static let byteCountMax = 16

  private static func bytes(_ data: Data) -> String {
    let shown = data.prefix(byteCountMax).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    let rest = data.count > byteCountMax ? "…" : ""
    return "\(data.count == 1 ? "1 byte" : "\(data.count) bytes") 0x\(shown.joined())\(rest)"
  }

  /// All digits of a date: two dates that differ have different texts.
  private static func date(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    let years = -60_000_000_000.0...200_000_000_000.0
    guard years ~= seconds, seconds == seconds.rounded() else { return "2001 + \(seconds) s" }
    return date.formatted(.iso8601)
  }
}
