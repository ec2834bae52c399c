// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// One word, sign, text or number of a format string.
struct FormatToken: Sendable {
  enum Kind: Sendable, Hashable {
    /// A keyword or a name.
    case word(String)
    /// A name that is marked as one: `#any`.
    case name(String)
    /// `$x`.
    case variable(String)
    /// `@count`.
    case collectionOperator(String)
    /// `%@`, `%K`, `%d`: the letters after the sign.
    case placeholder(String)
    case text(String)
    case number(PropertyValue)
    /// `==`, `(`, `{`, `&&`.
    case sign(String)
    case end
  }

  let kind: Kind
  /// The position of the token, in scalars.
  let start: Int

  /// The number of characters that a description shows of a word. A text without quotation marks
  /// is read as words, and can be long.
  private static let shownCountMax = 32

  /// A description of the token that does not show the user's texts and numbers. A long word is
  /// cut.
  var found: String {
    switch kind {
    case .word(let text): Self.quoted(text)
    case .name(let text): Self.quoted("#" + text)
    case .variable(let text): Self.quoted("$" + text)
    case .collectionOperator(let text): Self.quoted("@" + text)
    case .placeholder(let text): Self.quoted("%" + text)
    case .sign(let text): Self.quoted(text)
    case .text: "a text"
    case .number: "a number"
    case .end: "the end"
    }
  }

  private static func quoted(_ text: String) -> String {
    let shown = text.prefix(shownCountMax)
    return shown.endIndex < text.endIndex ? "“\(shown)…”" : "“\(text)”"
  }
}
