// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
package import StrataRecord

/// Reads slots of rows for conditions, and follows relationships through the read view.
///
/// Targets are cached during the fetch, because many objects share one: for a hundred people of a
/// company, the company's record and members are read once.
///
/// ## Isolation
/// It belongs to one fetch and is not Sendable.
package final class RowReader {
  /// The maximum number of cached targets. At this number, all are evicted.
  private static let targetCountMax = 4_096
  /// The maximum number of cached members. Beyond this number, all are evicted.
  private static let memberCountMax = 65_536

  private let view: ReadView
  private var targets: [ObjectKey: Record?] = [:]
  private var members: [LinkPlace: [ObjectKey]] = [:]
  private var memberCount = 0
  /// The reads of objects other than the rows themselves.
  private(set) var reads = ReadCount()
  /// The owners of the collections that are being evaluated, the innermost last.
  private var outer: [Row] = []
  /// The values of the current group's aggregates, in the order of `RowGrouping.aggregates`.
  var totals: [PropertyValue] = []
  /// The values that the conditions being evaluated hold, the innermost last.
  private var held: [PropertyValue] = []
  /// The scales of the request's relevances: one, in most requests that have any.
  private var scales: [(relevance: Relevance, scale: RelevanceScale)] = []

  package init(view: ReadView) { self.view = view }

  var store: StoreIdentity { view.schema.store }

  /// Returns the slot at the end of `path` from `row`; nil if a relationship on the path is nil or
  /// its target is deleted.
  ///
  /// - Important: the slot is valid until the next call, and not longer than the row.
  @inline(__always)
  package func slot(_ path: ResolvedPath, of row: Row) throws -> _RecordSlot? {
    if path.hops.isEmpty, path.depth == 0 { return row.layout.slot(path.slot, at: row.start) }
    return try targetSlot(path, of: row)
  }

  /// Returns the value at the end of `path` from `row`; `.null` if a relationship on the path is
  /// nil or its target is deleted.
  func value(_ path: ResolvedPath, of row: Row) throws -> PropertyValue {
    guard let slot = try slot(path, of: row) else { return .null }
    guard let composite = path.composite else {
      return slot.isPresent ? slot.value(store: store) : path.absentValue
    }
    // A composite that cannot be decoded reads as an attribute that was never set.
    let member = slot.isPresent ? composite.member(of: slot) : nil
    return member ?? composite.member(of: path.absentValue) ?? path.absentValue
  }

  private func targetSlot(_ path: ResolvedPath, of row: Row) throws -> _RecordSlot? {
    let end = try follow(path.hops, from: self.row(path.depth, outOf: row))
    return end.map { $0.layout.slot(path.slot, at: $0.start) }
  }

  /// Returns the object at the end of to-one slots from `row`; nil if one of them is nil or its
  /// target is deleted.
  private func follow(_ hops: [Int], from row: Row) throws -> Row? {
    var end = row
    for hop in hops {
      guard let key = end.layout.slot(hop, at: end.start).toOne,
        let layout = view.schema.layout(of: key.entity), let record = try target(key)
      else { return nil }
      // Safety: `targets` retains the record and releases it at the earliest in the next look-up.
      // Until then, a key is read from the record, or the slot that is valid only until then.
      end = Row(key: key, start: record.start, layout: layout)
    }
    return end
  }

  private func target(_ key: ObjectKey) throws -> Record? {
    if let known = targets[key] { return known }
    if targets.count >= Self.targetCountMax { targets.removeAll(keepingCapacity: true) }
    reads.records += 1
    guard let stored = try view.record(of: key) else {
      targets[key] = .some(nil)
      return nil
    }
    // A separate block: a block shared with rows would keep all of them in memory.
    let record = stored.record.sharesItsBlock ? stored.record.separated() : stored.record
    targets[key] = record
    return record
  }
}

@available(*, unavailable)
extension RowReader: Sendable {}

// MARK: - Held values

extension RowReader {
  /// The value that the innermost `HeldCondition` holds.
  var heldValue: PropertyValue { held[held.count - 1] }

  /// Calls `body` while `heldValue` is `value`.
  func holding<R>(_ value: PropertyValue, _ body: () throws -> R) rethrows -> R {
    held.append(value)
    defer { held.removeLast() }
    return try body()
  }
}

// MARK: - Relevance

extension RowReader {
  /// Returns the scale of a relevance. It is made at the first call.
  func scale(of relevance: Relevance) throws -> RelevanceScale {
    if let known = scales.first(where: { $0.relevance === relevance }) { return known.scale }
    let scale = try RelevanceScale(relevance, in: view)
    scales.append((relevance, scale))
    return scale
  }
}

// MARK: - Collections

extension RowReader {
  /// Returns the object that the condition `depth` levels further outside is evaluated for.
  func row(_ depth: Int, outOf row: Row) -> Row {
    depth == 0 ? row : outer[outer.count - depth]
  }

  /// Calls `body` with `row` as the object of the next enclosing condition.
  func entering<R>(_ row: Row, _ body: () throws -> R) rethrows -> R {
    outer.append(row)
    defer { outer.removeLast() }
    return try body()
  }

  /// Calls `body` with an object's record; returns nil if the object does not exist.
  func withRow<R>(of key: ObjectKey, _ body: (Row) throws -> R) throws -> R? {
    guard let layout = view.schema.layout(of: key.entity), let record = try target(key) else {
      return nil
    }
    return try record.withRow(of: key, layout, body)
  }

  /// Returns the members of a relationship, in ascending order of keys or in the order of the
  /// relationship; none if a relationship on the path to the owner is nil.
  func members(of place: ResolvedCollection.Place, from row: Row) throws -> [ObjectKey] {
    guard let owner = try follow(place.hops, from: self.row(place.depth, outOf: row))?.key else {
      return []
    }
    let link = LinkPlace(place.relationship.number, owner)
    if let known = members[link] { return known }
    var found = try view.members(of: place.relationship, owner: owner).map(\.key)
    // A stored link may lead to an object of another entity, whose record has other slots.
    let destination = place.relationship.destination
    found.removeAll {
      $0.entity != destination && !view.schema.canLead(place.relationship, to: $0.entity)
    }
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
