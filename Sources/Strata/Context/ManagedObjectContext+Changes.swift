// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// What has changed, and against what: the overlay tells, without loading anything.

extension ManagedObjectContext {
  /// Whether a save would write anything: `hasChanges`, but for changes of transient attributes
  /// alone. Core Data has no such property of a context. O(unsaved changes) if there are only such.
  public var hasPersistentChanges: Bool {
    work.encodeEdits()
    return work.working.segments.contains { !$0.links.isEmpty }
      || work.working.contains { key, change in
        switch change.kind {
        case .insert: true
        case .delete: change.base != nil
        case .update:
          !change.slots.isSubset(of: schema.entity(key.entity)?.layout.transientSlots ?? [])
        }
      }
  }
}
