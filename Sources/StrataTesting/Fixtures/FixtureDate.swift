// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Dates of fixtures: ISO 8601 with a time zone, and up to nine digits of a fraction.
///
/// Foundation's own parsing is lenient: it reads 30 February as 2 March, and skips a text behind
/// the time zone. A fixture with such a date has a mistake.
enum FixtureDate {
  /// How many characters the date and the time have without a fraction: `2026-01-31T12:00:00`.
  private static let timeCount = 19

  /// The date; nil if the text has another form, or a day or an hour that does not exist.
  static func date(_ text: String) -> Date? {
    let time = "\(text.prefix(timeCount))Z"
    let rest = text.dropFirst(timeCount)
    guard let first = try? Date(time, strategy: .iso8601), first.formatted(.iso8601) == time,
      rest.wholeMatch(of: /(\.[0-9]{1,9})?(Z|[+\-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)/) != nil
    else { return nil }
    let hasFraction = rest.first == "."
    return try? Date(
      text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }
}
