// SPDX-License-Identifier: Apache-2.0
import CStrata
import Dispatch
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord
import Synchronization

/// The queue of requests to write. One job of the writer takes all waiting requests and writes them
/// in one transaction with one sync: group commit. A lone saver waits for no others. If several
/// savers save at the same time, a job waits a moment for the savers that will probably return
/// (`GroupForecast`).
///
/// The queue of a store that is opened read-only refuses every request: nothing else of a store
/// begins a write transaction.
///
/// A saver that only waits lends its thread to the job, if no job is under way.
///
/// If the file has no room for a group, two empty commits make freed pages usable. Then each
/// request is written once more, in a transaction for it alone.
///
/// A job takes its requests after its transaction has begun. While it waits for another process to
/// end its own, the requests still wait here, and are given up when they have waited for too long.
///
/// ## Invariants
/// - I1 Requests are written in the order of `enqueue`.
/// - I2 If a request waits and the queue is not held, a job that will take it is submitted.
/// - I3 A request is taken or given up, not both: it leaves `waiting` once.
/// - I4 `gathered` is signalled once for each time that `isGathering` is set and another thread
///   than the job's clears it.
///
/// ## Isolation
/// Sendable.
final class CommitQueue: Sendable {
  enum Request: Sendable {
    case save(ChangeSet, @Sendable (Result<CommitResult, any Error>) -> Void)
    /// A block of serials at or above a number.
    case reserve(from: UInt64, @Sendable (Result<Range<UInt64>, any Error>) -> Void)
    /// Has a transaction of its own, so that its errors end no other save, and it can be cancelled.
    case batch(StoreBatch, @Sendable (Result<BatchOutcome, any Error>) -> Void)
    /// Has a transaction of its own, because it changes how saves are recorded.
    case history(HistoryEdit, @Sendable (Result<Void, any Error>) -> Void)
    /// A value of a program, by its key; nil to remove it. Has a transaction of its own.
    case value(Data?, key: String, @Sendable (Result<Void, any Error>) -> Void)
  }

  private struct Waiting {
    let request: Request
    let arrival: SuspendingClock.Instant
  }

  let environment: Environment
  let trees: Trees
  let schema: Schema
  let isReadOnly: Bool
  /// The feed of the file, whichever store of this process writes to it.
  let feed: ChangeFeed

  private let knownReservedEnd = Atomic<UInt64>(0)

  /// A committed state of the catalog's counter of serials, which only rises; 0 if none is known.
  /// A save of objects below it does not read the counter. Set by the writer thread.
  var reservedEnd: UInt64 {
    get { knownReservedEnd.load(ordering: .relaxed) }
    set { knownReservedEnd.store(newValue, ordering: .relaxed) }
  }

  private let knownNormalKeys = Atomic(false)

  /// Whether the keys of programs' values in the store are known to be in NFC. Set by the writer
  /// thread.
  var hasNormalKeys: Bool {
    get { knownNormalKeys.load(ordering: .relaxed) }
    set { knownNormalKeys.store(newValue, ordering: .relaxed) }
  }

  private struct State {
    /// In the order of their arrivals.
    var waiting: [Waiting] = []
    var isScheduled = false
    /// A job has taken its requests, and has not completed them yet.
    var isWriting = false
    var forecast = GroupForecast()
    /// The job that will take the waiting requests waits for more.
    var isGathering = false
    /// Requests wait until this thread releases the queue; nil if they do not wait.
    var holder: UInt?
    var successor: Successor?

    /// Whether the job that gathers has waited long enough: all that were expected have come.
    mutating func endGathering() -> Bool {
      guard isGathering, waiting.count >= forecast.count else { return false }
      isGathering = false
      return true
    }
  }

  /// Takes the requests of a retired queue.
  private struct Successor {
    let enqueue: @Sendable (Request) -> Void
  }

  private let state = CountedMutex(State())
  /// Signalled when all that were expected have come.
  private let gathered = DispatchSemaphore(value: 0)

  /// Objects that one transaction may take from more than one save: more bring little per object,
  /// and the first saver would wait long.
  private static let groupChangeCountMax = 100_000

  init(environment: Environment, trees: Trees, schema: Schema, isReadOnly: Bool) {
    self.environment = environment
    self.isReadOnly = isReadOnly
    self.trees = trees
    self.schema = schema
    feed = StoreFeeds.feed(of: environment)
  }

