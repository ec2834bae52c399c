// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A path from an object to one of its properties, or through to-one relationships to a property of
/// another object: the type of `$0` and of `$0.country.name` in `City.where { … }`. A path may also
/// end at a member of a `Codable` attribute: `$0.address.city`.
///
/// Property paths let predicates be written in Swift, checked by the compiler and completed by the
/// editor, and remain data for which the store can plan an index. Core Data: key path expressions.
///
/// A path goes through an optional relationship with a plain dot: `$0.country.name`. If the country
/// is nil, so is the value of the path: its type is `String?`.
///
/// Values that are calculated from properties have the same type, so that all operators apply to
/// them: `$0.population * 2`, `$0.cities.count`.
@dynamicMemberLookup
public struct PropertyPath<Root, Leaf>: Sendable {
  fileprivate let origin: PathOrigin
  /// The steps, in order from the origin. Empty for the object itself.
  fileprivate let steps: [PathStep]

  fileprivate init(_ origin: PathOrigin, _ steps: [PathStep] = []) {
    self.origin = origin
    self.steps = steps
  }

  /// The path to a property of the object or value at the end of this path.
  public subscript<Next>(
    dynamicMember step: KeyPath<Leaf, Next> & Sendable
  ) -> PropertyPath<Root, Next> {
    PropertyPath<Root, Next>(origin, steps + .keyPath(step))
  }

  /// The path to a property of an optional relationship's target. The value is nil if there is no
  /// target.
  public subscript<Target, Next>(
    dynamicMember step: KeyPath<Target, Next> & Sendable
  ) -> PropertyPath<Root, Next?> where Leaf == Target? {
    PropertyPath<Root, Next?>(origin, steps + .keyPath(step))
  }

  /// The path to an optional property of an optional relationship's target.
  public subscript<Target, Next>(
    dynamicMember step: KeyPath<Target, Next?> & Sendable
  ) -> PropertyPath<Root, Next?> where Leaf == Target? {
    PropertyPath<Root, Next?>(origin, steps + .keyPath(step))
  }

  /// The path to a to-many relationship of an optional relationship's target. It has no members if
  /// there is no target.
  public subscript<Target, Next: Sequence>(
    dynamicMember step: KeyPath<Target, Next> & Sendable
  ) -> PropertyPath<Root, Next> where Leaf == Target?, Next.Element: AnyObject {
    PropertyPath<Root, Next>(origin, steps + .keyPath(step))
  }
}

extension PropertyPath {
  /// Creates the path that has one more step than another.
  init<Former>(_ path: PropertyPath<Root, Former>, _ step: any AnyKeyPath & Sendable) {
    self.init(path.origin, path.steps + .keyPath(step))
  }
}

extension [PathStep] {
  /// Returns the steps with one more. Most paths have a single step.
  fileprivate static func + (steps: [PathStep], last: PathStep) -> [PathStep] {
    if steps.isEmpty { return [last] }
    var steps = steps
    steps.append(last)
    return steps
  }
}

/// The beginning of a path.
private enum PathOrigin: Sendable {
  /// The object that a predicate is evaluated for; with a scope, the element of a collection that a
  /// condition is evaluated for.
  case object(Scope?)
  /// A filtered collection.
  case collection(CollectionNode)
  /// A calculated value.
  case calculated(any OperandNode)
}

extension PropertyPath where Root == Leaf {
  /// Creates the path of the object that a predicate is evaluated for: `$0`.
  public init() { self.init(.object(nil)) }

  /// Creates the path of the element that a condition on a collection is evaluated for.
  init(at scope: Scope) { self.init(.object(scope)) }
}

// MARK: - As an operand

extension PropertyPath {
  /// Creates the path of a calculated value.
  package init(calculated operand: any OperandNode) {
    self.init(.calculated(TreeExtent.limited(operand)))
  }

  /// Creates the path of a filtered collection.
  init(_ collection: CollectionNode) { self.init(.collection(collection)) }

  /// The path as an operand of a predicate.
  package var operand: any OperandNode {
    if case .calculated(let operand) = origin, steps.isEmpty { return operand }
    return PathNode(reference)
  }

  /// The path as a to-many relationship.
  var collection: CollectionNode {
    if case .collection(let collection) = origin, steps.isEmpty { return collection }
    return CollectionNode(reference)
  }

  /// The path as a reference to a stored property. Steps from a calculated value or a filtered
  /// collection lead to no stored property: the first step is then reported as unknown.
  private var reference: PathReference {
    if case .object(let scope) = origin { return PathReference(scope: scope, steps: steps) }
    return PathReference(steps: steps)
  }
}

// MARK: - Beside a constant

extension PropertyPath {
  func compared(_ comparison: ComparisonOperator, _ constant: PropertyValue) -> FetchPredicate {
    FetchPredicate(Comparison(operand, comparison, Constant(constant)))
  }

  /// Whether the value precedes or follows a constant, in the order of the type's `<`.
  func ordered<V: AttributeValue>(
    _ comparison: ComparisonOperator, _ constant: V
  ) -> FetchPredicate {
    guard let ranks = V._ranks else { return compared(comparison, constant.value) }
    return ordered(comparison, constant.value, ranks)
  }

  /// Whether the value is an enum's case that precedes or follows a constant.
  func ordered(
    _ comparison: ComparisonOperator, _ constant: PropertyValue, _ ranks: _Ranks
  ) -> FetchPredicate {
    FetchPredicate(ranks.compared(operand, comparison, Constant(constant)))
  }

  /// Whether the value precedes or follows another property's, in the order of the type's `<`.
  func ordered<V: AttributeValue, Other, OtherLeaf>(
    _ comparison: ComparisonOperator, _ other: PropertyPath<Other, OtherLeaf>, _: V.Type
  ) -> FetchPredicate {
    FetchPredicate(
      Comparison(
        RankNode.ranking(operand, V.self), comparison, RankNode.ranking(other.operand, V.self)))
  }

  func isAmong(_ constants: [PropertyValue]) -> FetchPredicate {
    FetchPredicate(
      Membership(left: operand, right: ListNode(constants.map { Constant($0) })))
  }

  func matches(
    _ part: TextPart, _ text: String, _ options: TextOptions
  ) -> FetchPredicate {
    FetchPredicate(TextMatch(operand, part, Constant(.string(text)), options))
  }
}
