// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A path from an object to one of its properties, or through to-one relationships to a property of
/// another object: the type of `$0` and of `$0.country.name` in `City.where { … }`. A path may also
/// end at a member of a `Codable` attribute: `$0.address.city`.
///
/// Property paths let predicates be written in Swift, checked by the compiler and completed by the
/// editor, and remain data for which the store can plan an index. Core Data: key path expressions.
///
/// A path goes through an optional relationship with a plain dot: `$0.country.name`. If the country
/// is nil, so is the value of the path.
///
/// Values that are calculated from properties have the same type, so that all operators apply to
/// them: `$0.population * 2`, `$0.cities.count`.
@dynamicMemberLookup
public struct PropertyPath<Root, Leaf>: Sendable {
  private let origin: PathOrigin
  /// The key paths of the steps, in order from the origin. Empty for the object itself.
  private let keyPathSteps: [any AnyKeyPath & Sendable]

  fileprivate init(_ origin: PathOrigin, _ keyPathSteps: [any AnyKeyPath & Sendable] = []) {
    self.origin = origin
    self.keyPathSteps = keyPathSteps
  }

  /// The path to a property of the object or value at the end of this path.
  public subscript<Next>(
    dynamicMember step: KeyPath<Leaf, Next> & Sendable
  ) -> PropertyPath<Root, Next> {
    PropertyPath<Root, Next>(origin, keyPathSteps + [step])
  }

  /// The path to a property of an optional relationship's target.
  public subscript<Target, Next>(
    dynamicMember step: KeyPath<Target, Next> & Sendable
  ) -> PropertyPath<Root, Next> where Leaf == Target? {
    PropertyPath<Root, Next>(origin, keyPathSteps + [step])
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
  package init(calculated operand: any OperandNode) { self.init(.calculated(operand)) }

  /// Creates the path of a filtered collection.
  init(_ collection: CollectionNode) { self.init(.collection(collection)) }

  /// The path as an operand of a predicate.
  package var operand: any OperandNode {
    if case .calculated(let operand) = origin, keyPathSteps.isEmpty { return operand }
    return PathNode(reference)
  }

  /// The path as a to-many relationship.
  var collection: CollectionNode {
    if case .collection(let collection) = origin, keyPathSteps.isEmpty { return collection }
    return CollectionNode(reference)
  }

  /// The path as a reference to a stored property. Steps from a calculated value or a filtered
  /// collection lead to no stored property: the first step is then reported as unknown.
  private var reference: PathReference {
    if case .object(let scope) = origin { return PathReference(scope: scope, keyPathSteps) }
    return PathReference(keyPathSteps)
  }
}

// MARK: - Beside a constant

extension PropertyPath {
  func compared(_ comparison: ComparisonOperator, _ constant: PropertyValue) -> FetchPredicate {
    FetchPredicate(Comparison(operand, comparison, Constant(constant)))
  }

  func isAmong(_ constants: [PropertyValue]) -> FetchPredicate {
    FetchPredicate(
      Membership(left: operand, right: ListNode(elements: constants.map { Constant($0) })))
  }

  func matches(
    _ part: TextPart, _ text: String, _ options: TextOptions
  ) -> FetchPredicate {
    FetchPredicate(TextMatch(operand, part, Constant(.string(text)), options))
  }
}
