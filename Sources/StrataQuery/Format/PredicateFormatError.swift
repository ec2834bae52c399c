// SPDX-License-Identifier: Apache-2.0

/// Why a format string is no predicate: where, what stands there and what should.
///
/// What is the user's own in it, texts and numbers, is not shown.
public struct PredicateFormatError: Error, Sendable, Hashable {
  /// How many characters of the string come before the place.
  public let position: Int
  /// What stands there: a word or a sign of the string, "a text", "the end".
  public let found: String
  /// What could have stood there.
  public let expected: String
}

extension PredicateFormatError: CustomStringConvertible {
  public var description: String {
    "At character \(position): found \(found), expected \(expected)."
  }
}
