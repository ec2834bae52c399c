// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A regular expression of Swift's, `/B.m/`, as `#Predicate` has it.
struct SwiftPattern: Sendable {
  private let pattern: PredicateExpressions.PredicateRegex

  init(_ pattern: PredicateExpressions.PredicateRegex) { self.pattern = pattern }

  /// Whether it occurs in the text. What fails to match within the engine's limits does not occur.
  func occurs(in text: String) -> Bool { (try? pattern.regex.firstMatch(in: text)) != nil }
}

/// Whether a regular expression of Swift's occurs in a text. Asked of each object by Swift's own
/// engine, which is slow: some microseconds. No index answers it.
struct PatternMatch: PredicateNode {
  let text: any OperandNode
  let pattern: SwiftPattern

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    try resolver.text(text).condition(TextTest("contains pattern") { pattern.occurs(in: $0) })
  }
}
