// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// To-many relationships: `$0.cities.any { $0.population > 5 }`. The closure's `$0` is a member; paths
// of the object further out can be used in it too. `any` is answered by indexes of the members, from
// which it goes back to those that have them.

extension PropertyPath where Leaf: Sequence, Leaf.Element: AnyObject {
  /// A path that begins at a member.
  public typealias Member = PropertyPath<Leaf.Element, Leaf.Element>

  /// Whether some member satisfies `condition`; false if there are none. Core Data: ANY.
  public func any(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    quantified(.any, condition)
  }

  /// Whether every member satisfies `condition`; true if there are none. Core Data: ALL.
  public func all(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    quantified(.all, condition)
  }

  /// Whether no member satisfies `condition`; true if there are none. Core Data: NONE.
  public func none(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    quantified(.none, condition)
  }

  private func quantified(
    _ quantifier: Quantification.Quantifier, _ condition: (Member) -> FetchPredicate
  ) -> FetchPredicate {
    let scope = Scope()
    return FetchPredicate(
      Quantification(
        quantifier: quantifier, collection: collection, scope: scope,
        condition: condition(Member(at: scope)).node))
  }

  /// Those members which satisfy `condition`: to be counted or added up. Core Data: SUBQUERY.
  public func filter(_ condition: (Member) -> FetchPredicate) -> PropertyPath<Root, Leaf> {
    let scope = Scope()
    return PropertyPath(collection.filtered(scope, condition(Member(at: scope)).node))
  }

  /// Whether the object with this ID is a member.
  public func contains(_ id: ObjectID) -> FetchPredicate { any { $0 == id } }

  /// Whether there are no members.
  public var isEmpty: FetchPredicate { count == 0 }

  /// How many members there are; 0 if the path leads nowhere. Core Data: `@count`.
  public var count: PropertyPath<Root, Int> {
    PropertyPath<Root, Int>(calculated: CountNode(collection: collection))
  }
}

// MARK: - Aggregates

// A value and an optional one are told apart by the closure's result.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension PropertyPath where Leaf: Sequence, Leaf.Element: AnyObject {
  /// The sum of a number that members have; 0 if none has one. Core Data: `@sum`.
  public func sum<V: Calculable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V.Operand> {
    aggregate(.sum, value)
  }

  /// The average of a number, of those members that have it; no value if none has.
  /// Core Data: `@avg`.
  public func average<V: Calculable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, Double?> {
    aggregate(.average, value)
  }

  /// The least value that a member has; no value if none has one. Core Data: `@min`.
  public func min<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V?> {
    aggregate(.min, value)
  }

  /// The least value that a member has; no value if none has one. Core Data: `@min`.
  public func min<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V?>
  ) -> PropertyPath<Root, V?> {
    aggregate(.min, value)
  }

  /// The greatest value that a member has; no value if none has one. Core Data: `@max`.
  public func max<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V?> {
    aggregate(.max, value)
  }

  /// The greatest value that a member has; no value if none has one. Core Data: `@max`.
  public func max<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V?>
  ) -> PropertyPath<Root, V?> {
    aggregate(.max, value)
  }

  private func aggregate<V, Result>(
    _ function: AggregateNode.Function, _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, Result> {
    let scope = Scope()
    return PropertyPath<Root, Result>(
      calculated: AggregateNode(
        function: function, collection: collection, scope: scope,
        element: value(Member(at: scope)).operand))
  }
}