  /// - Parameter lendsThread: whether the caller does nothing until the request is completed. Then
  ///   it may be written on the caller's thread, before this returns, and others' with it. On the
  ///   writer thread, and on the one that holds the queue, such a request fails with
  ///   `wouldDeadlock`.
  func enqueue(_ request: Request, lendingThread lendsThread: Bool = false) {
    if isReadOnly { return request.fail(.readOnly) }
    if lendsThread, environment.isOnWriterThread { return request.fail(.wouldDeadlock) }
    let entry: Entry = state.withLock { state in
      if let successor = state.successor { return .passedOn(successor) }
      if lendsThread, state.holder == Self.thisThread { return .refused }
      state.waiting.append(Waiting(request: request, arrival: .now))
      if state.holder != nil { return .held }
      defer { state.isScheduled = true }
      return .waiting(isFirst: !state.isScheduled, isLast: state.endGathering())
    }
    switch entry {
    case .passedOn(let successor): successor.enqueue(request)
    case .refused: request.fail(.wouldDeadlock)
    case .held: break
    case .waiting(let isFirst, let isLast):
      if isLast { gathered.signal() }
      if isFirst { schedule(lendingThread: lendsThread) }
    }
  }

  private enum Entry {
    case passedOn(Successor)
    case refused
    case held
    case waiting(isFirst: Bool, isLast: Bool)
  }

  /// Waits until all that was enqueued has been written or given up.
  ///
  /// - Important: This traps on the writer thread, which would wait for itself.
  func finish() {
    require(
      !environment.isOnWriterThread, "A store is not closed in the completion of a save.")
    while state.withLock({ $0.isScheduled || $0.isWriting }) {
      let arrival = SuspendingClock.now
      let isDone = Answer<Bool>()
      do {
        try environment.submit(
          lendingThread: true,
          givingUpBy: { arrivedUpTo, _ in
            if arrival > arrivedUpTo { return arrival }
            isDone.give(.success(false))
            return nil
          }, { isDone.give(.success(true)) })
        guard try isDone.wait() else { return }
      } catch {
        return
      }
    }
  }

  // MARK: - Holding

  /// Lets requests wait from now on, and waits until none is being written.
  func hold() {
    state.withLock { $0.holder = Self.thisThread }
    finish()
  }

  /// The thread that has called `hold`; nil if requests are written. Code of the program that it
  /// calls must not wait for one.
  var holder: UInt? { state.withLock { $0.holder } }

  static var thisThread: UInt { UInt(strata_thread_id()) }

  /// Ends `hold`: the requests that wait are written.
  func release() {
    let isFirst = state.withLock { state in
      state.holder = nil
      defer { state.isScheduled = state.isScheduled || !state.waiting.isEmpty }
      return !state.isScheduled && !state.waiting.isEmpty
    }
    if isFirst { schedule() }
  }

  /// Passes on all later requests of a held queue.
  ///
  /// - Parameter successor: called with each of them, outside of the queue's lock.
  /// - Returns: the requests that wait; the queue has none of them any more.
  func retire(forwardingTo successor: @escaping @Sendable (Request) -> Void) -> [Request] {
    state.withLock { state in
      defer { state.waiting = [] }
      state.successor = Successor(enqueue: successor)
      return state.waiting.map(\.request)
    }
  }

  /// The first free serial in the catalog; nil if it cannot be read.
  func firstFreeSerial() -> UInt64? {
    guard let transaction = try? environment.read() else { return nil }
    return try? Catalog.firstFreeSerial(in: transaction)
  }

  private func schedule(lendingThread lendsThread: Bool = false) {
    do {
      try environment.submit(lendingThread: lendsThread, givingUpBy: giveUp, writeGroup)
    } catch {
      let requests = state.withLock { state in
        // The job that submits this one may still be writing.
        defer { (state.waiting, state.isScheduled) = ([], false) }
        return state.waiting.map(\.request)
      }
      for request in requests { request.fail(StoreError(error)) }
    }
  }

  /// Fails the requests that came at `arrivedUpTo` or before, and that no job has taken.
  ///
  /// - Returns: when the first of the others came.
  private func giveUp(
    _ arrivedUpTo: SuspendingClock.Instant, _ error: LMDBError
  ) -> SuspendingClock.Instant? {
    let (requests, next) = state.withLock { state in
      let requests = state.waiting.prefix { $0.arrival <= arrivedUpTo }.map(\.request)
      state.waiting.removeFirst(requests.count)
      return (requests, state.waiting.first?.arrival)
    }
    for request in requests { request.fail(StoreError(error)) }
    return next
  }

