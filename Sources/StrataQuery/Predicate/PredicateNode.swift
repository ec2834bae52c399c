// SPDX-License-Identifier: Apache-2.0

/// One operator of a predicate, over key paths as they were written.
///
/// A later operator is one more conforming type: nothing else lists them.
package protocol PredicateNode: Sendable {
  /// The condition with its key paths turned into slots, its variables into their values, and its
  /// constants checked.
  ///
  /// - Throws: `QueryError`, if a key path is none of a stored property.
  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition
}

/// An operator whose left side may be the elements of a collection: `ANY cities.name LIKE "B*"`.
protocol OperatorNode: PredicateNode {
  var left: any OperandNode { get set }
}

extension Verdict: PredicateNode {
  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition { self }
}
