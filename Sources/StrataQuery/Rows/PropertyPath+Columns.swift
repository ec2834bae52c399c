// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// What only columns are made of: aggregates of many objects, IDs, and values that may be missing.

extension PropertyPath where Leaf: Calculable {
  /// The sum of the value over the objects of a group; those without one are left out, and the sum of
  /// nothing is 0. It has no value beyond 64 bits. Core Data: `sum:`.
  public func sum() -> PropertyPath<Root, Leaf.Sum> { aggregate(.sum) }

  /// The average of the value over the objects of a group that have one; none if no object has.
  /// Core Data: `average:`.
  public func average() -> PropertyPath<Root, Leaf.Average?> { aggregate(.average) }
}

extension PropertyPath where Leaf: AttributeValue & Comparable {
  /// The least value in a group; none if no object has one. Core Data: `min:`.
  public func min() -> PropertyPath<Root, Leaf?> { aggregate(.min) }

  /// The greatest value in a group; none if no object has one. Core Data: `max:`.
  public func max() -> PropertyPath<Root, Leaf?> { aggregate(.max) }
}

extension PropertyPath where Leaf: OptionalValue, Leaf.Wrapped: Comparable {
  /// The least value in a group; none if no object has one. Core Data: `min:`.
  public func min() -> PropertyPath<Root, Leaf.Wrapped?> { aggregate(.min) }

  /// The greatest value in a group; none if no object has one. Core Data: `max:`.
  public func max() -> PropertyPath<Root, Leaf.Wrapped?> { aggregate(.max) }
}

extension PropertyPath {
  /// How many objects of a group have a value; of `$0` itself, how many there are.
  /// Core Data: `count:`.
  public func rowCount() -> PropertyPath<Root, Int> { aggregate(.count) }

  /// How many different values the objects of a group have.
  public func distinctCount() -> PropertyPath<Root, Int> { aggregate(.distinctCount) }

  private func aggregate<Result>(
    _ function: RowAggregateNode.Function
  ) -> PropertyPath<Root, Result> {
    PropertyPath<Root, Result>(calculated: RowAggregateNode(function, of: operand))
  }
}

/// The type of an optional attribute.
public protocol OptionalValue: AttributeValue {
  associatedtype Wrapped: AttributeValue
}

extension Optional: OptionalValue where Wrapped: AttributeValue {}

// MARK: - Nil

extension PropertyPath where Leaf: ColumnValue {
  /// The same value, nil where there is none: for a column whose type has no nil, as a path through a
  /// relationship that may lead nowhere.
  public var orNil: PropertyPath<Root, Leaf?> { PropertyPath<Root, Leaf?>(calculated: operand) }
}

// MARK: - IDs

/// The type of a to-one relationship's property, `Country?`.
public protocol ToOneTarget {}

extension Optional: ToOneTarget where Wrapped: AnyObject {}

extension PropertyPath where Leaf: ToOneTarget {
  /// The ID of the object that the relationship leads to; no object is looked at.
  public var objectID: PropertyPath<Root, ObjectID?> {
    PropertyPath<Root, ObjectID?>(calculated: operand)
  }
}

extension PropertyPath where Root == Leaf, Root: AnyObject {
  /// The ID of the object itself.
  public var objectID: PropertyPath<Root, ObjectID> {
    PropertyPath<Root, ObjectID>(calculated: operand)
  }
}
