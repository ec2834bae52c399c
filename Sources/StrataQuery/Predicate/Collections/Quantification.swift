// SPDX-License-Identifier: Apache-2.0

/// Whether a condition holds of any, all or none of a collection's members. Core Data: ANY, ALL,
/// NONE. Of no members, all satisfy every condition and none does.
struct Quantification: PredicateNode {
  enum Quantifier: String, Sendable {
    case any, all, none
  }

  let quantifier: Quantifier
  let collection: CollectionNode
  /// Where paths begin at a member.
  let scope: Scope
  let condition: any PredicateNode

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let collection = try collection.resolved(by: resolver)
    let inner = resolver.entering(scope, collection.destination)
    return quantifier.condition(collection, try condition.resolved(by: inner))
  }
}

extension Quantification.Quantifier {
  /// "All" is that none does not, and "none" that not any does: the search ends at the first that
  /// decides.
  func condition(_ collection: ResolvedCollection, _ condition: any Condition) -> any Condition {
    switch self {
    case .any: AnyMember(collection: collection, condition: condition)
    case .none: Not(AnyMember(collection: collection, condition: condition))
    case .all: Not(AnyMember(collection: collection, condition: Not(condition)))
    }
  }
}
