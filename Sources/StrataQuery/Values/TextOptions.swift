// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// What a comparison of texts looks past. Core Data: `[c]`, `[d]` and `[cd]`.
///
/// Both texts are *folded* by Unicode's tables, without a locale, and then compared as without
/// options. So the answer is the same on every platform and for every user.
///
/// | option | folding |
/// | --- | --- |
/// | `caseInsensitive` | the text in upper case, and that in lower case: "ß" is equal to "SS" |
/// | `diacriticInsensitive` | the text decomposed (NFD), without the accents and points of Latin, Greek, Cyrillic, Hebrew and Arabic: "é" is equal to "e", but "ø" and "ł", which are letters of their own, not to "o" and "l" |
public struct TextOptions: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// "Bam" is equal to "BAM".
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// "Zürich" is equal to "Zurich".
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

extension TextOptions: CustomStringConvertible {
  /// As in a format string: "", "[c]", "[d]" or "[cd]".
  public var description: String {
    let letters =
      (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}

// MARK: - Folding

extension TextOptions {
  /// The text without what is looked past. O(length).
  package func folded(_ text: String) -> String {
    if isEmpty { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return contains(.caseInsensitive) ? text.lowercased() : text
    }
    // Decomposed first: whatever is canonically equivalent folds to the same.
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

  /// A text folded, another value as it is.
  func folded(_ value: Value) -> Value {
    guard !isEmpty, case .string(let text) = value else { return value }
    return .string(folded(text))
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is an accent or a point that a letter is still the same letter without: a
  /// non-spacing mark that overlays, is a point of Hebrew or Arabic, or stands above or below. Vowel
  /// signs of Indic scripts, viramas and the marks of voiced kana are of other classes.
  fileprivate var isDiacriticalMark: Bool {
    guard value >= 0x300, properties.generalCategory == .nonspacingMark else { return false }
    switch properties.canonicalCombiningClass.rawValue {
    case 1, 10...36, 200...: return true
    default: return false
    }
  }
}
