// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// Texts without differences of case, or of accents and points, by Unicode's tables and without a
/// locale: comparisons with options fold both texts, and so do the words of an index.
package enum TextFolding {
  /// Returns the text without the ignored differences. O(length).
  ///
  /// - Parameters:
  ///   - ignoresCase: to upper case, then to lower case: "ß" becomes "ss".
  ///   - ignoresDiacritics: without accents and points, in decomposed form (NFD).
  package static func folded(
    _ text: String, case ignoresCase: Bool, diacritics ignoresDiacritics: Bool
  ) -> String {
    if !ignoresCase, !ignoresDiacritics { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return ignoresCase ? text.lowercased() : text }
    // Decomposition comes first, so that canonically equivalent texts fold to the same text.
    var scalars = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if ignoresDiacritics, isDiacriticalMark(scalar) { continue }
      guard ignoresCase else {
        scalars.append(scalar)
        continue
      }
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        scalars.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(scalars)
  }

  /// Whether the scalar is an accent or a point that does not change the identity of its letter: a
  /// non-spacing mark that is an overlay, a Hebrew or Arabic point, or a mark above or below. Vowel
  /// signs of Indic scripts, viramas and the marks of voiced kana have other combining classes.
  private static func isDiacriticalMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
      return false
    }
    switch scalar.properties.canonicalCombiningClass.rawValue {
    case 1, 10...36, 200...: return true
    default: return false
    }
  }
}
