// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// Texts without differences of case, or of accents and points, by Unicode's tables and without a
/// locale. There is one folding: of comparisons with options, of the words of an index, of derived
/// `.canonical` texts, and of `TextOptions.folded(_:)` for programs.
package enum TextFolding {
  /// The number of this folding. A store notes the number of the folding by which its derived texts
  /// were made, and the format of the catalog says whether its words were made by this one. A
  /// folding that gives other texts has another number, and another format.
  package static var number: UInt8 { 2 }

  /// Returns the text without the ignored differences. O(length).
  ///
  /// - Parameters:
  ///   - ignoresCase: as Unicode's case folding (CaseFolding.txt, C and F) makes texts equal: "ß",
  ///     "ẞ" and "SS" become "ss".
  ///   - ignoresDiacritics: without accents and points, in decomposed form (NFD).
  package static func folded(
    _ text: String, case ignoresCase: Bool, diacritics ignoresDiacritics: Bool
  ) -> String {
    if !ignoresCase, !ignoresDiacritics { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return ignoresCase ? text.lowercased() : text }
    // Decomposition comes first, so that canonically equivalent texts fold to the same text.
    var scalars = String.UnicodeScalarView()
    for scalar in text.withOrderedMarks.decomposedStringWithCanonicalMapping.unicodeScalars {
      if ignoresDiacritics, isDiacriticalMark(scalar) { continue }
      guard ignoresCase else {
        scalars.append(scalar)
        continue
      }
      appendFolded(scalar, to: &scalars)
    }
    return String(scalars)
  }

  /// Appends the scalar without its case. It is folded twice: "ẞ" has no upper case, and becomes
  /// "ß" the first time.
  private static func appendFolded(
    _ scalar: Unicode.Scalar, to scalars: inout String.UnicodeScalarView
  ) {
    forEachFolded(scalar) { once in
      // Most letters are small ones, which stay.
      if once == scalar { return scalars.append(once) }
      forEachFolded(once) { scalars.append($0) }
    }
  }

  /// Calls `body` with the scalars of the scalar's upper case, in lower case.
  @inline(__always)
  private static func forEachFolded(_ scalar: Unicode.Scalar, _ body: (Unicode.Scalar) -> Void) {
    for upper in scalar.properties.uppercaseMapping.unicodeScalars {
      for lower in upper.properties.lowercaseMapping.unicodeScalars { body(lower) }
    }
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
