// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// Inserts and updates objects within a write transaction, without making any instances. Each part
/// is checked and planned as a save is, over the state after the parts before it. The store ends in
/// the same state as after making all changes in a context and saving.
///
/// The rules that hold for the whole batch are checked at its end: numbers of members, and unique
/// values if objects that exist may change.
///
/// ## Lifetime
/// A part, its plan and the view that it was made from are released before the next part is made.
///
/// ## Isolation
/// The writer thread.
struct BatchWrite {
  private let writing: BatchWriting
  private let commit: BatchCommit
  private let before: ReadView
  private let defersUniqueness: Bool
  private var uniqueness = DeferredUniqueness()
  private var keys = ChangedKeys()
  private var count = 0
  /// The value of `count` when the process last gave back the pages of the file.
  private var countAtGivingBack = 0
  /// The changes for the store's history; nil if it keeps none.
  private(set) var history: HistoryRecord?

  /// The number of objects to write before the pages of the file that were read are given back. A
  /// large batch would keep them all in the process's memory. A small batch gives back none,
  /// because others may be reading them.
  private static var countBetweenGivingBack: Int { 16_384 }

  init(_ writing: BatchWriting, for commit: BatchCommit, history: HistoryRecord?) throws {
    self.writing = writing
    self.commit = commit
    self.history = history
    // A derived value may be unique, and every part may change it.
    defersUniqueness = writing.changesObjects || !commit.queue.schema.derivation.isEmpty
    before = try commit.viewBefore()
  }

  /// - Throws: `StoreError`, `LMDBError`, `CancellationError`; the errors of the parts. After an
  ///   error the transaction can only be aborted.
  mutating func run() throws -> BatchOutcome {
    while let part = try makePart() {
      try commit.batch.watch.check()
      if !part.isEmpty { try write(part) }
      if count - countAtGivingBack >= Self.countBetweenGivingBack {
        commit.queue.environment.giveBackPages()
        countAtGivingBack = count
      }
    }
    let view = commit.takeView().read
    if defersUniqueness { try uniqueness.check(in: view, commit.batch.watch) }
    try writing.parts.finish(in: view)
    return BatchOutcome(count: count, keys: commit.notesKeys ? keys : nil)
  }

  private func makePart() throws -> Segment? {
    let view = commit.takeView().read
    return try writing.parts.next(
      BatchStates(before: before, current: view) { [commit] count in
        let serials = try commit.transaction.freeSerials(
          UInt64(count), commit.queue.trees, commit.queue.schema)
        try Catalog.setFirstFreeSerial(serials.upperBound, in: commit.transaction)
        return serials
      })
  }

  private mutating func write(_ part: Segment) throws {
    let save = ChangeSet(Overlay([part]), mergePolicy: .error)
    let plan = try SaveCheck.plan(
      save, in: commit.transaction, commit.queue, isPartOfBatch: true,
      checksUniqueness: !defersUniqueness)
    try note(plan)
    _ = try PlanWriter.write(
      plan, in: commit.transaction, commit.queue.trees, generation: commit.generation)
    if defersUniqueness { uniqueness.note(plan) }
  }

  private mutating func note(_ plan: SavePlan) throws {
    count += plan.sections.reduce(0) { $0 + $1.items.count }
    if plan.sections.isEmpty, !plan.isEmpty { count += 1 }
    if commit.notesKeys { keys.append(plan.changedKeys) }
    if history != nil { try history?.note(plan, in: commit.takeView().store) }
  }
}
