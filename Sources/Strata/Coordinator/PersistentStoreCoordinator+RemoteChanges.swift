// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataPrimitives
public import StrataStore

/// Another process has saved to the store. Core Data: `NSPersistentStoreRemoteChange`.
public struct RemoteChange: Sendable, Hashable {
  /// A point after the save: `HistoryRequest(after:)` with the token of the change before this one
  /// fetches the transactions in between, if the store keeps a history. This process's own saves
  /// are among them.
  public let token: HistoryToken
}

extension PersistentStoreCoordinator {
  /// The saves of other processes to the store's file, from now on; several may be one element. A
  /// store in memory has none.
  ///
  /// ```swift
  /// for await change in coordinator.remoteChanges() { try importHistory(upTo: change.token) }
  /// ```
  ///
  /// Contexts that merge automatically merge such saves like any others, and fetched lists follow
  /// them; nothing has to be done for that. On Linux a save is noticed at once (inotify);
  /// elsewhere when a context takes a view.
  ///
  /// The sequence holds the newest element for a consumer that is slower. It is for one consumer,
  /// and ends when the coordinator is deallocated, which it does not keep.
  public func remoteChanges() -> AsyncStream<RemoteChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: RemoteChange.self, bufferingPolicy: .bufferingNewest(1))
    let listener = ChangeFeed.Listener { [storeID = store.uuid] event in
      guard event.isElsewhere else { return }
      continuation.yield(
        RemoteChange(token: HistoryToken(storeID: storeID, generation: event.generation)))
    }
    // The stream keeps the listener, which the feed holds weakly.
    continuation.onTermination = { _ in withExtendedLifetime(listener) {} }
    feed.add(listener)
    remoteChangeStreams.add(continuation)
    return stream
  }
}

/// The streams of one coordinator, which end with it.
final class RemoteChangeStreams: Sendable {
  private let continuations = CountedMutex<[AsyncStream<RemoteChange>.Continuation]>([])

  func add(_ continuation: AsyncStream<RemoteChange>.Continuation) {
    continuations.withLock { $0.append(continuation) }
  }

  deinit {
    for continuation in continuations.withLock({ $0 }) { continuation.finish() }
  }
}
