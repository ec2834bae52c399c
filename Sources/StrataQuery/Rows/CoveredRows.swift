// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// The computation of rows from one index, without records (`CoveredAccess`), and what it may leave
/// out: the order of the objects, their keys, most of the entries.
struct CoveredRows: Sendable {
  private let access: CoveredAccess
  /// Whether the rows are the same in any order of the objects.
  private let isOrderFree: Bool
  /// Whether an object's key has a part in the rows.
  private let areKeysRead: Bool
  /// Whether 0 and -0 give the same rows.
  private let readsZero: Bool
  /// The only slot, if the rows are its least and its greatest value.
  private let extremeSlot: Int?

  /// - Parameter log: the paths of the columns and of the groups.
  /// - Returns: nil if records are read.
  init?(of objects: QueryPlan, _ log: PathLog, _ groups: RowPlan.Groups?) {
    guard let slots = log.slotsAlone, let access = CoveredAccess(objects, slots: slots) else {
      return nil
    }
    let hasWindow = objects.offset > 0 || objects.limit != nil
    let aggregates = groups?.aggregates ?? []
    let isOneGroup = groups?.keys.isEmpty == true
    isOrderFree = groups != nil && !hasWindow && aggregates.allSatisfy(\.isOrderFree)
    areKeysRead = !isOneGroup || !aggregates.allSatisfy { $0.slot != nil || $0.countsObjects }
    readsZero =
      !areKeysRead && aggregates.allSatisfy { $0.function != .min && $0.function != .max }
    let isOfExtremes =
      isOneGroup && !hasWindow && aggregates.allSatisfy { [.min, .max].contains($0.function) }
    extremeSlot =
      isOfExtremes && Set(aggregates.map(\.slot)).count == 1 ? aggregates.first?.slot : nil
    // The entries of a whole index in the order of the objects would all be kept in memory.
    if !isOrderFree, extremeSlot == nil, objects.condition == nil, objects.sort.isEmpty {
      return nil
    }
    self.access = access
  }

  /// Calls `body` with each row, in the order of the request, until `body` returns `.stop`.
  ///
  /// - Returns: false if records must be read; no row was visited then.
  func visit(
    _ objects: QueryPlan, in view: ReadView, _ trace: RowTrace?,
    _ body: (Row) throws -> ScanStep
  ) throws -> Bool {
    try fetching(objects, in: view, trace) { try $0.visit(body) }
  }

  /// Calls `body` with rows that give the same groups as all rows, and how many objects have each.
  ///
  /// - Returns: false if records must be read; the rows that were visited do not count then.
  func gather(
    _ objects: QueryPlan, in view: ReadView, _ trace: RowTrace?,
    _ body: (Row, _ count: Int) throws -> Void
  ) throws -> Bool {
    try fetching(objects, in: view, trace) { fetch in
      if let extremeSlot, try fetch.visitExtremes(of: extremeSlot, { try body($0, 1) }) {
        return true
      }
      if isOrderFree { return try fetch.visitUnordered(areKeysRead: areKeysRead, body) }
      return try fetch.visit { row in
        try body(row, 1)
        return .more
      }
    }
  }

  private func fetching(
    _ objects: QueryPlan, in view: ReadView, _ trace: RowTrace?,
    _ body: (CoveredFetch) throws -> Bool
  ) throws -> Bool {
    let fetch = CoveredFetch(access, of: objects, in: view, readsZero: readsZero)
    let isDone = try body(fetch)
    trace?.end(fetch.explained, fetch.reads)
    return isDone
  }
}
