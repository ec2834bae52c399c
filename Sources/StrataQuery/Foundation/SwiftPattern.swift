// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A regular expression of Swift, `/B.m/`, in the form that `#Predicate` has.
struct SwiftPattern: Sendable {
  private let pattern: PredicateExpressions.PredicateRegex

  init(_ pattern: PredicateExpressions.PredicateRegex) { self.pattern = pattern }

  /// Whether the pattern occurs in the text; false if matching exceeds the engine's limits.
  func occurs(in text: String) -> Bool { (try? pattern.regex.firstMatch(in: text)) != nil }
}

/// Whether a regular expression of Swift occurs in a text. Swift's engine evaluates it for each
/// object, which takes some microseconds. No index is used.
struct PatternMatch: PredicateNode {
  let text: any OperandNode
  let pattern: SwiftPattern

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    try resolver.text(text).condition(TextTest(name: "contains pattern") { pattern.occurs(in: $0) })
  }
}
