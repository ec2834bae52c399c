// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataModel

// Deleting transactions from the history: a few with each commit, as the retention says, or all up
// to one that the program names.

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
      let next = state.floor + 1
      guard try isOverSize || slowest.map({ next <= $0 }) ?? false || isOverAge(next) else {
        return
      }
      try delete(next)
      rest -= 1
    }
  }

  /// Deletes all transactions up to `last`.
  mutating func deleteAll(upTo last: UInt64) throws {
    while state.floor < last { try delete(state.floor + 1) }
  }

  private var isOverSize: Bool { state.byteCountMax.map { state.byteCount > $0 } ?? false }

  private func isOverAge(_ generation: UInt64) throws -> Bool {
    guard let ageMax = state.ageMax else { return false }
    let first = try HistoryKey.withChunk(0, of: generation) { try transaction.get($0, in: tree) }
    guard let first, first.count >= HistoryEncoder.headByteCount + 8 else {
      throw missing(generation)
    }
    let bits = first.loadUnaligned(fromByteOffset: HistoryEncoder.headByteCount, as: UInt64.self)
    let seconds = Double(bitPattern: UInt64(littleEndian: bits))
    return Date().timeIntervalSinceReferenceDate - seconds >= Double(ageMax)
  }

  /// Deletes the oldest transaction.
  private mutating func delete(_ generation: UInt64) throws {
    var cursor = try transaction.editCursor(in: tree)
    var number: UInt32 = 0
    while true {
      let isThere = try HistoryKey.withChunk(number, of: generation) {
        try cursor.cursor.seek(exactly: $0)
      }
      guard isThere else { break }
      let byteCount = UInt64(cursor.cursor.key.count + cursor.cursor.value.count)
      state.byteCount -= min(byteCount, state.byteCount)
      try cursor.removeCurrent()
      number += 1
    }
    if number == 0 { throw missing(generation) }
    state.floor = generation
  }

  private func missing(_ generation: UInt64) -> StoreError {
    .damagedHistory(generation, "the transaction is missing")
  }

  private func consumers() throws -> [String: UInt64] {
    try HistoryReader(transaction, tree, schema).consumers()
  }
}
