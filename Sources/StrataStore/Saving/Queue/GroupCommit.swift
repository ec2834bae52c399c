// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// One write transaction for all requests that waited.
///
/// Each save is first checked against the transaction's state, which includes the saves before it
/// in the group; a save that fails its checks has written nothing and the others go on. A write
/// that fails ends the transaction and fails the group.
///
/// ## States
/// Open, ended.
/// - open → open: a save is checked, and refused or written.
/// - open → ended: commit, with the segments of all written saves tagged; or abort.
///
/// ## Isolation
/// The writer thread.
struct GroupCommit {
  /// Reports a request's result to its saver.
  typealias Reply = () -> Void

  private let queue: CommitQueue
  private let transaction: WriteTransaction
  /// The generation of the last save in the transaction.
  private var generation: UInt64
  /// A state of the counter of serials in the transaction: it is here or above.
  private var reservedEnd: UInt64
  private var hasWritten = false
  /// Whether another process has the file open.
  private let isShared: Bool
  /// Nil if the store keeps no history.
  private var history: HistoryWriter?
  /// By request: rejected saves keep their own error; the others get the transaction's.
  private var replies: [(isRefusal: Bool, give: Reply)] = []
  private var written: [WrittenSave] = []

  /// - Returns: a reply for each request.
  /// - Throws: `storeFull`, `diskFull`: nothing was written.
  static func perform(
    _ requests: [CommitQueue.Request], in transaction: WriteTransaction, _ queue: CommitQueue
  ) throws -> [Reply] {
    var group: GroupCommit
    do {
      group = try GroupCommit(transaction, queue)
    } catch {
      let error = StoreError(catching: error)
      return requests.map { request in { request.fail(error) } }
    }
    return try group.run(requests)
  }

  private init(_ transaction: WriteTransaction, _ queue: CommitQueue) throws {
    self.queue = queue
    self.transaction = transaction
    isShared = transaction.isShared
    reservedEnd = queue.reservedEnd
    generation = try Catalog.generation(in: transaction, ofVersion: queue.schema.version)
    history = try HistoryWriter(in: transaction, queue.schema)
  }

  private mutating func run(_ requests: [CommitQueue.Request]) throws -> [Reply] {
    do {
      for request in requests { try perform(request) }
      if hasWritten {
        try history?.finish(generation: generation)
        try queue.commit(transaction, generation: generation, written)
        queue.reservedEnd = reservedEnd
      } else {
        transaction.abort()
      }
      return replies.map(\.give)
    } catch {
      let error = StoreError(
        catching: error, deletedCount: requests.reduce(0) { $0 + $1.deletedCount })
      transaction.abort()
      if error.isLackOfRoom { throw error }
      return requests.indices.map { index in
        let isRefused = index < replies.count && replies[index].isRefusal
        return isRefused ? replies[index].give : { requests[index].fail(error) }
      }
    }
  }

  private mutating func perform(_ request: CommitQueue.Request) throws {
    switch request {
    case .save(let save, let completion):
      let plan: SavePlan
      do {
        plan = try SaveCheck.plan(save, in: transaction, queue)
      } catch {
        let error = StoreError(catching: error)
        if PlantedFault.publishedBeforeCommit.isPlanted(in: queue.schema) {
          var unchecked = save
          unchecked.mergePolicy = .overwrite
          _ = try write(SaveCheck.plan(unchecked, in: transaction, queue), of: save, segments: [])
        }
        return replies.append((true, { completion(.failure(error)) }))
      }
      let writes = try write(plan, of: save, segments: save.shown)
      let result = CommitResult(
        generation: generation, merged: plan.merged, derived: plan.derived, writes: writes)
      replies.append((false, { completion(.success(result)) }))
    case .reserve(let floor, let completion):
      let block: Range<UInt64>
      do {
        block = try transaction.freeSerials(
          SerialAllocator.blockCount, from: floor, queue.trees, queue.schema)
      } catch {
        let error = StoreError(catching: error)
        return replies.append((true, { completion(.failure(error)) }))
      }
      hasWritten = true
      try Catalog.setFirstFreeSerial(block.upperBound, in: transaction)
      reservedEnd = block.upperBound
      replies.append((false, { completion(.success(block)) }))
    case .batch, .history, .value: stopProgram("it has a transaction of its own")
    }
  }

  /// Writes a planned save, with the next generation. A save that writes nothing gets no
  /// generation: earlier reads still equal the store's records.
  ///
  /// - Parameter segments: the segments that get a tag.
  private mutating func write(
    _ plan: SavePlan, of save: ChangeSet, segments: [Segment]
  ) throws -> WriteCount {
    if plan.isEmpty { return WriteCount() }
    hasWritten = true
    generation += 1
    let record = try record(of: plan)
    reservedEnd = try transaction.reserveSerials(of: plan, reservedBelow: reservedEnd)
    let writes = try PlanWriter.write(plan, in: transaction, queue.trees, generation: generation)
    if let record {
      try history?.append(
        record, generation: generation, author: save.author, contextName: save.contextName)
    }
    let keys = queue.feed.isFollowed || isShared ? plan.changedKeys : nil
    let event = ChangeEvent(
      committing: save, generation: generation, keys: keys, decided: Array(plan.merged.keys))
    written.append(WrittenSave(segments: segments, storePlace: save.storePlace, event: event))
    return writes
  }

  /// The changes of a planned save, before it is written; nil if the store keeps no history.
  private func record(of plan: SavePlan) throws -> HistoryRecord? {
    guard history != nil else { return nil }
    var record = HistoryRecord(queue.schema)
    try record.note(
      plan,
      in: StoreView(transaction, queue.trees, queue.schema, generation: generation - 1))
    return record
  }
}
