// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import StrataRecord

/// A request for objects of one entity: a predicate, an order, and a window of the result.
/// Core Data: `NSFetchRequest`.
///
/// A request is a value. Each modifier returns a changed copy:
///
/// ```swift
/// City.where { $0.population > 1_000_000 }.sorted(by: \.name).limit(50)
/// ```
///
/// The result includes pending changes of the context and of all its ancestors, exactly as if they
/// were saved: order, offset and limit apply to saved and pending objects together.
///
/// Objects with equal sort keys are in the order of their IDs, roughly the order of creation.
/// Without sort keys, all objects are in this order. The order of a request is always the same, so
/// windows of the result (`offset`, `limit`) do not overlap and skip no object.
public struct FetchRequest<Root>: Sendable {
  /// The name of the requested entity; nil for the entity whose class is `Root`.
  package var entityName: String?
  /// The condition on the objects; nil for all objects.
  public var predicate: FetchPredicate?
  /// The order, the most significant key first.
  package var sortKeys: [SortKey] = []
  /// The maximum number of objects; nil for all. A value below 0 counts as 0. Core Data:
  /// `fetchLimit`, where 0 means all; here 0 means none.
  public var limit: Int?
  /// The number of objects to skip at the beginning of the ordered result. A value below 0 counts
  /// as 0. Core Data: `fetchOffset`.
  public var offset = 0
  /// Whether the result includes objects of entities that inherit from the requested one.
  /// Core Data: `includesSubentities`.
  public var includesSubentities = true
  /// Whether the result includes unsaved changes of the fetching context. If false, the result is
  /// the one that the context's parent would return. Core Data: `includesPendingChanges`.
  public var includesPendingChanges = true
  /// Whether the fetched objects have their values loaded. If false, objects that are not
  /// registered yet are faults, and no record is read for objects that an index finds. Core Data:
  /// `includesPropertyValues`, and the opposite of `returnsObjectsAsFaults`.
  public var includesPropertyValues = true
  /// Whether objects that are registered already take the fetched values, below their unsaved
  /// changes. If false, they keep their values. Core Data: `shouldRefreshRefetchedObjects`.
  public var shouldRefreshRefetchedObjects = false
  /// The relationships to load together with the objects.
  package private(set) var prefetchedPaths: [PathReference] = []

  /// A request for all objects of the entity, or for those that satisfy `predicate`.
  public init(_ predicate: FetchPredicate? = nil) { self.predicate = predicate }

  /// A request for the objects of the entity of this name.
  package init(entityNamed name: String, _ predicate: FetchPredicate?) {
    entityName = name
    self.predicate = predicate
  }
}

// MARK: - Modifiers

extension FetchRequest {
  /// Adds a condition: the objects satisfy it and the request's predicate.
  public func `where`(
    _ condition: (PropertyPath<Root, Root>) -> FetchPredicate
  ) -> FetchRequest {
    let added = condition(PropertyPath())
    return with { $0.predicate = predicate.map { $0 && added } ?? added }
  }

  /// Limits the result to at most `count` objects.
  ///
  /// - Precondition: `count` is 0 or more.
  public func limit(_ count: Int) -> FetchRequest {
    require(count >= 0, "A request's limit(_:) takes 0 or more, not \(count).")
    return with { $0.limit = count }
  }

  /// Skips the first `count` objects of the result.
  ///
  /// Objects are skipped one by one. Their records are not read if the order is an index's, or if
  /// there is no order. For a page deep in the result, ask instead for the objects after the last
  /// value of the page before.
  ///
  /// - Precondition: `count` is 0 or more.
  /// - Complexity: O(`count`).
  public func offset(_ count: Int) -> FetchRequest {
    require(count >= 0, "A request's offset(_:) takes 0 or more, not \(count).")
    return with { $0.offset = count }
  }

  /// Loads the targets of a relationship together with the objects, instead of one by one when
  /// their faults fire: `.prefetching { $0.country.government }`. Core Data:
  /// `relationshipKeyPathsForPrefetching`.
  ///
  /// The path may have several to-one relationships, and a to-many relationship at its end. For
  /// relationships after a to-many one, use `prefetching(_:)` with names.
  ///
  /// - Precondition: the path consists of properties, without a calculation.
  public func prefetching<Target>(
    _ path: (PropertyPath<Root, Root>) -> PropertyPath<Root, Target>
  ) -> FetchRequest {
    guard let node = path(PropertyPath()).operand as? PathNode else {
      stopProgram("prefetching(_:) takes a path of relationships, without a calculation.")
    }
    return with { $0.prefetchedPaths.append(node.path) }
  }

  /// Loads the targets of relationships together with the objects, instead of one by one when their
  /// faults fire. Each path consists of names of to-one and to-many relationships:
  /// `"cities.country"`. Core Data: `relationshipKeyPathsForPrefetching`.
  public func prefetching(_ paths: String...) -> FetchRequest {
    with { $0.prefetchedPaths += paths.map { PathReference(steps: PathStep.names($0)) } }
  }

  /// Excludes the objects of entities that inherit from the requested one.
  public func excludingSubentities() -> FetchRequest {
    with { $0.includesSubentities = false }
  }
}

extension FetchRequest {
  func with(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
    var request = self
    change(&request)
    return request
  }
}

// MARK: - Without the static type

extension FetchRequest {
  /// The request as the planner takes it.
  package var untyped: UntypedFetchRequest {
    UntypedFetchRequest(
      predicate: predicate, sortKeys: sortKeys, limit: limit, offset: offset,
      includesSubentities: includesSubentities)
  }
}

/// A fetch request without a static type. The entity is given by its description.
package struct UntypedFetchRequest: Sendable {
  package var predicate: FetchPredicate?
  package var sortKeys: [SortKey]
  package var limit: Int?
  package var offset: Int
  package var includesSubentities: Bool
}
