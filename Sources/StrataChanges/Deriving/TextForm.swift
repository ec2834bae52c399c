// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

extension ResolvedDerivation.TextForm {
  /// `text` in this form.
  func form(of text: String) -> String {
    switch self {
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    case .canonical: Self.plain(text)
    }
  }

  /// The text without its marks, in lower case. The same everywhere: no locale has a say.
  private static func plain(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.generalCategory != .nonspacingMark {
      plain.append(scalar)
    }
    return String(plain).lowercased().precomposedStringWithCanonicalMapping
  }
}
