// SPDX-License-Identifier: Apache-2.0

// The tests of `String` by its own names. Core Data: BEGINSWITH, ENDSWITH, CONTAINS without [cd].

extension PropertyPath where Leaf == String {
  /// Whether the text begins with `prefix`. An index answers it. Every text begins with "".
  public func hasPrefix(_ prefix: String) -> FetchPredicate {
    TextMatch.predicate(self, .prefix, prefix)
  }

  /// Whether the text ends with `suffix`. No index answers it.
  public func hasSuffix(_ suffix: String) -> FetchPredicate {
    TextMatch.predicate(self, .suffix, suffix)
  }

  /// Whether `text` occurs in the text. No index answers it.
  public func contains(_ text: String) -> FetchPredicate { TextMatch.predicate(self, .infix, text) }
}

extension PropertyPath where Leaf == String? {
  /// Whether there is text and it begins with `prefix`. An index answers it.
  public func hasPrefix(_ prefix: String) -> FetchPredicate {
    TextMatch.predicate(self, .prefix, prefix)
  }

  /// Whether there is text and it ends with `suffix`. No index answers it.
  public func hasSuffix(_ suffix: String) -> FetchPredicate {
    TextMatch.predicate(self, .suffix, suffix)
  }

  /// Whether there is text and `text` occurs in it. No index answers it.
  public func contains(_ text: String) -> FetchPredicate { TextMatch.predicate(self, .infix, text) }
}
