// SPDX-License-Identifier: Apache-2.0

/// Whether a condition is true for any, all or none of a collection's members. Core Data: ANY, ALL,
/// NONE. For an empty collection, all is true and any is false.
struct Quantification: PredicateNode {
  enum Quantifier: String, Sendable {
    case any, all, none
  }

  private let quantifier: Quantifier
  private let collection: CollectionNode
  /// The scope in which paths begin at a member.
  private let scope: Scope
  private let condition: any PredicateNode
  let extent: TreeExtent

  init(
    quantifier: Quantifier, collection: CollectionNode, scope: Scope,
    condition: any PredicateNode
  ) {
    self.quantifier = quantifier
    self.collection = collection
    self.scope = scope
    self.condition = condition
    extent = collection.extent.beside(condition.extent.enclosedInCollection)
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    let collection = try collection.resolved(by: resolver)
    let inner = resolver.entering(scope, collection.destination)
    return quantifier.condition(collection, try condition.resolved(by: inner))
  }
}

extension Quantification.Quantifier {
  /// Expresses all three quantifiers by "any": "all" means that no member fails, "none" that no
  /// member satisfies. The search ends at the first member that decides.
  func condition(_ collection: ResolvedCollection, _ condition: any Condition) -> any Condition {
    switch self {
    case .any: AnyMember(collection: collection, condition: condition)
    case .none: Not(AnyMember(collection: collection, condition: condition))
    case .all: Not(AnyMember(collection: collection, condition: Not(condition)))
    }
  }
}