  private func writeGroup() {
    gather()
    let start = DispatchTime.now()
    let begun = Result { () throws(LMDBError) in try environment.begin() }
    let requests = takeGroup()
    let replies: [GroupCommit.Reply]
    switch begun {
    case .success(let transaction):
      replies = write(requests, in: transaction, since: start)
      // Nothing that was committed is undone by it.
      transaction.abort()
    case .failure(let error):
      replies = requests.map { request in { request.fail(StoreError(error)) } }
    }
    LateReaderWarning.logIfDue(environment)
    for reply in replies { reply() }
    state.withLock { $0.isWriting = false }
  }

  /// - Returns: a reply for each request. All are given after the group is written.
  private func write(
    _ requests: [Request], in transaction: WriteTransaction, since start: DispatchTime
  ) -> [GroupCommit.Reply] {
    // The rows of a batch may come only once.
    var lackOfRoom: (any Error)?
    if !(requests.first?.isBatch ?? false) || !environment.isNearlyFull {
      do {
        return try perform(requests, in: transaction, since: start)
      } catch {
        lackOfRoom = error
      }
    }
    transaction.abort()
    return requests.flatMap { writeWithFreedPages($0, after: lackOfRoom) }
  }

  /// - Returns: a reply for each request.
  /// - Throws: `storeFull`, `diskFull`: nothing was written, and it can be tried again.
  func perform(
    _ requests: [Request], in transaction: WriteTransaction, since start: DispatchTime
  ) throws -> [GroupCommit.Reply] {
    switch requests.first {
    case nil: return []
    case .batch(let batch, let completion):
      let result = BatchCommit.perform(batch, in: transaction, self)
      return [{ completion(result) }]
    case .history(let edit, let completion):
      let result = HistoryCommit.perform(edit, in: transaction, self)
      try result.throwLackOfRoom()
      return [{ completion(result) }]
    case .value(let value, let key, let completion):
      let result = ValueCommit.perform(value, forKey: key, in: transaction, self)
      try result.throwLackOfRoom()
      return [{ completion(result) }]
    case .save, .reserve: break
    }
    let replies = try GroupCommit.perform(requests, in: transaction, self)
    let end = DispatchTime.now()
    // Runs before any saver is answered and may return.
    state.withLock { state in
      state.forecast.noteCommit(
        of: requests.count, arrivedCount: state.waiting.count, from: start, to: end)
    }
    return replies
  }

  /// Waits until all expected savers are there, or are no longer expected.
  private func gather() {
    let deadline: DispatchTime? = state.withLock { state in
      state.isGathering = true
      return state.endGathering() ? nil : state.forecast.deadline
    }
    guard let deadline, gathered.wait(timeout: deadline) == .timedOut else { return }
    let isTooLate = state.withLock { state in
      defer { state.isGathering = false }
      return !state.isGathering
    }
    // The last one came at that very moment, and has signalled or will; that is for no later group.
    if isTooLate { gathered.wait() }
  }

  /// The requests to write next: none if the queue is held, or if all were given up. A job is
  /// submitted for the rest, if there is a rest.
  private func takeGroup() -> [Request] {
    let (requests, isMore) = state.withLock { state in
      var count = 0
      var changeCount = 0
      for request in state.holder != nil ? [] : state.waiting.map(\.request) {
        if request.isAlone {
          count = max(count, 1)
          break
        }
        if case .save(let save, _) = request { changeCount += save.changes.count }
        if count > 0, changeCount > Self.groupChangeCountMax { break }
        count += 1
      }
      state.isScheduled = count < state.waiting.count && state.holder == nil
      state.isWriting = true
      let taken = state.waiting.prefix(count).map(\.request)
      state.waiting.removeFirst(count)
      return (taken, state.isScheduled)
    }
    if isMore { schedule() }
    return requests
  }
}

extension CommitQueue.Request {
  func fail(_ error: StoreError) {
    switch self {
    case .save(_, let completion): completion(.failure(error))
    case .reserve(_, let completion): completion(.failure(error))
    case .batch(_, let completion): completion(.failure(error))
    case .history(_, let completion): completion(.failure(error))
    case .value(_, _, let completion): completion(.failure(error))
    }
  }

  /// How many objects a save deletes.
  var deletedCount: Int {
    guard case .save(let save, _) = self, save.changes.hasDeletes else { return 0 }
    return save.changes.values.count { $0.kind == .delete }
  }

  var isBatch: Bool {
    if case .batch = self { true } else { false }
  }

  /// Whether the request has a transaction of its own.
  fileprivate var isAlone: Bool {
    switch self {
    case .save, .reserve: false
    case .batch, .history, .value: true
    }
  }
}
