// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// The reports of a context's work: the turn's changes, messages and notifications, and lists that
/// follow the context.
///
/// ## Invariants
/// - I1 `turn` has all changes since the last objectsDidChange, except for those in `integrated`
///   and `announcements`.
///
/// ## Isolation
/// The context's.
package final class TurnReporter {
  let schema: Schema
  let layer: ContextLayer
  let confinement: ManagedObjectContext.Confinement
  /// The context, whose turns on the main actor end by themselves; nil in a test.
  unowned(unsafe) var context: ManagedObjectContext?

  /// The context's name, which its messages carry.
  var name: String?
  var transactionAuthor: String?

  // Safety: `@exclusivity(unchecked)` spares each edit its run-time checks. A reporter is of one
  // isolation, and no access to these runs code that could reach the reporter again.
  @exclusivity(unchecked) var turn = TurnChanges()
  /// The changes of children's saves that were integrated at the first read of this turn. They are
  /// reported at its end, because no observer may run while a property is being read.
  var integrated: [TurnChanges] = []
  /// Merges that were made while a view was taken, perhaps while a property was being read:
  /// reported when the turn ends, or before its body begins.
  var announcements: [TurnChanges] = []
  /// The unsaved changes as they were when objectsDidChange was last posted.
  var turnStart = Overlay()
  /// Whether the turn is being ended, and observers may be running.
  var isEndingTurn = false
  /// Whether `MainTurns` has the context among those whose turn it will end.
  var isTurnEndScheduled = false
  /// The lists that follow this context's changes.
  var liveResults = LiveResultsList()
  /// The number of messages of each kind that the context has posted.
  private var messageCounts = ManagedObjectContext.Message.Counts()
  var deferredError = DeferredError()

  package init(schema: Schema, layer: ContextLayer, confinement: ManagedObjectContext.Confinement) {
    self.schema = schema
    self.layer = layer
    self.confinement = confinement
  }

  /// Has the main actor's turn end soon after its first touch; other turns end by themselves.
  func noteTouched() {
    guard confinement == .mainActor, !isTurnEndScheduled, let context else { return }
    isTurnEndScheduled = true
    MainTurns.scheduleEnd(of: context)
  }

  /// Forgets unreported changes of objects that a merge has found gone. The merge is reported
  /// before these changes, and a change of the object after its deletion would bring it back.
  func forget(_ gone: Set<ObjectKey>) {
    if gone.isEmpty { return }
    turn.forget(gone)
    for index in integrated.indices { integrated[index].forget(gone) }
  }

  // MARK: - Announcing

  /// The changes that were not reported yet, in order; this marks them as reported.
  func takeUnreported() -> [TurnChanges] {
    if integrated.isEmpty, turn.isUntouched { return [] }
    var unreported = takeIntegrated()
    unreported.append(takeTurn())
    return unreported
  }

  /// The changes of integrated saves that were not reported yet; this marks them as reported.
  func takeIntegrated() -> [TurnChanges] {
    if integrated.isEmpty { return [] }
    var taken: [TurnChanges] = []
    swap(&taken, &integrated)
    return taken
  }

  /// The turn's changes so far, which are then empty.
  func takeTurn() -> TurnChanges {
    var taken = TurnChanges()
    swap(&taken, &turn)
    return taken
  }

  /// Posts one objectsDidChange for each list that is not empty, after the fetched lists that
  /// follow this context have been brought up to date.
  func announce(_ turns: [TurnChanges]) {
    for turn in turns { announce(turn) }
  }

  /// Posts objectsDidChange if anything has changed, as `announce` does for several.
  func announce(_ turn: TurnChanges) {
    let isEmpty = turn.isEmpty
    if isEmpty && liveResults.isEmpty { return }
    let objects = ChangedObjects(turn, schema: schema)
    if !liveResults.isEmpty { tellLiveResults(LiveChanges(turn, objects)) }
    if !isEmpty { post(.objectsDidChange, objects) }
  }

  /// Posts the changes of a merge, and that it was a merge.
  func announceMerge(_ merged: TurnChanges) {
    announce(merged)
    if !merged.isEmpty { post(.didMerge, ChangedObjects(merged, schema: schema)) }
  }

  /// Reports the merges that were made while views were taken: to lists all of them at once, since
  /// lists read the state after all of them, and then to observers each of them.
  func announceMerges() {
    if announcements.isEmpty, liveResults.isEmpty { return }
    let merges = announcements.map { ($0, ChangedObjects($0, schema: schema)) }
    announcements = []
    if !liveResults.isEmpty {
      var changes = liveResults.takeNoted()
      for (merged, objects) in merges { changes.append(LiveChanges(merged, objects)) }
      tellLiveResults(changes)
    }
    for (merged, objects) in merges where !merged.isEmpty {
      post(.objectsDidChange, objects)
      post(.didMerge, ChangedObjects(merged, schema: schema))
    }
  }

  /// Reports changes to the lists.
  func tellLiveResults(_ changes: LiveChanges) {
    if changes.isEmpty { return }
    for results in liveResults.all() { results.contextDidChange(changes) }
  }

  // MARK: - Posting

  /// Posts a message as a notification, whose object is the context's layer.
  ///
  /// It is posted whether or not it has observers: a notification center does not tell, and an
  /// observer of all names gets it too.
  package func post(_ kind: ManagedObjectContext.Message.Kind, _ objects: ChangedObjects) {
    let message = ManagedObjectContext.Message(
      kind: kind, number: messageCounts.next(of: kind), contextName: name,
      transactionAuthor: transactionAuthor, objects: objects)
    NotificationCenter.default.post(
      name: kind.notificationName, object: layer, userInfo: message.userInfo)
  }
}
