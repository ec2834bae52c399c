// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// To-one relationships are compared by ID. It is not asked whether an object with that ID exists.

/// Whether the relationship leads to the object with this ID; for nil, whether it leads nowhere.
public func == <Root, Target: AnyObject>(
  path: PropertyPath<Root, Target?>, id: ObjectID?
) -> FetchPredicate {
  path.compared(.equal, id.map(Value.object) ?? .null)
}

/// Whether the relationship leads elsewhere than to the object with this ID; for nil, whether it
/// leads anywhere.
public func != <Root, Target: AnyObject>(
  path: PropertyPath<Root, Target?>, id: ObjectID?
) -> FetchPredicate {
  !(path == id)
}

extension PropertyPath {
  /// Whether the relationship leads to one of the objects with these IDs.
  public func isIn<Target: AnyObject>(_ ids: some Sequence<ObjectID>) -> FetchPredicate
  where Leaf == Target? {
    isAmong(ids.map(Value.object))
  }
}

// MARK: - The object itself

/// Whether the object is the one with this ID: of a member of a collection, or of what the request is
/// about. Core Data: SELF.
public func == <Root: AnyObject>(path: PropertyPath<Root, Root>, id: ObjectID) -> FetchPredicate {
  path.compared(.equal, .object(id))
}

/// Whether the object is another than the one with this ID.
public func != <Root: AnyObject>(path: PropertyPath<Root, Root>, id: ObjectID) -> FetchPredicate {
  !(path == id)
}

extension PropertyPath where Root == Leaf, Root: AnyObject {
  /// Whether the object is one of those with these IDs.
  public func isIn(_ ids: some Sequence<ObjectID>) -> FetchPredicate {
    isAmong(ids.map(Value.object))
  }
}
