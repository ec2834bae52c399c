// SPDX-License-Identifier: Apache-2.0

/// A way from an object to one of its properties, or on through to-one relationships to a property
/// of another object: what `$0` is, and what `$0.country.name` is, in `City.where { … }`. Or on to a
/// member of a `Codable` attribute: `$0.address.city`.
///
/// It exists so that predicates are written in Swift, checked by the compiler and completed by the
/// editor, and yet stay data that a store can plan an index for. Core Data: key path expressions.
///
/// An optional relationship is passed with a plain dot, `$0.country.name`. If there is no country,
/// the whole path has no value.
@dynamicMemberLookup
public struct PropertyPath<Root, Leaf>: Sendable {
  /// One key path per step, from `Root` on. Empty for the object itself.
  package let keyPathSteps: [any AnyKeyPath & Sendable]

  package init(keyPathSteps: [any AnyKeyPath & Sendable]) { self.keyPathSteps = keyPathSteps }

  /// The path to a property of what this path leads to.
  public subscript<Next>(
    dynamicMember step: KeyPath<Leaf, Next> & Sendable
  ) -> PropertyPath<Root, Next> {
    PropertyPath<Root, Next>(keyPathSteps: keyPathSteps + [step])
  }

  /// The path to a property of the object that an optional relationship leads to.
  public subscript<Target, Next>(
    dynamicMember step: KeyPath<Target, Next> & Sendable
  ) -> PropertyPath<Root, Next> where Leaf == Target? {
    PropertyPath<Root, Next>(keyPathSteps: keyPathSteps + [step])
  }
}

extension PropertyPath where Root == Leaf {
  /// The object that a predicate is about: `$0`.
  public init() { keyPathSteps = [] }
}
