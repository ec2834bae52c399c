// SPDX-License-Identifier: Apache-2.0
public import StrataModel
public import StrataRecord

// Conditions on to-many relationships: `$0.cities.any { $0.population > 5 }`. The closure's `$0` is
// a member. The closure may also use paths of the objects outside of it. `any` can be answered by
// an index of the members: the fetch walks the index and follows the relationship back to the
// members' owners.

extension PropertyPath where Leaf: Sequence, Leaf.Element: AnyObject {
  /// A path that begins at a member of the relationship.
  public typealias Member = PropertyPath<Leaf.Element, Leaf.Element>

  /// Whether at least one member satisfies `condition`; false if there are no members. Core Data:
  /// ANY.
  public func any(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    quantified(.any, condition)
  }

  /// Whether every member satisfies `condition`; true if there are no members. Core Data: ALL.
  public func all(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    quantified(.all, condition)
  }

  /// Whether no member satisfies `condition`; true if there are no members. Core Data: NONE.
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

  /// The members that satisfy `condition`, to be counted or aggregated. Core Data: SUBQUERY.
  public func filter(_ condition: (Member) -> FetchPredicate) -> PropertyPath<Root, Leaf> {
    let scope = Scope()
    return PropertyPath(collection.filtered(scope, condition(Member(at: scope)).node))
  }

  /// Whether the object with this ID is a member.
  public func contains(_ id: ObjectID) -> FetchPredicate { any { $0 == id } }

  /// Whether the relationship has no members.
  public var isEmpty: FetchPredicate { count == 0 }

  /// The number of members; 0 if a to-one relationship on the path is nil. Core Data: `@count`.
  public var count: PropertyPath<Root, Int> {
    PropertyPath<Root, Int>(calculated: CountNode(collection))
  }
}

// MARK: - Aggregates

// The closure's result selects the overload: for a value or for an optional value.
// swift-format-ignore: AmbiguousTrailingClosureOverload
extension PropertyPath where Leaf: Sequence, Leaf.Element: AnyObject {
  /// The sum of a number over the members, without nil; 0 if no member has a value. A sum of
  /// integers has 64 bits, whatever the attribute's type; a sum beyond that is nil: see
  /// `QueryError.noValue`. Core Data: `@sum`.
  public func sum<V: Calculable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V.Sum> {
    aggregate(.sum, value)
  }

  /// The average of a number over the members, without nil; nil if no member has a value. It is a
  /// `Decimal` for decimals, and a `Double` for other numbers. Core Data: `@avg`.
  public func average<V: Calculable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V.Average?> {
    aggregate(.average, value)
  }

  /// The least value among the members, without nil; nil if no member has a value. Core Data:
  /// `@min`.
  public func min<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V?> {
    extreme(.min, value, V.self)
  }

  /// The least value among the members, without nil; nil if no member has a value. Core Data:
  /// `@min`.
  public func min<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V?>
  ) -> PropertyPath<Root, V?> {
    extreme(.min, value, V.self)
  }

  /// The greatest value among the members, without nil; nil if no member has a value. Core Data:
  /// `@max`.
  public func max<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V>
  ) -> PropertyPath<Root, V?> {
    extreme(.max, value, V.self)
  }

  /// The greatest value among the members, without nil; nil if no member has a value. Core Data:
  /// `@max`.
  public func max<V: AttributeValue & Comparable>(
    _ value: (Member) -> PropertyPath<Leaf.Element, V?>
  ) -> PropertyPath<Root, V?> {
    extreme(.max, value, V.self)
  }

  private func extreme<V: AttributeValue, Value, Result>(
    _ function: AggregateNode.Function,
    _ value: (Member) -> PropertyPath<Leaf.Element, Value>, _ type: V.Type
  ) -> PropertyPath<Root, Result> {
    let scope = Scope()
    let element = value(Member(at: scope)).operand
    return PropertyPath<Root, Result>(
      calculated: element.extreme(type) {
        AggregateNode(function: function, collection: collection, scope: scope, element: $0)
      })
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
