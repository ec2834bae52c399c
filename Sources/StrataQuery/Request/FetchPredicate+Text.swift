// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Comparisons of texts, named as in `String`. Core Data: BEGINSWITH, ENDSWITH, CONTAINS, LIKE and
// MATCHES, with the options [c] and [d].

/// The type of a text property: `String` or `String?`. nil does not satisfy any comparison of
/// texts.
public protocol TextValue: AttributeValue {}

extension String: TextValue {}

extension Optional: TextValue where Wrapped == String {}

extension PropertyPath where Leaf: TextValue {
  /// Whether the text is equal to `text` under `options`. An index is used only if there are no
  /// options.
  public func isEqual(to text: String, options: TextOptions) -> FetchPredicate {
    FetchPredicate(Comparison(operand, .equal, Constant(.string(text)), options))
  }

  /// Whether the text begins with `prefix`. Every text begins with "". An index is used only if
  /// there are no options. Core Data: BEGINSWITH.
  public func hasPrefix(_ prefix: String, options: TextOptions = []) -> FetchPredicate {
    matches(.prefix, prefix, options)
  }

  /// Whether the text ends with `suffix`. No index is used. Core Data: ENDSWITH.
  public func hasSuffix(_ suffix: String, options: TextOptions = []) -> FetchPredicate {
    matches(.suffix, suffix, options)
  }

  /// Whether the text contains `text`. No index is used. Core Data: CONTAINS.
  public func contains(_ text: String, options: TextOptions = []) -> FetchPredicate {
    matches(.infix, text, options)
  }

  /// Whether the whole text matches a wildcard pattern. In `pattern`, `?` stands for one character
  /// and `*` for any number of characters. `\?`, `\*` and `\\` stand for the characters themselves.
  /// If there are no options, an index is used for the part before the first wildcard. Core Data:
  /// LIKE.
  public func isLike(_ pattern: String, options: TextOptions = []) -> FetchPredicate {
    FetchPredicate(
      WildcardMatch(left: operand, pattern: Constant(.string(pattern)), options: options))
  }

  /// Whether the whole text matches a regular expression in ICU's syntax. A fetch throws
  /// `QueryError.invalidPattern` if `pattern` is not a regular expression, and
  /// `QueryError.costlyPattern` if a match takes more than ten million steps. No index is used.
  /// Core Data: MATCHES.
  public func matches(_ pattern: String, options: TextOptions = []) -> FetchPredicate {
    FetchPredicate(
      RegularExpressionMatch(left: operand, pattern: Constant(.string(pattern)), options: options))
  }
}
