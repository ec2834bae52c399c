// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension ManagedObjectContext {
  /// Has the save that reaches the store look whether somebody else has changed `object` since it
  /// was read here, although it is not changed itself: for a decision that rests on it. If somebody
  /// has, that is a conflict as any other, for the merge policy. Core Data: `detectConflicts(for:)`.
  ///
  /// Nothing is written for it, and it counts as no change: `hasChanges`, `updatedObjects` and the
  /// notifications leave it out. The next `save()` hands it on, up to the topmost context's, which
  /// looks; a save does so also if there is nothing else to save. `rollback()` takes it back. Of an
  /// object with unsaved changes the save looks anyway.
  ///
  /// - Precondition: the object is of this context.
  /// - Throws: `ContextError.objectNotFound` if the object is gone; `StoreError` if reading it fails.
  public func detectConflicts(for object: ManagedObject) throws {
    registry.requireOwn(object)
    if object.isFault { try loader.load(object) }
    work.encodeEdits()
    guard object.isAlive else { throw ContextError.objectNotFound(object.objectID) }
    guard object.status == .clean, let read = registry.cache.base(of: object),
      work.working.change(for: object.key) == nil
    else { return }
    if !registry.cache.isCurrent(object) { work.doubt.insert(object.key) }
    let segment = Segment(
      changes: [object.key: .readLock(read)], links: LinkChanges(), schema: schema)
    work.changeWorking(to: work.working.adding(segment).compacted())
    reporter.noteTouched()
  }
}
