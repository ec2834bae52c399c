// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// `(1...10).contains($0.age)`, as for Swift's own ranges, or from left to right,
// `$0.age.isIn(1...10)`. Core Data: BETWEEN. A range is its two comparisons: the planner joins them.

extension PropertyPath {
  /// Whether the value is within `range`.
  public func isIn(_ range: ClosedRange<Leaf>) -> FetchPredicate where Leaf: AttributeValue {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether the value is within `range`.
  public func isIn(_ range: Range<Leaf>) -> FetchPredicate where Leaf: AttributeValue {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether there is a value and it is within `range`.
  public func isIn<V: AttributeValue>(_ range: ClosedRange<V>) -> FetchPredicate where Leaf == V? {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Whether there is a value and it is within `range`.
  public func isIn<V: AttributeValue>(_ range: Range<V>) -> FetchPredicate where Leaf == V? {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension ClosedRange where Bound: AttributeValue {
  /// Whether the value at `path` is within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether there is a value at `path` and it is within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound?>) -> FetchPredicate {
    path.isIn(self)
  }
}

extension Range where Bound: AttributeValue {
  /// Whether the value at `path` is within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether there is a value at `path` and it is within the range.
  public func contains<Root>(_ path: PropertyPath<Root, Bound?>) -> FetchPredicate {
    path.isIn(self)
  }
}
