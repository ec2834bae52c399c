// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The text without characters that a terminal would execute: names in a store are from anyone.
  var plain: String {
    var plain = UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: plain.append("\u{FFFD}")
      default: plain.append(scalar)
      }
    }
    return String(plain)
  }
}
