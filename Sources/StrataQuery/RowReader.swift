// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
package import StrataRecord

/// Reads slots of rows for conditions, following to-one relationships through the read view.
///
/// Targets are kept for the length of the fetch, because many objects share one: a hundred people
/// of a company read its record once.
///
/// ## Isolation
/// One fetch's; not Sendable.
package final class RowReader {
  /// At most so many targets are kept; then all are dropped, and it begins again.
  private static let targetCountMax = 4_096

  private let view: ReadView
  private var targets: [ObjectKey: Record?] = [:]

  package init(view: ReadView) { self.view = view }

  /// The slot that `path` leads to from `row`, or nil if a relationship on the way leads nowhere or
  /// to an object that is deleted.
  ///
  /// - Important: the slot is valid until the next call, and as long as the row is.
  @inline(__always)
  package func slot(_ path: ResolvedPath, of row: Row) throws -> RecordSlot? {
    if path.hops.isEmpty { return row.layout.slot(path.slot, at: row.start) }
    return try targetSlot(path, of: row)
  }

  private func targetSlot(_ path: ResolvedPath, of row: Row) throws -> RecordSlot? {
    var start = row.start
    var layout = row.layout
    for hop in path.hops {
      guard let key = layout.slot(hop, at: start).toOne,
        let entity = view.schema.entity(key.entity), let record = try target(key)
      else { return nil }
      // Safety: `targets` holds the record, and drops it at the earliest in the next look-up; what
      // is read from it until then is a key, or the slot whose validity ends there.
      start = record.start
      layout = entity.layout
    }
    return layout.slot(path.slot, at: start)
  }

  private func target(_ key: ObjectKey) throws -> Record? {
    if let known = targets[key] { return known }
    if targets.count >= Self.targetCountMax { targets.removeAll(keepingCapacity: true) }
    guard case .record(let stored) = try view.find(key) else {
      targets[key] = .some(nil)
      return nil
    }
    targets[key] = stored.record
    return stored.record
  }
}

@available(*, unavailable)
extension RowReader: Sendable {}
