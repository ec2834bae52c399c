// SPDX-License-Identifier: Apache-2.0

/// One operator of a predicate, over key paths as they were written.
///
/// A later operator is one more conforming type: nothing else lists them.
package protocol PredicateNode: Sendable {
  /// The condition with its key paths turned into slots and its constants checked.
  ///
  /// - Throws: `QueryError`, if a key path is none of a stored property.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition

  /// The node with constants instead of variables, as far as `values` has them.
  func substituting(_ values: Substitution) -> any PredicateNode
}

extension PredicateNode {
  package func substituting(_ values: Substitution) -> any PredicateNode { self }
}

extension Verdict: PredicateNode {
  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition { self }
}
