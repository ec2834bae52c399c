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
/// | `caseInsensitive` | to upper case, then to lower case: "ß" is equal to "SS" |
/// | `diacriticInsensitive` | to decomposed form (NFD), without accents and points |
///
/// `diacriticInsensitive` removes the accents and points of Latin, Greek, Cyrillic, Hebrew and
/// Arabic: "é" is equal to "e". "ø" and "ł" are separate letters, so they are not equal to "o" and
/// "l".
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
  /// Returns the text without the ignored differences. O(length).
  package func folded(_ text: String) -> String {
    TextFolding.folded(
      text, case: contains(.caseInsensitive), diacritics: contains(.diacriticInsensitive))
  }

  /// Returns a text folded, another value unchanged.
  func folded(_ value: PropertyValue) -> PropertyValue {
    guard !isEmpty, case .string(let text) = value else { return value }
    return .string(folded(text))
  }
}
