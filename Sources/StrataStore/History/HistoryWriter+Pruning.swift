// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel

// Deleting transactions from the history: a few with each commit, as the retention says, or all up
// to one that the program names.
//
// Where transactions are missing, because the file is damaged or a program of a former release has
// saved, the floor rises above the gap. Saves go on, and fetches from below are too old.

extension HistoryWriter {
  /// The transactions that a commit deletes more than it adds.
  private static let prunedCount = 8

  /// Deletes the oldest transactions that the retention lets go.
  ///
  /// - Parameter last: the last generation that may go.
  mutating func prune(upTo last: UInt64) throws {
    var rest = addedCount + Self.prunedCount
    var slowest: UInt64?
    if state.endsWhenConsumed { slowest = try consumers().values.min() }
    while rest > 0, state.floor < last {
      let isDeleted = try deleteOldest(upTo: last) { state, generation, chunk in
        state.isOverSize || slowest.map { generation <= $0 } ?? false || state.isOverAge(chunk)
      }
      guard isDeleted else { return }
      rest -= 1
    }
  }

  /// Deletes all transactions up to `last`.
  mutating func deleteAll(upTo last: UInt64) throws {
    while state.floor < last { _ = try deleteOldest(upTo: last) { _, _, _ in true } }
  }

  /// Deletes the oldest transaction, and raises the floor to it.
  ///
  /// - Parameters:
  ///   - last: the last generation that may go. If there is no transaction up to it, the floor
  ///     rises to it.
  ///   - goes: whether the transaction with a generation and a first chunk goes.
  /// - Returns: false if it stays.
  private mutating func deleteOldest(
    upTo last: UInt64,
    where goes: (HistoryState, _ generation: UInt64, _ chunk: UnsafeRawBufferPointer) -> Bool
  ) throws -> Bool {
    var cursor = try transaction.editCursor(in: tree)
    let isThere = try HistoryKey.withChunk(0, of: state.floor + 1) {
      try cursor.cursor.seek(atOrAbove: $0)
    }
    guard isThere, let oldest = HistoryKey.place(of: cursor.cursor.key)?.generation, oldest <= last
    else {
      state.floor = last
      return true
    }
    guard goes(state, oldest, cursor.cursor.value) else {
      state.floor = oldest - 1
      return false
    }
    repeat {
      let byteCount = UInt64(cursor.cursor.key.count + cursor.cursor.value.count)
      state.byteCount -= min(byteCount, state.byteCount)
      try cursor.removeCurrent()
    } while try HistoryKey.withChunk(0, of: oldest, { try cursor.cursor.seek(atOrAbove: $0) })
      && HistoryKey.place(of: cursor.cursor.key)?.generation == oldest
    state.floor = oldest
    return true
  }

  private func consumers() throws -> [String: UInt64] {
    try HistoryReader(transaction, tree, schema).consumers()
  }
}

extension HistoryState {
  fileprivate var isOverSize: Bool { byteCountMax.map { byteCount > $0 } ?? false }

  /// - Parameter chunk: the first chunk of a transaction. One without a date is over any age.
  fileprivate func isOverAge(_ chunk: UnsafeRawBufferPointer) -> Bool {
    guard let ageMax else { return false }
    guard chunk.count >= HistoryEncoder.headByteCount + 8 else { return true }
    let bits = chunk.loadUnaligned(fromByteOffset: HistoryEncoder.headByteCount, as: UInt64.self)
    let seconds = Double(bitPattern: UInt64(littleEndian: bits))
    return !(Date().timeIntervalSinceReferenceDate - seconds < Double(ageMax))
  }
}
