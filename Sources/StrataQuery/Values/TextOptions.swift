// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

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
    if isEmpty { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return contains(.caseInsensitive) ? text.lowercased() : text
    }
    // Decomposition comes first, so that canonically equivalent texts fold to the same text.
    var scalars = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if contains(.diacriticInsensitive), scalar.isDiacriticalMark { continue }
      guard contains(.caseInsensitive) else {
        scalars.append(scalar)
        continue
      }
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        scalars.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(scalars)
  }

  /// Returns a text folded, another value unchanged.
  func folded(_ value: PropertyValue) -> PropertyValue {
    guard !isEmpty, case .string(let text) = value else { return value }
    return .string(folded(text))
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is an accent or a point that does not change the identity of its letter: a
  /// non-spacing mark that is an overlay, a Hebrew or Arabic point, or a mark above or below. Vowel
  /// signs of Indic scripts, viramas and the marks of voiced kana have other combining classes.
  fileprivate var isDiacriticalMark: Bool {
    guard value >= 0x300, properties.generalCategory == .nonspacingMark else { return false }
    switch properties.canonicalCombiningClass.rawValue {
    case 1, 10...36, 200...: return true
    default: return false
    }
  }
}
