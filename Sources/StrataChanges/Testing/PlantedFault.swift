// SPDX-License-Identifier: Apache-2.0
package import StrataRecord

/// A mistake that a test plants on purpose, to show that another test would find it. Each is at the
/// place where an obvious variant of the code would make it. In release builds none can be planted,
/// and the check costs nothing.
package enum PlantedFault: String, Sendable, CaseIterable {
  /// A view does not leave out the segments that its snapshot shows already.
  case untaggedView
  /// Each layer's pointers are guarded by themselves, so that a chain is copied layer by layer and
  /// a push shows at the child's layer and at the parent's one after the other.
  case lockPerLayer
  /// A reader uses its copy of the layers again, whatever was published since.
  case staleCopy
  /// A reader does not wait for the section of an actor's code that its task has left.
  case sectionUnawaited
  /// A context does not ask whether the snapshot of a view is newer than its layers.
  case passedBookmarks
  /// A segment that was merged into another before a save is not taken for saved.
  case forgottenEpoch
  /// A failed commit leaves its tags on.
  case tagStays
  /// A push brings whole records, not only the properties that the child changed.
  case wholeRecords
  /// A commit gives its generation to every registered object that it names, outdated or not.
  case relabelTooEarly
  /// A sender never looks up the state that its push depends on.
  case doubtForgotten
  /// An update of an object that the receiver has deleted brings it back.
  case updateRevives
  /// A save writes the whole record that a change has, not its slots over the stored one.
  case maskSkipped
  /// A context ignores the events of the topmost of several ancestors.
  case eventsDropped
  /// A push stays in the inbox after it was integrated, and is integrated again.
  case integratedTwice
  /// Undo brings back the records of objects, but not their links.
  case undoForgetsLinks
  /// A merge takes the view's record, without the slots that are pending.
  case mergeDropsEdits
  /// A delete does not run its delete rules again on members that only the receiver has.
  case deletesStopShort
  /// The set value of an external attribute is lost when another change is laid over it.
  case bytesDropped
  /// Undo brings back the stamp of an external attribute, but not its bytes.
  case undoForgetsBytes
  /// A fetched list looks at the objects that changed and not at those that lead to them.
  case relatedForgotten
  /// An object of a fetched list counts as moved only by its index, whatever came or went before
  /// it.
  case movesUncounted
  /// A batch delete leaves to-one slots of objects that stay as they are.
  case batchForgetsEnds
  /// A save in which the store decides something leaves derived attributes as they are.
  case decidedUnderived
  /// A save is written before it is checked, and a refused save stays written: other contexts see
  /// changes whose commit has never succeeded.
  case publishedBeforeCommit
  /// The child's merge policy is not asked in a save to a parent.
  case pushUnchecked
  /// In a save through several levels each level keeps the changes from below, also if the save is
  /// refused.
  case throughPushes
  /// A refused save through several levels takes a level's own changes back, too.
  case refusalTakesAll
  /// In a save through several levels the policy of the receiving level decides.
  case receiversPolicy
  /// A merge rule is applied to its own result.
  case mergedTwice
  /// The store does not compare the versions that a save has read with the stored ones.
  case versionUnchecked

  #if DEBUG
    private static let planted = BySchema<PlantedFault>()

    /// Plants `fault` in all work on the store that `schema` is of, instead of any that was there;
    /// nil takes it away.
    package static func plant(_ fault: PlantedFault?, in schema: Schema) {
      planted.set(fault, for: schema)
    }

    /// Whether the fault is planted.
    package func isPlanted(in schema: @autoclosure () -> Schema) -> Bool {
      Self.planted.value(for: schema()) == self
    }
  #else
    @inlinable package func isPlanted(in _: @autoclosure () -> Schema) -> Bool { false }
  #endif
}
