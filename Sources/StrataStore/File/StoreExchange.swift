// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataPrimitives

/// The time in which a compaction replaces a store's file: savers' requests are parked here, and
/// readers wait here.
///
/// ## Isolation
/// Sendable.
final class StoreExchange: Sendable {
  private let requests = CountedMutex<[CommitQueue.Request]>([])
  private let end = DispatchGroup()

  init() { end.enter() }

  /// Keeps a request until the exchange is over.
  func park(_ request: CommitQueue.Request) { requests.withLock { $0.append(request) } }

  /// The requests in the order of `park`. The exchange has none of them any more.
  func takeRequests() -> [CommitQueue.Request] {
    requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
  }

  /// Waits until the exchange is over.
  func wait() { end.wait() }

  /// Ends the exchange, once.
  func finish() { end.leave() }
}
