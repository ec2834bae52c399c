// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The sequences of one controller.
///
/// ## Lifetime
/// They end when the controller goes.
///
/// ## Isolation
/// Sendable: a sequence is given up on any thread. Guarded by a lock.
final class UpdateStreams: Sendable {
  private struct State {
    var continuations: [Int: AsyncStream<FetchedResultsUpdate>.Continuation] = [:]
    var nextNumber = 0
  }

  private let state = CountedMutex(State())

  var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

  /// - Parameter limit: how many updates are held for a slow consumer.
  func makeStream(limit: Int) -> AsyncStream<FetchedResultsUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FetchedResultsUpdate.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
    let number = state.withLock { state in
      state.nextNumber += 1
      state.continuations[state.nextNumber] = continuation
      return state.nextNumber
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.continuations.removeValue(forKey: number) }
    }
    return stream
  }

  private var continuations: [AsyncStream<FetchedResultsUpdate>.Continuation] {
    state.withLock { Array($0.continuations.values) }
  }

  func send(_ update: FetchedResultsUpdate) {
    for continuation in continuations { continuation.yield(update) }
  }

  func finish() {
    for continuation in continuations { continuation.finish() }
  }
}
