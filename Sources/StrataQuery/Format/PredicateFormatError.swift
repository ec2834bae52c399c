// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
}

extension PredicateFormatError: CustomStringConvertible {
  public var description: String {
    "At character \(position): found \(found), expected \(expected)."
  }
}

extension PredicateFormatError: LocalizedError {
  /// The error in plain English, as in `description`.
  public var errorDescription: String? { description }
}
