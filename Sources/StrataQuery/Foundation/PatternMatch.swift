// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Whether a regular expression of Swift, `/B.m/`, occurs in a text. Swift's engine evaluates it
/// for each object, which takes some microseconds. No index is used. If matching exceeds the
/// engine's limits, the expression does not occur.
struct PatternMatch: PredicateNode {
  let text: any OperandNode
  /// The expression in the form that `#Predicate` has.
  let pattern: PredicateExpressions.PredicateRegex

  var extent: TreeExtent { text.extent.enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    try resolver.text(text).condition(
      TextTest(name: "contains pattern") { (try? pattern.regex.firstMatch(in: $0)) != nil })
  }
}
