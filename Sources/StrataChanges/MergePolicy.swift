// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// What a save does about objects that the store has changed since they were read: a pure function
/// of base, ours and theirs. Core Data: `NSMergePolicy`, of the same meaning case by case.
public enum MergePolicy: Sendable, Hashable {
  /// The save fails with all conflicts, and nothing is written. The default.
  case error
  /// Property by property: where both changed it, the store's value stays.
  case mergeByPropertyStoreTrump
  /// Property by property: where both changed it, the save's value is written.
  case mergeByPropertyObjectTrump
  /// The save's state of the whole object is written.
  case overwrite
  /// The store's state of the whole object stays.
  case rollback

  /// How a conflict ends.
  package enum Resolution: Sendable {
    case fail
    /// This becomes the object's record.
    case write(Record)
    /// The object is deleted.
    case delete
    /// The store stays as it is.
    case keepTheirs
  }

  /// Decides one conflict.
  ///
  /// - Parameter changed: the slots that our change set by intent.
  package func resolve(
    _ conflict: Conflict, changed: SlotSet, layout: RecordLayout
  ) -> Resolution {
    switch self {
    case .error: return .fail
    case .rollback: return .keepTheirs
    case .overwrite: return conflict.ours.map(Resolution.write) ?? .delete
    case .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump: break
    }
    let isOursFirst = self == .mergeByPropertyObjectTrump
    switch (conflict.ours, conflict.theirs) {
    case (nil, _): return isOursFirst ? .delete : .keepTheirs
    case (let ours?, nil): return isOursFirst ? .write(ours) : .keepTheirs
    case (let ours?, let theirs?):
      var arena = RecordArena()
      var taken = changed
      if !isOursFirst, let base = conflict.base {
        taken.subtract(layout.differingSlots(base, theirs))
      }
      return .write(layout.splice(base: theirs, changes: ours, slots: taken, into: &arena))
    }
  }
}
