// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

extension ResolvedDerivation.TextForm {
  /// `text` in this form. The same everywhere: no locale has a say.
  package func form(of text: String) -> String {
    switch self {
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    case .canonical:
      TextFolding.folded(text, case: true, diacritics: true).precomposedStringWithCanonicalMapping
    }
  }
}
