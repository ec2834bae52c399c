// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataPrimitives
import StrataRecord
import StrataStore

/// A save of a context through all of its ancestors to the store: `save(to: .store)`. It is one
/// commit of the changes of all levels, or none.
///
/// No change is pushed. Each level in order freezes its changes in its own turn, and puts the
/// changes from below on top of them, as a push would. The topmost context hands the result to the
/// store. With the commit all levels release their changes, each in another turn, and an ancestor
/// merges the changes from below, as another commit. If anything is refused, all levels unfreeze,
/// and no context has shown the changes of another.
///
/// A level without changes freezes nothing. So saves of several workers may be under way below a
/// topmost context at the same time, and share a commit. A checked push of the same objects into a
/// level makes the save end first (`ContextLayer.Passage`): the push is then a conflict of its
/// sender, not of the level.
///
/// ## States
/// | state | event | next state |
/// | --- | --- | --- |
/// | gathering | a level has frozen its changes: `add` | gathering |
/// | gathering | a level saves, rolls back, resets or is pushed to: `withdraw` | ended |
/// | gathering | a level refuses: `fail` | ended |
/// | gathering | the topmost context hands the changes to the store: `begin` | committing |
/// | committing | the store is done: `complete` | ended |
///
/// ## Isolation
/// Sendable: levels and the writer enter it from their threads.
final class ThroughSave: Sendable {
  /// The frozen changes of one level.
  struct Part: Sendable {
    /// The number of levels between the context and the one that was asked to save.
    let level: Int
    let layer: ContextLayer
    let save: PendingSave
  }

  /// A level has withdrawn its changes: the save begins again.
  struct Withdrawn: Error {}

  private enum Phase { case gathering, committing, ended }

  private struct State {
    var phase = Phase.gathering
    /// From the saver up.
    var parts: [Part] = []
    var composed: Composed?
    var error: (any Error)?
    /// Nil until the store has the changes.
    var saved: (changes: ChangeSet, result: CommitResult)?
    private(set) var passages: [ContextLayer.Passage] = []

    mutating func add(_ part: Part?, _ passage: ContextLayer.Passage?) {
      if let part { parts.append(part) }
      if let passage { passages.append(passage) }
    }

    /// - Returns: the passages, which hold the save.
    mutating func end() -> [ContextLayer.Passage] {
      phase = .ended
      defer { passages = [] }
      return passages
    }
  }

  private let state = CountedMutex(State())

  /// The parts so far, from the saver up.
  var parts: [Part] { state.withLock { $0.parts } }

  /// The changes of the levels so far; nil before the first.
  var composed: Composed? { state.withLock { $0.composed } }

  /// Nil as long as nothing was refused.
  var error: (any Error)? { state.withLock { $0.error } }

  /// Adds a level.
  ///
  /// - Parameters:
  ///   - part: its frozen changes; nil if it has none.
  ///   - passage: the changes from below; nil for none.
  ///   - composed: the changes of all levels so far.
  /// - Returns: false if a level has withdrawn its changes.
  func add(_ part: Part?, _ passage: ContextLayer.Passage?, _ composed: Composed) -> Bool {
    state.withLock { state in
      guard state.phase == .gathering else { return false }
      state.add(part, passage)
      state.composed = composed
      return true
    }
  }

  /// Ends a save without changes.
  ///
  /// - Returns: false if it has ended already.
  func end() -> Bool {
    state.withLock { state in
      defer { state.phase = .ended }
      return state.phase == .gathering
    }
  }

  /// Takes the save back, unless the store has the changes already.
  func withdraw() { fail(Withdrawn()) }

  /// Makes way for a save of the same objects: takes this one back, or if the store has the changes
  /// already, blocks until it has decided.
  ///
  /// - Throws: `StoreError.wouldDeadlock` in code that the writer calls.
  func makeWay(by writer: StoreWriter) throws {
    withdraw()
    for part in parts where !part.save.isFinished {
      try writer.checkIsElsewhere()
      part.save.waitUntilFinished(by: writer)
    }
  }

