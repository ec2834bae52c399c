// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataRecord

// Deleting transactions from the history: a few with each commit, as the retention says, or all up
// to one that the program names.
//
// Where transactions are missing, because the file is damaged or a program of a former release has
// saved, the floor rises above the gap. Saves go on, and fetches from below are too old.

extension HistoryWriter {
  /// The transactions that a commit deletes more than it adds.
  private static let prunedCount = 16

  /// Deletes the oldest transactions that the retention lets go.
  ///
  /// Most commits do not look at the tree: the state has the number of bytes, and the date of the
  /// oldest transaction.
  ///
  /// - Parameter last: the last generation that may go.
  mutating func prune(upTo last: UInt64) throws {
    let byteCountKept = state.isOverSize ? state.byteCountAfterPruning : .max
    var slowest: UInt64 = 0
    if state.endsWhenConsumed { slowest = try consumers().values.min() ?? 0 }
    guard state.floor < last,
      byteCountKept < .max || state.floor < slowest || state.mayBeOverAge(by: schema.clock)
    else { return }
    try deleteOldest(addedCount + Self.prunedCount, upTo: last) { writer, generation, chunk in
      try writer.state.byteCount > byteCountKept || generation <= slowest
        || writer.isOverAge(generation, chunk, upTo: last)
    }
  }

  /// Deletes all transactions up to `last`.
  mutating func deleteAll(upTo last: UInt64) throws {
    try deleteOldest(.max, upTo: last) { _, _, _ in true }
  }

  /// Deletes the oldest transactions, and raises the floor above them.
  ///
  /// - Parameters:
  ///   - countMax: how many go at most.
  ///   - last: the last generation that may go. If there is no transaction up to it, the floor
  ///     rises to it.
  ///   - goes: whether the transaction with a generation and a first chunk goes. The first one that
  ///     stays is the last one that is looked at.
  private mutating func deleteOldest(
    _ countMax: Int, upTo last: UInt64,
    where goes: (
      HistoryWriter, _ generation: UInt64, _ chunk: UnsafeRawBufferPointer
    ) throws -> Bool
  ) throws {
    var cursor = try transaction.editCursor(in: tree)
    var isThere = try cursor.seek(above: state.floor)
    var count = 0
    while count < countMax, state.floor < last {
      guard isThere, let oldest = HistoryKey.place(of: cursor.cursor.key)?.generation,
        oldest <= last
      else { return state.raiseFloor(to: last, mark: nil) }
      guard try goes(self, oldest, cursor.cursor.value) else {
        if state.floor < oldest - 1 { state.raiseFloor(to: oldest - 1, mark: nil) }
        state.oldestDate = HistoryEncoder.date(of: cursor.cursor.value)
        return
      }
      let mark = HistoryMark.of(cursor.cursor.value)
      repeat {
        let byteCount = UInt64(cursor.cursor.key.count + cursor.cursor.value.count)
        state.byteCount -= min(byteCount, state.byteCount)
        try cursor.removeCurrent()
        isThere = try cursor.seek(above: oldest - 1)
      } while isThere && HistoryKey.place(of: cursor.cursor.key)?.generation == oldest
      state.raiseFloor(to: oldest, mark: mark)
      count += 1
    }
  }

  private func consumers() throws -> [String: UInt64] {
    try HistoryReader(transaction, tree, schema).consumers()
  }
}

extension EditCursor {
  /// Moves to the first chunk of the oldest transaction after a generation.
  fileprivate mutating func seek(above generation: UInt64) throws(LMDBError) -> Bool {
    try HistoryKey.withChunk(0, of: generation + 1) { (key) throws(LMDBError) in
      try cursor.seek(atOrAbove: key)
    }
  }
}

extension HistoryState {
  fileprivate var isOverSize: Bool { byteCountMax.map { byteCount > $0 } ?? false }

  /// The bytes that stay when there were too many: some less than may stay, so that most of the
  /// commits after that delete nothing.
  fileprivate var byteCountAfterPruning: UInt64 {
    byteCountMax.map { $0 - min($0 / 16, 1 << 16) } ?? .max
  }

  /// False if the age of the oldest transaction is known, and below the limit.
  fileprivate func mayBeOverAge(by clock: StoreClock) -> Bool {
    guard let ageMax else { return false }
    guard let oldestDate else { return true }
    let now = clock.now.timeIntervalSinceReferenceDate
    return !(oldestDate <= now && now - oldestDate < Double(ageMax))
  }
}
