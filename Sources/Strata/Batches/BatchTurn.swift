// SPDX-License-Identifier: Apache-2.0
import StrataChanges

/// The steps of a context that executes a batch: it encodes its edits and ends a save under way
/// before the batch, and merges the result after it.
///
/// ## Isolation
/// The context's.
struct BatchTurn {
  private let context: ManagedObjectContext
  let caller: BatchCaller

  /// Encodes the context's edits, and ends a save under way, which does not include them.
  ///
  /// - Throws: an earlier error of reading a property; `StoreError.wouldDeadlock` in code that the
  ///   store's writer calls, if a save is under way.
  init(in context: ManagedObjectContext) throws {
    try context.reporter.throwDeferredError()
    context.work.encodeEdits()
    try context.saving.finishPendingSave()
    // As in a save: a snapshot that is held while the batch waits and works holds back free pages.
    context.work.view = nil
    self.context = context
    caller = BatchCaller(context)
  }

  func takeOver(_ outcome: BatchOutcome) { Self.takeOver(outcome, in: context) }

  /// Has the context merge the result of a batch.
  static func takeOver(_ outcome: BatchOutcome, in context: ManagedObjectContext) {
    guard let keys = outcome.keys, !keys.isEmpty else { return }
    context.work.encodeEdits()
    context.publisher.announceTurn()
    // As after a save, a new turn begins, also in each ancestor in the same isolation.
    var next: ManagedObjectContext? = context
    while let other = next {
      other.work.view = nil
      next = other.reader.parentInThisIsolation
    }
    // A context that merges automatically finds the changes in the feed.
    if !context.merger.isAutomatic { context.merger.unmergedEvents.append(GatheredEvents(keys)) }
    do { _ = try context.reader.currentView() } catch { context.reporter.note(error) }
    context.reporter.announceMerges()
  }
}
