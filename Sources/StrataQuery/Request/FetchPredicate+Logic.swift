// SPDX-License-Identifier: Apache-2.0

/// Whether both predicates are true. No object is evaluated while a predicate is built, so the
/// right side is not a closure.
public func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Conjunction(left.node, right.node))
}

/// Whether at least one of two predicates is true.
public func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Disjunction(left.node, right.node))
}

/// Whether a predicate is false.
public prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
  FetchPredicate(Negation.negating(predicate.node))
}

extension FetchPredicate {
  /// Creates a predicate that is true for every object, or for none. Core Data:
  /// `NSPredicate(value:)`.
  public init(value: Bool) { self.init(Verdict(isTrue: value)) }
}
