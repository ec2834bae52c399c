// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import Synchronization

extension PersistentStore {
  /// A serial for a new object.
  func nextSerial() -> UInt64 {
    let entity = schema.entities.first { !$0.description.isAbstract }
    guard let entity else { return takeSerials(upTo: 1).lowerBound }
    return takeSerials(upTo: 1, for: entity.number).lowerBound
  }

  /// Saves a change set without waiting.
  func commit(
    _ changeSet: ChangeSet,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) {
    commit(changeSet, lendingThread: false, completion: completion)
  }

  /// Saves a change set and waits for it.
  func commit(_ changeSet: ChangeSet) throws -> CommitResult {
    let answer = Answer()
    let isDone = DispatchSemaphore(value: 0)
    commit(changeSet, lendingThread: true) { result in
      answer.result.withLock { $0 = result }
      isDone.signal()
    }
    isDone.wait()
    guard let result = answer.result.withLock({ $0 }) else { preconditionFailure("no answer") }
    return try result.get()
  }

  /// Saves a change set, suspending until it is saved.
  func commit(_ changeSet: ChangeSet) async throws -> CommitResult {
    try await withCheckedThrowingContinuation { continuation in
      commit(changeSet) { continuation.resume(with: $0) }
    }
  }
}

private final class Answer: Sendable {
  let result = Mutex<Result<CommitResult, any Error>?>(nil)
}
