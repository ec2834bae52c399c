// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataRecord

extension HistoryWriter {
  /// Whether the oldest transaction is over the age limit.
  ///
  /// The date of a transaction is in the future if the clock was wrong then, or is wrong now. A
  /// transaction is at least as old as each later one. So if its date is in the future, later
  /// transactions are asked, 1, 2, 4, 8 … places after the oldest and before the last. The oldest
  /// goes with the first of these that is over the limit. Thus at a steady rate of commits, wrong
  /// dates hold nothing back for longer than about twice the limit, however many they are.
  ///
  /// - Parameters:
  ///   - oldest: the generation of the oldest transaction.
  ///   - chunk: its first chunk. A transaction without a date is over any limit.
  ///   - last: the last generation that may go.
  func isOverAge(
    _ oldest: UInt64, _ chunk: UnsafeRawBufferPointer, upTo last: UInt64
  ) throws(LMDBError) -> Bool {
    guard let ageMax = state.ageMax else { return false }
    let now = schema.clock.now.timeIntervalSinceReferenceDate
    guard let date = HistoryEncoder.date(of: chunk) else { return true }
    if !(now - date < Double(ageMax)) { return true }
    if date <= now { return false }
    let reader = HistoryReader(transaction, tree, schema)
    func isOver(_ generation: UInt64) throws(LMDBError) -> Bool {
      let later = try reader.firstChunk(of: generation).flatMap(HistoryEncoder.date)
      return later.map { now - $0 >= Double(ageMax) } ?? false
    }
    guard oldest < last else { return false }
    if try isOver(last) { return true }
    var distance: UInt64 = 1
    while distance < last - oldest {
      if try isOver(oldest + distance) { return true }
      if try isOver(last - distance) { return true }
      distance *= 2
    }
    return false
  }
}
