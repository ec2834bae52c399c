// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the character could change the state of a terminal or mislead a reader: control
  /// characters, separators of lines, and characters that change the direction of the text around
  /// them. A stored value may have been chosen by an attacker.
  package var isUnsafeInTerminal: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
      0xFEFF:
      true
    default: false
    }
  }
}

extension String {
  /// The text with each unsafe character as an escape: `\u{1b}`, and `\n` for a line feed.
  package var safeInTerminal: String {
    guard unicodeScalars.contains(where: \.isUnsafeInTerminal) else { return self }
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if !scalar.isUnsafeInTerminal {
        safe.append(scalar)
      } else {
        let escape =
          switch scalar {
          case "\n": "\\n"
          case "\r": "\\r"
          case "\t": "\\t"
          default: "\\u{\(String(scalar.value, radix: 16))}"
          }
        safe.append(contentsOf: escape.unicodeScalars)
      }
    }
    return String(safe)
  }
}
