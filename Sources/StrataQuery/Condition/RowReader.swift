// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
package import StrataRecord

/// Reads slots of rows for conditions, following relationships through the read view.
///
/// Targets are kept for the length of the fetch, because many objects share one: a hundred people
/// of a company read its record once, and its members.
///
/// ## Isolation
/// One fetch's; not Sendable.
package final class RowReader {
  /// How many targets are kept at most; then all are dropped.
  private static let targetCountMax = 4_096
  /// As many members are kept.
  private static let memberCountMax = 65_536

  private let view: ReadView
  private var targets: [ObjectKey: Record?] = [:]
  private var members: [LinkPlace: [ObjectKey]] = [:]
  private var memberCount = 0
  /// What was read of other objects than the rows themselves.
  private(set) var reads = ReadCount()
  /// The objects whose collections' members are being looked at, the innermost last.
  private var outer: [Row] = []
  /// What the aggregates of the group have come to whose columns are being read, in the order of
  /// `RowGrouping.aggregates`.
  var totals: [Value] = []

  package init(view: ReadView) { self.view = view }

  var store: StoreIdentity { view.schema.store }

  /// The slot that `path` leads to from `row`, or nil if a relationship on the way leads nowhere or
  /// to an object that is deleted.
  ///
  /// - Important: the slot is valid until the next call, and as long as the row is.
  @inline(__always)
  package func slot(_ path: ResolvedPath, of row: Row) throws -> RecordSlot? {
    if path.hops.isEmpty, path.depth == 0 { return row.layout.slot(path.slot, at: row.start) }
    return try targetSlot(path, of: row)
  }

  /// The value that `path` leads to from `row`; `.null` if it leads nowhere.
  func value(_ path: ResolvedPath, of row: Row) throws -> Value {
    guard let slot = try slot(path, of: row) else { return .null }
    guard let composite = path.composite else {
      return slot.isPresent ? slot.value(store: store) : path.absentValue
    }
    // What does not decode reads as what was never set.
    let member = slot.isPresent ? composite.member(of: slot) : nil
    return member ?? composite.member(of: path.absentValue) ?? path.absentValue
  }

  private func targetSlot(_ path: ResolvedPath, of row: Row) throws -> RecordSlot? {
    guard let end = try follow(path.hops, from: self.row(path.depth, outOf: row)) else {
      return nil
    }
    return end.layout.slot(path.slot, at: end.start)
  }

  /// The object that to-one slots lead to from `row`; nil if one of them leads nowhere or to an object
  /// that is deleted.
  private func follow(_ hops: [Int], from row: Row) throws -> Row? {
    var end = row
    for hop in hops {
      guard let key = end.layout.slot(hop, at: end.start).toOne,
        let layout = view.schema.layout(of: key.entity), let record = try target(key)
      else { return nil }
      // Safety: `targets` holds the record, and drops it at the earliest in the next look-up; what
      // is read from it until then is a key, or the slot whose validity ends there.
      end = Row(key: key, start: record.start, layout: layout)
    }
    return end
  }

  private func target(_ key: ObjectKey) throws -> Record? {
    if let known = targets[key] { return known }
    if targets.count >= Self.targetCountMax { targets.removeAll(keepingCapacity: true) }
    reads.records += 1
    guard case .record(let stored) = try view.find(key) else {
      targets[key] = .some(nil)
      return nil
    }
    // In a block of its own: one that it shared with rows would keep all of them in memory.
    let record = stored.record.sharesItsBlock ? stored.record.separated() : stored.record
    targets[key] = record
    return record
  }
}

@available(*, unavailable)
extension RowReader: Sendable {}

// MARK: - Collections

extension RowReader {
  /// The object that `depth` conditions on collections further out are about.
  func row(_ depth: Int, outOf row: Row) -> Row {
    depth == 0 ? row : outer[outer.count - depth]
  }

  /// Calls `body`, in which `row` is the object that the next condition further out is about.
  func entering<R>(_ row: Row, _ body: () throws -> R) rethrows -> R {
    outer.append(row)
    defer { outer.removeLast() }
    return try body()
  }

  /// Calls `body` with an object's record, or returns nil if it is gone.
  func withRow<R>(of key: ObjectKey, _ body: (Row) throws -> R) throws -> R? {
    guard let layout = view.schema.layout(of: key.entity), let record = try target(key) else {
      return nil
    }
    return try record.withRow(of: key, layout, body)
  }

  /// The members of a relationship, ascending by key or in their order; none if the path to its owner
  /// leads nowhere.
  func members(of place: ResolvedCollection.Place, from row: Row) throws -> [ObjectKey] {
    guard let owner = try follow(place.hops, from: self.row(place.depth, outOf: row))?.key else {
      return []
    }
    let link = LinkPlace(place.relationship.number, owner)
    if let known = members[link] { return known }
    let found = try view.members(of: place.relationship, owner: owner).map(\.key)
    reads.entries += found.count
    if memberCount + found.count > Self.memberCountMax {
      members.removeAll(keepingCapacity: true)
      memberCount = 0
    }
    members[link] = found
    memberCount += found.count
    return found
  }
}
