// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Ranges: `(1...10).contains($0.age)` as for Swift's ranges, or `$0.age.isIn(1...10)`. Core Data:
// BETWEEN. A range becomes two comparisons, which the planner joins.

extension PropertyPath {
  /// Whether the value is within `range`. Core Data: BETWEEN.
  public func isIn(_ range: ClosedRange<Leaf>) -> FetchPredicate where Leaf: AttributeValue {
    isWithin(range.lowerBound, range.upperBound, isClosed: true)
  }

  /// Whether the value is within `range`.
  public func isIn(_ range: Range<Leaf>) -> FetchPredicate where Leaf: AttributeValue {
    isWithin(range.lowerBound, range.upperBound, isClosed: false)
  }

  /// Whether the value is not nil and within `range`. Core Data: BETWEEN.
  public func isIn<V: AttributeValue>(_ range: ClosedRange<V>) -> FetchPredicate where Leaf == V? {
    isWithin(range.lowerBound, range.upperBound, isClosed: true)
  }

  /// Whether the value is not nil and within `range`.
  public func isIn<V: AttributeValue>(_ range: Range<V>) -> FetchPredicate where Leaf == V? {
    isWithin(range.lowerBound, range.upperBound, isClosed: false)
  }
}

extension PropertyPath {
  /// Whether the value is within a range, in the order of the type's `<`.
  private func isWithin<V: AttributeValue & Comparable>(
    _ lower: V, _ upper: V, isClosed: Bool
  ) -> FetchPredicate {
    guard let ranks = V._ranks else {
      let bounds = ListNode([Constant(lower.value), Constant(upper.value)])
      return FetchPredicate(Between(operand, bounds, isClosed: isClosed))
    }
    guard let first = ranks.rank(of: lower.value), let last = ranks.rank(of: upper.value) else {
      return FetchPredicate(value: false)
    }
    return isAmong(ranks.values(where: { first <= $0 && (isClosed ? $0 <= last : $0 < last) }))
  }
}

extension ClosedRange where Bound: AttributeValue {
  /// Whether the value at `path` is within the range. Core Data: BETWEEN.
  public func contains<Root>(_ path: PropertyPath<Root, Bound>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether the value at `path` is not nil and within the range. Core Data: BETWEEN.
  public func contains<Root>(_ path: PropertyPath<Root, Bound?>) -> FetchPredicate {
    path.isIn(self)
  }
}

extension Range where Bound: AttributeValue {
  /// Whether the value at `path` is within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether the value at `path` is not nil and within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound?>) -> FetchPredicate {
    path.isIn(self)
  }
}
