// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

// Merging as a view is taken, so that all that a turn reads is of one moment, registered objects
// included.

extension ManagedObjectContext {
  /// Whether the context takes over what the contexts and the store that it rests on gain: saves of
  /// siblings, of other topmost contexts, of other coordinators on the same file, and what ancestors
  /// change themselves. False by default. Core Data: `automaticallyMergesChangesFromParent`.
  ///
  /// The merge is as that of `mergeChanges(fromContextDidSave:)`: unsaved changes are kept, property
  /// by property, over what has come. It is made when a turn takes its view:
  /// - in a queue's context before the body begins; news bring a turn about by themselves;
  /// - in the main actor's context in a job of its own soon after the news, or at the first read that
  ///   needs more than the registered objects, if that comes first;
  /// - in a confined context at the first such read of a turn, and at `processPendingChanges()`.
  ///
  /// What another process saved is noticed when a view is taken, and then all registered objects are
  /// checked.
  public var automaticallyMergesChangesFromParent: Bool {
    get { merger.isAutomatic }
    set { merger.setAutomatic(newValue) }
  }
}
