// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB

extension HistoryWriter {
  /// Whether the oldest transaction is over the age limit.
  ///
  /// The date of a transaction is in the future if the clock was wrong then, or is wrong now. A
  /// transaction is at least as old as each later one. So if its date is in the future, the dates
  /// of the transactions 1, 2, 4, 8 … places later are asked: the oldest goes with the first of
  /// these that is over the limit. Thus a day of wrong dates holds nothing back for longer than
  /// about another day.
  ///
  /// - Parameters:
  ///   - oldest: the generation of the oldest transaction.
  ///   - chunk: its first chunk. A transaction without a date is over any limit.
  ///   - last: the last generation that may go.
  func isOverAge(
    _ oldest: UInt64, _ chunk: UnsafeRawBufferPointer, upTo last: UInt64
  ) throws(LMDBError) -> Bool {
    guard let ageMax = state.ageMax else { return false }
    let now = Date().timeIntervalSinceReferenceDate
    guard let date = HistoryEncoder.date(of: chunk) else { return true }
    if !(now - date < Double(ageMax)) { return true }
    if date <= now { return false }
    let reader = HistoryReader(transaction, tree, schema)
    var distance: UInt64 = 1
    while oldest + distance <= last {
      let later = try reader.firstChunk(of: oldest + distance).flatMap(HistoryEncoder.date)
      if let later, now - later >= Double(ageMax) { return true }
      distance *= 2
    }
    return false
  }
}
