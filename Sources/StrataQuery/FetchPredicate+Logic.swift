// SPDX-License-Identifier: Apache-2.0

/// Whether both hold. Nothing is evaluated while a predicate is built, so the right side is no
/// closure.
public func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Conjunction(left.node, right.node))
}

/// Whether one of them holds, or both.
public func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Disjunction(left.node, right.node))
}

/// Whether it does not hold.
public prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Negation(predicate.node))
}
