// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataChanges
import StrataLMDB
import StrataRecord
import Synchronization

/// What waits to be written. One job on the writer thread takes all that waits and puts it into one
/// transaction and one sync: group commit, without any saver waiting for a timer.
///
/// ## Invariants
/// - I1 Requests are written in the order of `enqueue`.
/// - I2 If anything waits, a job that will take it is submitted.
///
/// ## Isolation
/// Sendable.
final class CommitQueue: Sendable {
  enum Request: Sendable {
    case save(ChangeSet, @Sendable (Result<CommitResult, any Error>) -> Void)
    /// A block of serials at or above a number.
    case reserve(from: UInt64, @Sendable (Result<Range<UInt64>, StoreError>) -> Void)
    /// Has a transaction of its own: whatever it meets ends nobody else's save, and it may be cancelled.
    case delete(BatchDeletion, @Sendable (Result<BatchOutcome, any Error>) -> Void)
  }

  let environment: Environment
  let trees: Trees
  let schema: Schema
  let duties: [LinkDuties]
  /// The feed of the file, whichever store of this process writes to it.
  let feed: ChangeFeed

  private struct State {
    var waiting: [Request] = []
    var isScheduled = false
  }

  private let state = Mutex(State())

  /// Objects that one transaction may take from more than one save: more bring little per object,
  /// and the first saver would wait long.
  private static let groupChangeCountMax = 100_000

  init(environment: Environment, trees: Trees, schema: Schema, duties: [LinkDuties]) {
    self.environment = environment
    self.trees = trees
    self.schema = schema
    self.duties = duties
    feed = StoreFeeds.feed(of: environment)
  }

  func enqueue(_ request: Request) {
    let isFirst = state.withLock { state in
      state.waiting.append(request)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { schedule() }
  }

  /// Waits until all that was enqueued has been written.
  ///
  /// - Important: Not on the writer thread, which would wait for itself: this traps there.
  func finish() {
    precondition(
      !environment.isOnWriterThread, "A store is not closed in the completion of a save.")
    let isDone = DispatchSemaphore(value: 0)
    while state.withLock({ $0.isScheduled }) {
      do {
        try environment.submit { isDone.signal() }
      } catch {
        return
      }
      isDone.wait()
    }
  }

  /// The first serial that the catalog knows to be free, as far as it can be read.
  func firstFreeSerial() -> UInt64 {
    guard let transaction = try? environment.read(),
      let serial = try? Catalog.firstFreeSerial(in: transaction)
    else { return 1 << 47 }
    return serial
  }

  private func schedule() {
    do {
      try environment.submit { [self] in writeGroup() }
    } catch {
      let requests = state.withLock { state in
        defer { state = State() }
        return state.waiting
      }
      for request in requests { request.fail(StoreError(error)) }
    }
  }

  private func writeGroup() {
    let requests = takeGroup()
    if case .delete(let deletion, let completion) = requests.first {
      return completion(BatchCommit.perform(deletion, in: self))
    }
    let replies = GroupCommit.perform(requests, in: self)
    for (request, reply) in zip(requests, replies) { request.complete(reply) }
  }

  /// What is next to be written. The rest, if any, has its job submitted.
  private func takeGroup() -> [Request] {
    let (requests, isMore) = state.withLock { state in
      var count = 0
      var changeCount = 0
      for request in state.waiting {
        if request.isAlone {
          count = max(count, 1)
          break
        }
        if case .save(let save, _) = request { changeCount += save.changes.count }
        if count > 0, changeCount > Self.groupChangeCountMax { break }
        count += 1
      }
      let taken = Array(state.waiting.prefix(count))
      state.waiting.removeFirst(count)
      state.isScheduled = !state.waiting.isEmpty
      return (taken, state.isScheduled)
    }
    if isMore { schedule() }
    return requests
  }
}

extension CommitQueue.Request {
  fileprivate func complete(_ reply: Result<GroupCommit.Reply, StoreError>) {
    switch (self, reply) {
    case (.save(_, let completion), .success(.saved(let result))): completion(.success(result))
    case (.reserve(_, let completion), .success(.reserved(let block))): completion(.success(block))
    case (_, .failure(let error)): fail(error)
    case (_, .success): preconditionFailure("a reply is of its request's kind")
    }
  }

  fileprivate func fail(_ error: StoreError) {
    switch self {
    case .save(_, let completion): completion(.failure(error))
    case .reserve(_, let completion): completion(.failure(error))
    case .delete(_, let completion): completion(.failure(error))
    }
  }

  /// Whether it shares its transaction with nobody.
  fileprivate var isAlone: Bool { if case .delete = self { true } else { false } }
}
