// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// Merges tables of changes, in steps of any length. If several tables have a change of one
/// object, the change of the newest counts.
///
/// ```
///  newest   [ 3  5 │ 8  9 … ]           taken so far │ heads
///  older    [ 1  4 │ 8 12 … ]     ──►   [ 1 3 4 5 ]      next: the newest table's 8
/// ```
///
/// ## Isolation
/// A value of one owner.
struct TableMerge {
  /// Newest first.
  private let tables: [ChangeTable]
  /// How far each table was taken.
  private var places: [Int]
  private var keys: [ObjectKey] = []
  private var values: [Change] = []
  private var kinds = ChangeTable.KindCounts()

  init(_ tables: [ChangeTable]) {
    self.tables = tables
    places = Array(repeating: 0, count: tables.count)
    let count = tables.reduce(0) { $0 + $1.count }
    keys.reserveCapacity(count)
    values.reserveCapacity(count)
  }

  var isFinished: Bool { zip(places, tables).allSatisfy { $0 == $1.count } }

  /// Takes at most `budget` changes, and reduces it by their number.
  mutating func advance(_ budget: inout Int) {
    while budget > 0, let next = nextStretch(&budget) {
      let table = tables[next.table]
      let start = places[next.table]
      let end = table.place(from: start, notBelow: next.limit, atMost: budget)
      kinds.add(table, start..<end)
      if end - start == 1 {
        keys.append(table.keys[start])
        values.append(table.values[start])
      } else {
        keys += table.keys[start..<end]
        values += table.values[start..<end]
      }
      places[next.table] = end
      budget -= end - start
    }
  }

  /// The table that has the least key, and the least key of the others: tables are often apart, so
  /// a stretch of one is taken at once. Steps over changes that a newer table replaces.
  private mutating func nextStretch(_ budget: inout Int) -> (table: Int, limit: UInt64)? {
    var least: Int?
    var key = UInt64.max
    var limit = UInt64.max
    for index in tables.indices where places[index] < tables[index].count {
      var head = tables[index].keys[places[index]].rawValue
      if head == key, least != nil {
        places[index] += 1
        budget -= 1
        if places[index] == tables[index].count { continue }
        head = tables[index].keys[places[index]].rawValue
      }
      if least == nil || head < key {
        (least, limit, key) = (index, key, head)
      } else {
        limit = min(limit, head)
      }
    }
    return least.map { ($0, limit) }
  }

  consuming func finished() -> ChangeTable { ChangeTable(ascending: keys, values, kinds) }
}

extension ChangeTable {
  /// The first place from `start` on whose key is at or above `limit`, but at most `count` places
  /// from there.
  fileprivate func place(from start: Int, notBelow limit: UInt64, atMost count: Int) -> Int {
    keys.withUnsafeBufferPointer { keys in
      let end = Swift.min(keys.count, start + Swift.max(count, 1))
      if keys[end - 1].rawValue < limit { return end }
      var place = start + 1
      while place < end, keys[place].rawValue < limit { place += 1 }
      return place
    }
  }
}
