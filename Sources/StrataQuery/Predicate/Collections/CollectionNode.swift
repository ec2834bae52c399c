// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A to-many relationship before resolution, optionally filtered: `$0.country.cities`,
/// `$0.cities.filter { $0.population > 5 }`, `SUBQUERY(cities, $x, $x.population > 5)`.
struct CollectionNode: Sendable {
  /// A condition on the elements, and the scope in which paths begin at an element.
  private struct Filter: Sendable {
    let scope: Scope
    let condition: any PredicateNode
  }

  let path: PathReference
  private var filters: [Filter] = []
  private(set) var extent = TreeExtent.leaf

  init(_ path: PathReference) { self.path = path }

  /// Returns the collection of the members that also satisfy `condition`.
  func filtered(_ scope: Scope, _ condition: any PredicateNode) -> CollectionNode {
    var collection = self
    collection.filters.append(Filter(scope: scope, condition: condition))
    collection.extent = extent.beside(condition.extent.enclosedInCollection)
    return collection
  }

  /// Resolves the path and the conditions of the filters.
  ///
  /// - Throws: `QueryError.unfitProperty` if the path does not end at a to-many relationship;
  ///   `toManyProperty` if the path has steps after one.
  func resolved(by resolver: PathResolver) throws(QueryError) -> ResolvedCollection {
    switch try resolver.resolve(path) {
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
