// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// One write transaction for all requests that waited.
///
/// Each save is first checked against the transaction's state, which includes the saves before it in
/// the group; a save that fails its checks has written nothing and the others go on. A write that
/// fails ends the transaction and fails the group.
///
/// States: open, ended.
/// - open → open: a save is checked, and refused or written.
/// - open → ended: commit, with the segments of all written saves tagged; or abort.
///
/// ## Isolation
/// The writer thread.
struct GroupCommit {
  enum Reply {
    case saved(CommitResult)
    case reserved(Range<UInt64>)
  }

  private let queue: CommitQueue
  private let transaction: WriteTransaction
  /// That of the last save in the transaction.
  private var generation: UInt64
  private var hasWritten = false
  private var replies: [Result<Reply, StoreError>] = []
  /// The segments of the written saves, and the news that they make, with the generations that they
  /// get.
  private var written: [(segments: [Segment], news: News)] = []

  /// - Returns: a reply for each request.
  static func perform(
    _ requests: [CommitQueue.Request], in queue: CommitQueue
  ) -> [Result<Reply, StoreError>] {
    do {
      var group = try GroupCommit(queue)
      return group.run(requests)
    } catch {
      let error = StoreError(catching: error)
      return requests.map { _ in .failure(error) }
    }
  }

  private init(_ queue: CommitQueue) throws {
    self.queue = queue
    transaction = try queue.environment.begin()
    do {
      generation = try Catalog.generation(in: transaction)
    } catch {
      transaction.abort()
      throw error
    }
  }

  private mutating func run(_ requests: [CommitQueue.Request]) -> [Result<Reply, StoreError>] {
    do {
      for request in requests { try perform(request) }
      if hasWritten { try commit() } else { transaction.abort() }
      return replies
    } catch {
      let error = StoreError(catching: error)
      transaction.abort()
      return requests.indices.map { index in
        // Who was refused hears why; the others hear what befell the transaction.
        if index < replies.count, case .failure = replies[index] { return replies[index] }
        return .failure(error)
      }
    }
  }

  private mutating func perform(_ request: CommitQueue.Request) throws {
    switch request {
    case .save(let save, _):
      let plan: SavePlan
      do {
        plan = try SaveCheck.plan(save, in: transaction, queue)
      } catch {
        replies.append(.failure(StoreError(catching: error)))
        return
      }
      if plan.isEmpty {
        // No generation for nothing: what was read before is still what the store has.
        let result = CommitResult(
          generation: generation, merged: plan.merged, derived: plan.derived)
        replies.append(.success(.saved(result)))
        return
      }
      hasWritten = true
      let writes = try PlanWriter.write(
        plan, in: transaction, queue.trees, generation: generation + 1)
      generation += 1
      let keys = queue.feed.isFollowed ? plan.changedKeys : nil
      let news = News(
        origin: save.origin, generation: generation, keys: keys,
        decided: Array(plan.merged.keys))
      written.append((save.segments, news))
      let result = CommitResult(
        generation: generation, merged: plan.merged, derived: plan.derived, writes: writes)
      replies.append(.success(.saved(result)))
    case .reserve(let floor, _):
      hasWritten = true
      replies.append(.success(.reserved(try reserve(from: floor))))
    case .delete: preconditionFailure("a batch has a transaction of its own")
    }
  }

  /// Makes all that was written visible and durable.
  ///
  /// Before it is visible it stands in the feed: who takes a snapshot of it finds its news.
  ///
  /// The tags are set while the transaction holds LMDB's write lock: who takes a view later sees a
  /// saved segment either here or in the snapshot. If the commit fails, LMDB has let go of its lock
  /// before it says so; but this thread is the only one that writes here, and another process would
  /// have to finish a whole save in the moment until the tags are off.
  private func commit() throws {
    try Catalog.setGeneration(generation, in: transaction)
    for (segments, news) in written {
      for segment in segments { segment.setTag(news.generation) }
    }
    let entries = written.compactMap { queue.feed.append($0.news) }
    PausePoint.tagged.reach(queue.schema)
    do {
      try transaction.commit()
    } catch {
      if !PlantedFault.tagStays.isPlanted(in: queue.schema) {
        for segment in written.flatMap(\.segments) { segment.clearTag() }
      }
      for entry in entries { queue.feed.void(entry) }
      throw error
    }
    for (_, news) in written { queue.feed.tell(news) }
  }

  // MARK: - Serials

  private func reserve(from floor: UInt64) throws -> Range<UInt64> {
    let free = try Catalog.firstFreeSerial(in: transaction)
    let first = max(free, floor, try highestSerial() + 1)
    let end = first + SerialAllocator.blockCount
    guard end <= ObjectKey.serialMax else {
      throw StoreError.storeFull
    }
    try Catalog.setFirstFreeSerial(end, in: transaction)
    return first..<end
  }

  /// The highest serial of any record. The catalog is above it unless the file was put together
  /// from damaged parts.
  private func highestSerial() throws -> UInt64 {
    var highest: UInt64 = 0
    for entity in queue.schema.entities {
      guard let tree = queue.trees.records(of: entity.number) else { continue }
      var cursor = try transaction.cursor(in: tree)
      if try cursor.last(), let serial = RecordKey.number(of: cursor.key) {
        highest = max(highest, serial)
      }
    }
    return highest
  }
}

extension StoreError {
  /// What a save may run into, as the layer's own error.
  init(catching error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as LMDBError: self.init(error)
    default: preconditionFailure("a store throws nothing else: \(error)")
    }
  }
}
