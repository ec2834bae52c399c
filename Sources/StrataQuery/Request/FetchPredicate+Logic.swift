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

extension FetchPredicate {
  /// Holds of every object, or of none. Core Data: `NSPredicate(value:)`.
  public init(value: Bool) { self.init(Verdict(isTrue: value)) }
}
