// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Marks `object` to be deleted by the next save, and applies the delete rules of its
  /// relationships now: links are taken away, cascades deleted. Others see nothing before the save.
  /// Core Data: `delete(_:)`.
  ///
  /// - Precondition: the object is of this context.
  public func delete(_ object: ManagedObject) { deletion.delete(object) }
}
