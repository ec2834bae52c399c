// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
import StrataPrimitives
public import StrataStore

/// Another process has saved to the store, or to one of several stores. Core Data:
/// `NSPersistentStoreRemoteChange`.
public struct RemoteChange: Sendable, Hashable {
  /// The identity of the store: of one of `PersistentStoreCoordinator.stores`.
  public let storeID: UUID
  /// A point of the history after the save. If the store keeps a history, `HistoryRequest(after:)`
  /// with the token of the previous change fetches the transactions since that change, including
  /// this process's own saves.
  public let token: HistoryToken
}

extension PersistentStoreCoordinator {
  /// The saves that other processes make to the store's file from now on. One element may stand for
  /// several saves. A store in memory has no elements.
  ///
  /// ```swift
  /// for await change in coordinator.remoteChanges() { try importHistory(upTo: change.token) }
  /// ```
  ///
  /// Contexts that merge automatically merge these saves without this sequence, and fetched lists
  /// are updated. On Linux, a save is noticed at once (inotify). On other systems, a save is
  /// noticed when a context takes a view.
  ///
  /// The sequence buffers the newest element of each store. It is for one consumer. It does not
  /// keep the coordinator, and ends when the coordinator is deallocated.
  public func remoteChanges() -> AsyncStream<RemoteChange> {
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let pending = PendingRemoteChanges()
    let listeners = zip(store.members, store.feeds).map { store, feed in
      let listener = ChangeFeed.Listener { [weak store] event in
        guard event.isElsewhere, let store else { return }
        let change = RemoteChange(
          storeID: store.uuid, token: store.historyToken(of: event.generation))
        if pending.note(change, event.generation) { signal.yield() }
      }
      feed.add(listener)
      return listener
    }
    remoteChangeStreams.add(signal)
    // The closure keeps the listeners, which the feeds hold weakly.
    return AsyncStream {
      withExtendedLifetime(listeners) {}
      var iterator = signals.makeAsyncIterator()
      repeat {
        if let change = pending.takeFirst() { return change }
      } while await iterator.next() != nil
      return nil
    }
  }
}

/// The changes that a consumer of `remoteChanges()` has not received yet: the newest one of each
/// store, the store that was noted first at the beginning.
///
/// ## Isolation
/// Sendable: listeners note changes on any thread, and of two threads the later one may have the
/// earlier change.
private final class PendingRemoteChanges: Sendable {
  private struct State {
    var changes: [RemoteChange] = []
    /// The generation of the last change of each store.
    var generations: [UUID: UInt64] = [:]
  }

  private let state = CountedMutex(State())

  /// - Returns: whether it is newer than all changes of its store before.
  func note(_ change: RemoteChange, _ generation: UInt64) -> Bool {
    state.withLock { state in
      guard generation > state.generations[change.storeID] ?? 0 else { return false }
      state.generations[change.storeID] = generation
      if let place = state.changes.firstIndex(where: { $0.storeID == change.storeID }) {
        state.changes[place] = change
      } else {
        state.changes.append(change)
      }
      return true
    }
  }

  func takeFirst() -> RemoteChange? {
    state.withLock { $0.changes.isEmpty ? nil : $0.changes.removeFirst() }
  }
}

/// The streams of one coordinator, which end with it.
///
/// ## Isolation
/// Sendable: a lock guards the streams.
final class RemoteChangeStreams: Sendable {
  private let continuations = CountedMutex<[AsyncStream<Void>.Continuation]>([])

  func add(_ continuation: AsyncStream<Void>.Continuation) {
    continuations.withLock { $0.append(continuation) }
  }

  deinit {
    for continuation in continuations.withLock({ $0 }) { continuation.finish() }
  }
}
