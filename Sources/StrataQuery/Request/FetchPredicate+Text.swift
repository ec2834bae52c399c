// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// The tests of `String` by its own names. Core Data: BEGINSWITH, ENDSWITH, CONTAINS, LIKE, MATCHES,
// with [c] and [d].

/// The type of a property with text: `String` or `String?`. What has no text satisfies none of the
/// tests of texts.
public protocol TextValue: AttributeValue {}

extension String: TextValue {}

extension Optional: TextValue where Wrapped == String {}

extension PropertyPath where Leaf: TextValue {
  /// Whether the text is equal to another. An index answers it only without options.
  public func isEqual(to text: String, options: TextOptions) -> FetchPredicate {
    FetchPredicate(Comparison(operand, .equal, Constant(.string(text)), options))
  }

  /// Whether the text begins with `prefix`. An index answers it, without options. Every text begins
  /// with "".
  public func hasPrefix(_ prefix: String, options: TextOptions = []) -> FetchPredicate {
    matches(.prefix, prefix, options)
  }

  /// Whether the text ends with `suffix`. No index answers it.
  public func hasSuffix(_ suffix: String, options: TextOptions = []) -> FetchPredicate {
    matches(.suffix, suffix, options)
  }

  /// Whether `text` occurs in the text. No index answers it.
  public func contains(_ text: String, options: TextOptions = []) -> FetchPredicate {
    matches(.infix, text, options)
  }

  /// Whether the text is as `pattern` from its beginning to its end, where `?` stands for one
  /// character and `*` for any number of them; `\?`, `\*` and `\\` for themselves. An index answers
  /// what comes before the first wildcard, without options. Core Data: LIKE.
  public func isLike(_ pattern: String, options: TextOptions = []) -> FetchPredicate {
    FetchPredicate(
      WildcardMatch(left: operand, pattern: Constant(.string(pattern)), options: options))
  }

  /// Whether the text matches a regular expression, of ICU's syntax, from its beginning to its
  /// end. A fetch throws `QueryError.invalidPattern` if it is none. No index answers it.
  /// Core Data: MATCHES.
  public func matches(_ pattern: String, options: TextOptions = []) -> FetchPredicate {
    FetchPredicate(
      RegularExpressionMatch(left: operand, pattern: Constant(.string(pattern)), options: options))
  }
}
