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

  /// A description of the token that does not show the user's texts and numbers.
  var found: String {
    switch kind {
    case .word(let text): "“\(text)”"
    case .name(let text): "“#\(text)”"
    case .variable(let text): "“$\(text)”"
    case .collectionOperator(let text): "“@\(text)”"
    case .placeholder(let text): "“%\(text)”"
    case .sign(let text): "“\(text)”"
    case .text: "a text"
    case .number: "a number"
    case .end: "the end"
    }
  }
}
