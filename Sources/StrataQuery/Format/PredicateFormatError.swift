// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
package import StrataPrimitives

/// An error in a format string: its position, the token found and the token expected.
///
/// The error does not show the user's texts and numbers.
public struct PredicateFormatError: Error, Sendable, Hashable {
  /// The number of characters before the error.
  public let position: Int
  /// The token at the position: a word or a sign of the string, "a text", "a number" or "the end";
  /// inside of quotation marks, "a character". Of a word, at most 32 characters are shown.
  public let found: String
  /// A description of the tokens that the grammar allows at the position.
  public let expected: String

  package init(position: Int, found: String, expected: String) {
    self.position = position
    self.found = found
    self.expected = expected
  }
}

extension PredicateFormatError: LocalizedError, CustomStringConvertible, ExplainedError {
  package var explanation: ErrorExplanation {
    ErrorExplanation(
      "The format string has an error at character \(position).",
      because: "There it has \(found), and expected is \(expected).",
      remedy: "Correct the format string at that character.")
  }
}
