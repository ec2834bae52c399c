// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// Comparisons of to-one relationships, by ID. Whether an object with that ID exists is not checked.

/// Whether the relationship's target has this ID. If `id` is nil, whether the relationship is nil.
public func == <Root, Target: AnyObject>(
  path: PropertyPath<Root, Target?>, id: ObjectID?
) -> FetchPredicate {
  path.compared(.equal, id.map(PropertyValue.object) ?? .null)
}

/// Whether the relationship is nil or its target has another ID. If `id` is nil, whether the
/// relationship has a target.
public func != <Root, Target: AnyObject>(
  path: PropertyPath<Root, Target?>, id: ObjectID?
) -> FetchPredicate {
  !(path == id)
}

extension PropertyPath {
  /// Whether the relationship's target has one of these IDs; false if the relationship is nil.
  public func isIn<Target: AnyObject>(_ ids: some Sequence<ObjectID>) -> FetchPredicate
  where Leaf == Target? {
    isAmong(ids.map(PropertyValue.object))
  }
}

// MARK: - The object itself

/// Whether the object has this ID. The object is the one that a request fetches, or a member of a
/// collection. Core Data: SELF.
public func == <Root: AnyObject>(path: PropertyPath<Root, Root>, id: ObjectID) -> FetchPredicate {
  path.compared(.equal, .object(id))
}

/// Whether the object has another ID than this one.
public func != <Root: AnyObject>(path: PropertyPath<Root, Root>, id: ObjectID) -> FetchPredicate {
  !(path == id)
}

extension PropertyPath where Root == Leaf, Root: AnyObject {
  /// Whether the object has one of these IDs.
  public func isIn(_ ids: some Sequence<ObjectID>) -> FetchPredicate {
    isAmong(ids.map(PropertyValue.object))
  }
}
