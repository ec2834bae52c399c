// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataModel
package import StrataRecord

extension ReadView {
  /// For more than one in four objects of an entity, walking all records is faster than looking
  /// them up.
  private static let lookupShare = 4
  /// Up to this number, objects are always looked up.
  private static let lookupCountMin = 256

  /// Calls `body` with the record of each of these objects that exists, in ascending order of keys.
  /// Many objects of an entity are read in one walk; few are looked up, in the order in which the
  /// records are stored.
  ///
  /// - Throws: errors of the store and of `body`.
  package func visitRecords(
    of keys: [ObjectKey], _ body: (ObjectKey, StoredRecord) throws -> Void
  ) throws {
    let sorted = keys.sorted()
    var rest = sorted[...]
    while let first = rest.first {
      let end = rest.firstIndex { $0.entity != first.entity } ?? rest.endIndex
      let wanted = rest[..<end]
      rest = rest[end...]
      let count = try snapshot.count(of: first.entity)
      if wanted.count > Swift.max(Self.lookupCountMin, count / Self.lookupShare) {
        try walk(wanted, of: first.entity, body)
        continue
      }
      for key in wanted {
        if let stored = try record(of: key) { try body(key, stored) }
      }
    }
  }

  private func walk(
    _ wanted: ArraySlice<ObjectKey>, of entity: EntityNumber,
    _ body: (ObjectKey, StoredRecord) throws -> Void
  ) throws {
    var arena = RecordArena()
    var rest = wanted
    _ = try walkRecords(of: entity, passing: .all) { row in
      while let next = rest.first, next < row.key { rest.removeFirst() }
      guard rest.first == row.key else { return rest.isEmpty ? .stop : .more }
      rest.removeFirst()
      try body(row.key, row.owned(in: &arena))
      return rest.isEmpty ? .stop : .more
    }
  }
}
