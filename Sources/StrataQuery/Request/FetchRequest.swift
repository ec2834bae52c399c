// SPDX-License-Identifier: Apache-2.0
public import StrataRecord

/// Which objects of an entity are wanted, in which order, and how many of them.
/// Core Data: `NSFetchRequest`.
///
/// A request is a value; each modifier returns a changed copy:
///
/// ```swift
/// City.where { $0.population > 1_000_000 }.sorted(by: \.name).limit(50)
/// ```
///
/// The answer shows pending changes of the context and all its ancestors exactly as if they were
/// saved: order, offset and limit apply to everything together.
///
/// Objects that the sort keys do not tell apart, or all if there are none, come in the order of
/// their IDs, roughly as they were created. The order of a request is thus always the
/// same, and windows of it (`offset`, `limit`) neither overlap nor leave anything out.
public struct FetchRequest<Root>: Sendable {
  /// Which objects; nil for all.
  public var predicate: FetchPredicate?
  /// The order, the most significant key first. Core Data: `sortDescriptors`.
  public var sortKeys: [SortKey] = []
  /// How many objects at most; nil for all. Core Data has 0 for all, here it is none.
  public var fetchLimit: Int?
  /// How many objects of the ordered result to leave out at its beginning. Core Data: `fetchOffset`.
  /// Less than 0 is 0, as it is for the limit.
  public var fetchOffset = 0
  /// Whether objects of entities that inherit from the requested one are results too.
  public var includesSubentities = true
  /// Whether what is unsaved in the context that fetches counts in; else the answer is what its parent
  /// shows. Core Data: `includesPendingChanges`.
  public var includesPendingChanges = true
  /// Whether objects come with their values. If not, those that are not registered yet are faults, and
  /// of what an index answers no record is read. Core Data: `includesPropertyValues`, and
  /// `returnsObjectsAsFaults` the other way round.
  public var includesPropertyValues = true
  /// Whether objects that are registered already take over what the fetch has found, under their
  /// unsaved changes; else they keep their values. Core Data: `shouldRefreshRefetchedObjects`.
  public var shouldRefreshRefetchedObjects = false
  /// What is loaded along with the objects.
  package private(set) var prefetchedPaths: [PathReference] = []

  /// A request for all objects of the entity, or for those that satisfy `predicate`.
  public init(_ predicate: FetchPredicate? = nil) { self.predicate = predicate }

  /// A request for the objects that satisfy `condition`.
  public init(where condition: (PropertyPath<Root, Root>) -> FetchPredicate) {
    predicate = condition(PropertyPath())
  }
}

// MARK: - Modifiers

extension FetchRequest {
  /// The objects that satisfy `condition` as well.
  public func filter(_ condition: (PropertyPath<Root, Root>) -> FetchPredicate) -> FetchRequest {
    let added = condition(PropertyPath())
    return with { $0.predicate = predicate.map { $0 && added } ?? added }
  }

  /// At most `count` objects; 0 or more.
  public func limit(_ count: Int) -> FetchRequest {
    precondition(count >= 0, "a fetch limit is 0 or more")
    return with { $0.fetchLimit = count }
  }

  /// Without the first `count` objects; 0 or more.
  ///
  /// They are passed by one after the other: where the order is an index's, or there is none, without a
  /// look at their records. For a page deep inside, ask for what comes after the last value of the page
  /// before.
  public func offset(_ count: Int) -> FetchRequest {
    precondition(count >= 0, "a fetch offset is 0 or more")
    return with { $0.fetchOffset = count }
  }

  /// With the objects that a relationship leads to, loaded all together instead of one by one when
  /// their faults fire: `.prefetching { $0.country.government }`.
  /// Core Data: `relationshipKeyPathsForPrefetching`.
  ///
  /// To-one relationships may follow each other, and a to-many one may come last; relationships beyond it
  /// are named by `prefetching(_:)`.
  ///
  /// - Precondition: the path is one of properties, not something calculated.
  public func prefetching<Target>(
    _ path: (PropertyPath<Root, Root>) -> PropertyPath<Root, Target>
  ) -> FetchRequest {
    guard let node = path(PropertyPath()).operand as? PathNode else {
      preconditionFailure("what is prefetched is a path of relationships, nothing calculated")
    }
    return with { $0.prefetchedPaths.append(node.path) }
  }

  /// The same with the path by name, through to-one and to-many relationships: `"cities.country"`.
  /// Core Data: `relationshipKeyPathsForPrefetching`.
  public func prefetching(_ paths: String...) -> FetchRequest {
    with { $0.prefetchedPaths += paths.map { PathReference(steps: PathStep.names($0)) } }
  }

  /// Without the objects of entities that inherit from the requested one.
  public func excludingSubentities() -> FetchRequest {
    with { $0.includesSubentities = false }
  }
}

// MARK: - Order

extension FetchRequest {
  /// In the order of a property, as it is stored: of a type of the program's own that is the order of
  /// its raw or stored values (`AttributeValue`). Called again, it adds a further key, for objects that
  /// are equal in the ones before.
  public func sorted<V: AttributeValue & Comparable>(
    by keyPath: KeyPath<Root, V> & Sendable, _ direction: SortKey.Direction = .ascending
  ) -> FetchRequest {
    adding(SortKey(keyPath: keyPath, direction: direction))
  }

  /// In the order of an optional property; no value comes before every value.
  public func sorted<V: AttributeValue & Comparable>(
    by keyPath: KeyPath<Root, V?> & Sendable, _ direction: SortKey.Direction = .ascending
  ) -> FetchRequest {
    adding(SortKey(keyPath: keyPath, direction: direction))
  }

  /// In the order of a truth value: false before true.
  public func sorted(
    by keyPath: KeyPath<Root, Bool> & Sendable, _ direction: SortKey.Direction = .ascending
  ) -> FetchRequest {
    adding(SortKey(keyPath: keyPath, direction: direction))
  }

  /// The request with one more, less significant sort key.
  private func adding(_ key: SortKey) -> FetchRequest { with { $0.sortKeys.append(key) } }

  private func with(_ change: (inout FetchRequest) -> Void) -> FetchRequest {
    var request = self
    change(&request)
    return request
  }
}

// MARK: - Without the static type

extension FetchRequest {
  /// What the planner takes.
  package var untyped: UntypedFetchRequest {
    UntypedFetchRequest(
      predicate: predicate, sortKeys: sortKeys, limit: fetchLimit, offset: fetchOffset,
      includesSubentities: includesSubentities)
  }
}

/// A fetch request whose entity is known by description instead of by type.
package struct UntypedFetchRequest: Sendable {
  package var predicate: FetchPredicate?
  package var sortKeys: [SortKey]
  package var limit: Int?
  package var offset: Int
  package var includesSubentities: Bool

  package init(
    predicate: FetchPredicate? = nil, sortKeys: [SortKey] = [], limit: Int? = nil, offset: Int = 0,
    includesSubentities: Bool = true
  ) {
    self.predicate = predicate
    self.sortKeys = sortKeys
    self.limit = limit
    self.offset = offset
    self.includesSubentities = includesSubentities
  }
}
