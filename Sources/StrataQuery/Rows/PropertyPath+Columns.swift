// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// Operands that are used only in columns: aggregates of many objects, IDs, and optional values.

extension PropertyPath where Leaf: Calculable {
  /// The sum of the value over the objects of a group, without nil; 0 if no object has a value. A
  /// sum beyond 64 bits is nil: see `QueryError.noValue`. Core Data: `sum:`.
  public func sum() -> PropertyPath<Root, Leaf.Sum> { aggregate(.sum) }

  /// The average of the value over the objects of a group, without nil; nil if no object has a
  /// value. Core Data: `average:`.
  public func average() -> PropertyPath<Root, Leaf.Average?> { aggregate(.average) }
}

extension PropertyPath where Leaf: AttributeValue & Comparable {
  /// The least value in a group; nil if no object has a value. Core Data: `min:`. A context has
  /// `minimum(_:of:)`, for the objects of a request.
  public func min() -> PropertyPath<Root, Leaf?> { extreme(.min, Leaf.self) }

  /// The greatest value in a group; nil if no object has a value. Core Data: `max:`. A context has
  /// `maximum(_:of:)`, for the objects of a request.
  public func max() -> PropertyPath<Root, Leaf?> { extreme(.max, Leaf.self) }
}

extension PropertyPath where Leaf: _OptionalValue, Leaf.Wrapped: Comparable {
  /// The least value in a group, without nil; nil if no object has a value. Core Data: `min:`.
  public func min() -> PropertyPath<Root, Leaf.Wrapped?> { extreme(.min, Leaf.self) }

  /// The greatest value in a group, without nil; nil if no object has a value. Core Data: `max:`.
  public func max() -> PropertyPath<Root, Leaf.Wrapped?> { extreme(.max, Leaf.self) }
}

extension PropertyPath {
  /// The number of objects in a group that have a value; for `$0` itself, the number of objects.
  /// Core Data: `count:`.
  public func rowCount() -> PropertyPath<Root, Int> { aggregate(.count) }

  /// The number of different values that the objects of a group have.
  public func distinctCount() -> PropertyPath<Root, Int> { aggregate(.distinctCount) }

  private func extreme<V: AttributeValue, Result>(
    _ function: RowAggregateNode.Function, _ type: V.Type
  ) -> PropertyPath<Root, Result> {
    PropertyPath<Root, Result>(
      calculated: operand.extreme(type) { RowAggregateNode(function: function, element: $0) })
  }

  private func aggregate<Result>(
    _ function: RowAggregateNode.Function
  ) -> PropertyPath<Root, Result> {
    PropertyPath<Root, Result>(calculated: RowAggregateNode(function: function, element: operand))
  }
}

/// The type of an optional attribute.
public protocol _OptionalValue: AttributeValue {
  associatedtype Wrapped: AttributeValue
}

extension Optional: _OptionalValue where Wrapped: AttributeValue {}

// MARK: - Nil

extension PropertyPath {
  /// The same value as an optional, for a column of rows whose calculation may have no result:
  /// `PropertyPath<Stop, Int?>($0.distance / $0.time)` is nil after a division by zero.
  public init<Wrapped: ColumnValue>(_ path: PropertyPath<Root, Wrapped>) where Leaf == Wrapped? {
    self.init(calculated: path.operand)
  }
}

// MARK: - IDs

/// The type of a to-one relationship's property, `Country?`.
public protocol _ToOneTarget {}

extension Optional: _ToOneTarget where Wrapped: AnyObject {}

extension PropertyPath where Leaf: _ToOneTarget {
  /// The ID of the relationship's target; nil if there is no target. No record of the target is
  /// read.
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