  /// Ends the save, unless the store has the changes already.
  func fail(_ error: any Error) {
    let (parts, passages) = state.withLock { state -> ([Part], [ContextLayer.Passage]) in
      guard state.phase == .gathering else { return ([], []) }
      state.error = error
      return (state.parts, state.end())
    }
    for passage in passages { passage.end(isStored: false) }
    let cause = (error as? LevelError)?.error ?? error
    for part in parts { part.save.complete(.failure(cause)) }
  }

  /// The changes are about to be handed to the store.
  ///
  /// - Parameters:
  ///   - top: the part of the topmost context; nil if it has no changes.
  ///   - passage: the changes from below; nil for none.
  /// - Returns: all parts, from the saver up; nil if a level has withdrawn its own.
  func begin(with top: Part?, _ passage: ContextLayer.Passage?) -> [Part]? {
    state.withLock { state in
      guard state.phase == .gathering else { return nil }
      state.phase = .committing
      state.add(top, passage)
      return state.parts
    }
  }

  /// The store has saved or refused the changes. Called by the writer.
  ///
  /// - Parameter dropped: the objects of which a merge policy has dropped a level's change, as they
  ///   are without it; nil for one that is gone.
  func complete(
    _ result: Result<CommitResult, any Error>, of saved: ChangeSet,
    dropping dropped: [ObjectKey: Record?]
  ) {
    let (parts, passages) = state.withLock { state in
      switch result {
      case .success(let result): state.saved = (saved, result)
      case .failure(let error): state.error = error
      }
      return (state.parts, state.end())
    }
    // A push that waits for a part goes on when that is complete, and must find no passage then.
    let isStored = (try? result.get()) != nil
    for passage in passages { passage.end(isStored: isStored) }
    // A level hears of its own objects, of objects of levels below, and of objects that only the
    // store has changed.
    var others = Self.keys(of: parts, savedIn: saved)
    for part in parts {
      others.subtract(part.save.changeSet.changes.keys)
      part.save.complete(
        result.map { [others] result in
          let decided = saved.decided(in: part.save.changeSet)
          return result.seen(
            without: others,
            deciding: decided.merging(dropped.filter { decided[$0.key] != nil }) { $1 })
        })
    }
  }

  /// The objects that the levels below one have saved, and that it has not saved itself, with those
  /// on which the store has decided.
  ///
  /// - Returns: nil if there are none, or nothing was saved.
  func keys(savedBelow level: Int) -> ChangedKeys? {
    let (parts, saved) = state.withLock { ($0.parts, $0.saved) }
    guard let saved else { return nil }
    let others = Self.keys(of: parts.filter { $0.level >= level }, savedIn: saved.changes)
    let own = parts.first { $0.level == level }.map { Set($0.save.changeSet.changes.keys) } ?? []
    var inserted: [ObjectKey: Bool] = [:]
    for part in parts where part.level < level {
      for key in part.save.changeSet.keys where !own.contains(key) {
        let isInserted = part.save.changeSet.changes[key]?.kind == .insert
        inserted[key] = isInserted || inserted[key] ?? false
      }
    }
    if inserted.isEmpty { return nil }
    var keys = ChangedKeys()
    for (key, isInserted) in inserted {
      switch saved.changes.changes[key]?.kind {
      case .delete: keys.append(key, .delete)
      case nil where isInserted: break
      default: keys.append(key, isInserted ? .insert : .update)
      }
    }
    for (key, record) in saved.result.merged where inserted[key] == nil && !others.contains(key) {
      keys.append(key, record == nil ? .delete : .update)
    }
    return keys
  }

  /// The objects of parts without those of which a merge policy has dropped the change.
  private static func keys(of parts: [Part], savedIn saved: ChangeSet) -> Set<ObjectKey> {
    Set(
      parts.lazy.flatMap(\.save.changeSet.changes.keys)
        .filter { saved.changes.index(of: $0) != nil })
  }
}
