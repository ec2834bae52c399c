// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A way from an object to one of its properties, or on through to-one relationships to a property
/// of another object: what `$0` is, and what `$0.country.name` is, in `City.where { … }`. Or on to a
/// member of a `Codable` attribute: `$0.address.city`.
///
/// It exists so that predicates are written in Swift, checked by the compiler and completed by the
/// editor, and yet stay data that a store can plan an index for. Core Data: key path expressions.
///
/// An optional relationship is passed with a plain dot, `$0.country.name`. If there is no country,
/// the whole path has no value.
///
/// What is calculated from properties, `$0.population * 2` or `$0.cities.count`, is one too, so that
/// all operators apply to it.
@dynamicMemberLookup
public struct PropertyPath<Root, Leaf>: Sendable {
  private let origin: PathOrigin
  /// One key path per step, from the origin on. Empty for the object itself.
  private let keyPathSteps: [any AnyKeyPath & Sendable]

  fileprivate init(_ origin: PathOrigin, _ keyPathSteps: [any AnyKeyPath & Sendable] = []) {
    self.origin = origin
    self.keyPathSteps = keyPathSteps
  }

  /// The path to a property of what this path leads to.
  public subscript<Next>(
    dynamicMember step: KeyPath<Leaf, Next> & Sendable
  ) -> PropertyPath<Root, Next> {
    PropertyPath<Root, Next>(origin, keyPathSteps + [step])
  }

  /// The path to a property of the object that an optional relationship leads to.
  public subscript<Target, Next>(
    dynamicMember step: KeyPath<Target, Next> & Sendable
  ) -> PropertyPath<Root, Next> where Leaf == Target? {
    PropertyPath<Root, Next>(origin, keyPathSteps + [step])
  }
}

/// What a path begins at.
private enum PathOrigin: Sendable {
  /// The object that a predicate is about, or the element that a condition on a collection is.
  case object(Scope?)
  /// A filtered collection.
  case collection(CollectionNode)
  /// A calculated value.
  case calculated(any OperandNode)
}

extension PropertyPath where Root == Leaf {
  /// The object that a predicate is about: `$0`.
  public init() { self.init(.object(nil)) }

  /// The element that a condition on a collection is about.
  init(at scope: Scope) { self.init(.object(scope)) }
}

// MARK: - As an operand

extension PropertyPath {
  /// A calculated value.
  package init(calculated operand: any OperandNode) { self.init(.calculated(operand)) }

  /// A filtered collection.
  init(_ collection: CollectionNode) { self.init(.collection(collection)) }

  /// The path as it stands beside an operator.
  package var operand: any OperandNode {
    if case .calculated(let operand) = origin, keyPathSteps.isEmpty { return operand }
    return PathNode(reference)
  }

  /// The path as a to-many relationship.
  var collection: CollectionNode {
    if case .collection(let collection) = origin, keyPathSteps.isEmpty { return collection }
    return CollectionNode(reference)
  }

  /// From a calculated value or a filtered collection no step goes on to a stored property: the
  /// first that is tried is reported.
  private var reference: PathReference {
    if case .object(let scope) = origin { return PathReference(scope: scope, keyPathSteps) }
    return PathReference(keyPathSteps)
  }
}

// MARK: - Beside a constant

extension PropertyPath {
  func compared(_ comparison: ComparisonOperator, _ constant: Value) -> FetchPredicate {
    FetchPredicate(Comparison(operand, comparison, Constant(constant)))
  }

  func isAmong(_ constants: [Value]) -> FetchPredicate {
    FetchPredicate(
      Membership(left: operand, right: ListNode(elements: constants.map { Constant($0) })))
  }

  func matches(
    _ part: TextPart, _ text: String, _ options: TextOptions
  ) -> FetchPredicate {
    FetchPredicate(TextMatch(operand, part, Constant(.string(text)), options))
  }
}
