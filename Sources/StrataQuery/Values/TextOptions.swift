// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// The differences that a comparison of texts ignores. Core Data: `[c]`, `[d]` and `[cd]`.
///
/// Both texts are *folded* by Unicode's tables, without a locale, and then compared as without
/// options. The result is the same on every platform and for every user.
///
/// | option | folding |
/// | --- | --- |
/// | `caseInsensitive` | Unicode's case folding: "ß" and "ẞ" are equal to "SS", "ς" to "Σ" |
/// | `diacriticInsensitive` | to decomposed form (NFD), without accents and points |
///
/// `diacriticInsensitive` removes the accents and points of Latin, Greek, Cyrillic, Hebrew and
/// Arabic: "é" is equal to "e". "ø" and "ł" are separate letters, so they are not equal to "o" and
/// "l", and the marks of Japanese and Indic scripts make other letters: "が" is not equal to "か".
/// The iota below a Greek letter is a point.
///
/// The words of an index and derived `.canonical` texts are folded as by both options. `folded(_:)`
/// folds a text in a program.
public struct TextOptions: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Ignores case: "Bam" is equal to "BAM".
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// Ignores accents and points: "Zürich" is equal to "Zurich".
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

extension TextOptions: CustomStringConvertible {
  /// The options as in a format string: "", "[c]", "[d]" or "[cd]".
  public var description: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

// MARK: - Folding

extension TextOptions {
  /// Returns the text without the ignored differences: two texts are equal with these options
  /// exactly if they are equal when they are folded.
  ///
  /// With both options it is the text of a derived `.canonical` attribute, to compare one with:
  ///
  /// ```swift
  /// let wanted = TextOptions([.caseInsensitive, .diacriticInsensitive]).folded("STRAẞE")
  /// let found = Street.where { $0.plainName == wanted }  // "strasse"
  /// ```
  ///
  /// - Complexity: O(length).
  public func folded(_ text: String) -> String {
    TextFolding.folded(
      text, case: contains(.caseInsensitive), diacritics: contains(.diacriticInsensitive))
  }

  /// Returns a text folded, another value unchanged.
  func folded(_ value: PropertyValue) -> PropertyValue {
    guard !isEmpty, case .string(let text) = value else { return value }
    return .string(folded(text))
  }
}
