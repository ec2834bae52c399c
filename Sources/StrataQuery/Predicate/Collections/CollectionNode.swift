// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A to-many relationship as it was written, perhaps filtered: `$0.country.cities`,
/// `$0.cities.filter { $0.population > 5 }`, `SUBQUERY(cities, $x, $x.population > 5)`.
struct CollectionNode: Sendable {
  /// A condition on the elements, and the scope in which paths begin at them.
  private struct Filter: Sendable {
    let scope: Scope
    let condition: any PredicateNode
  }

  let path: PathReference
  private var filters: [Filter] = []

  init(_ path: PathReference) { self.path = path }

  /// Those members which satisfy `condition` as well.
  func filtered(_ scope: Scope, _ condition: any PredicateNode) -> CollectionNode {
    var collection = self
    collection.filters.append(Filter(scope: scope, condition: condition))
    return collection
  }

  /// - Throws: `QueryError`: `unfitProperty` if the path does not end at a to-many relationship,
  ///   `toManyProperty` if it goes on from one.
  func resolved(by resolver: PathResolver) throws(QueryError) -> ResolvedCollection {
    switch try resolver.end(of: path) {
    case .property(let path): throw path.isUnfit
    case .object:
      throw .unknownProperty(entity: resolver.entity.description.name, keyPath: "\\.self")
    case .collection(var collection, let rest):
      guard rest.isEmpty else { throw collection.isUnfit }
      for filter in filters {
        let inner = resolver.entering(filter.scope, collection.destination)
        collection.filters.append(try filter.condition.resolved(by: inner))
      }
      return collection
    }
  }
}
