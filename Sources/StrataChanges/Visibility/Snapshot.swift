// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// How a scan continues after an entry.
@frozen
@usableFromInline
package enum ScanStep: Sendable, Equatable {
  case more
  case stop

  // Not derived: a derived operator is a call through a table in every module but this one.
  @inlinable
  package static func == (left: ScanStep, right: ScanStep) -> Bool {
    switch (left, right) {
    case (.more, .more), (.stop, .stop): true
    default: false
    }
  }
}

/// The store's state at one generation, as it is read by one turn. A store implements it.
///
/// ## Lifetime
/// A snapshot keeps old pages of the store alive; it lives for a turn. Bytes passed to a closure
/// are valid only during the call.
///
/// ## Isolation
/// Used by one isolation at a time; not Sendable.
///
/// Every call may throw `StoreError`: bytes from the disk may be damaged.
package protocol Snapshot: AnyObject {
  /// The number of the save that this snapshot shows; 0 for a new store. In a group, how
  /// many saves of all stores together it shows.
  var generation: UInt64 { get }

  /// The number of the save that this snapshot shows of one of the source's stores.
  ///
  /// - Parameter place: the place of the store's feed in `SnapshotSource.feeds`.
  func generation(ofStoreAt place: Int) -> UInt64

  /// Whether this snapshot shows the commit that has set `tag`.
  func shows(_ tag: UInt64) -> Bool

  /// Notes the name of a context that holds the snapshot for longer than a turn, for the store's
  /// reports of old readers.
  ///
  /// - Returns: an object to keep as long as the snapshot is held; nil if the store makes no
  ///   reports.
  func noteHolder(_ name: String) -> (any AnyObject & Sendable)?

  /// The record of `key`, copied, or nil if the store has none.
  func record(for key: ObjectKey) throws -> StoredRecord?

  /// Calls `body` with the record of each of `keys`, in their order, in place, checked; nil for an
  /// object that the store does not have. The bytes are valid only during the call.
  func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws

  /// The value of an external slot of `key`, its bytes copied; nil if the slot has no value, or the
  /// store no record. O(bytes).
  func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData?

  /// Whether the store has a record of `key`.
  func contains(_ key: ObjectKey) throws -> Bool

  /// Every record of one entity, ascending by key. The bytes are checked and are valid only during
  /// the call: copy those to keep.
  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws

  /// Every record of one entity that passes `test`, as `scanRecords(of:_:)` without a test.
  ///
  /// - Parameter test: a test for the layout of the entity's records.
  /// - Returns: the number of records that were read.
  func scanRecords(
    of entity: EntityNumber, passing test: RecordTest,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws -> Int

  /// The keys of every record of one entity, ascending. The records are not looked into.
  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws

  /// The entries of an index within `range`, ascending, or descending if `isReversed`.
  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws

  /// The number of entries of an index within `range`. Faster than a scan where the store keeps
  /// objects with one value together.
  func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int

  /// The number of entries of an index within `range`; nil if there are more than `most`.
  ///
  /// - Complexity: O(blocks of `most` entries), or O(most) where the store does not know its
  ///   blocks.
  func countEntries(
    of index: PropertyNumber, in range: KeyRange, atMost most: Int
  ) throws -> Int?

  /// The values of an index within `range`, ascending, each with the number of its entries; a value
  /// with many entries may come several times.
  func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (_ value: UnsafeRawBufferPointer, _ entryCount: Int) throws -> ScanStep
  ) throws

  /// The statistics of an index of words. A store may know them since it counted the words of the
  /// same generation.
  func wordStatistics(of index: PropertyNumber) throws -> WordStatistics

  /// Passes over at most `most` entries of an index, from the beginning of `range`, or from its end
  /// if `isReversed`: as many as is fast. The rest has either all entries of a value or none, if
  /// `isReversed` or if the value was cut.
  func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries

  /// The links of one object in one relationship, ascending by target.
  func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws

  /// The position of one link, 0 if the relationship is not ordered; nil if the store does not have
  /// the link. O(log entries).
  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64?

  /// How many records the store has of `entity`. O(1) where the store counts.
  func count(of entity: EntityNumber) throws -> Int

  /// The objects that the saves with these generations have changed, whichever process has made
  /// them, oldest first; nil if the store no longer knows it of one of them.
  ///
  /// - Parameter place: of the store, as in `generation(ofStoreAt:)`.
  func changedKeys(
    of generations: ClosedRange<UInt64>, ofStoreAt place: Int
  ) throws -> [ChangedKeys]?
}

// Of one store, a tag is a generation (`CommitTag`).

extension Snapshot {
  package func generation(ofStoreAt place: Int) -> UInt64 { generation }

  package func shows(_ tag: UInt64) -> Bool { tag <= generation }
}

extension Snapshot {
  package func changedKeys(
    of generations: ClosedRange<UInt64>, ofStoreAt place: Int
  ) throws -> [ChangedKeys]? { nil }

  package func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    for key in keys {
      if let stored = try record(for: key) {
        try stored.record.withUnsafeBytes { try body(key, stored.generation, $0) }
      } else {
        try body(key, 0, nil)
      }
    }
  }

  package func scanRecords(
    of entity: EntityNumber, passing test: RecordTest,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws -> Int {
    var count = 0
    try scanRecords(of: entity) { key, generation, record in
      count += 1
      return test.passes(record) ? try body(key, generation, record) : .more
    }
    return count
  }
}

// A store that does not keep entries with one value together has runs of one entry.

extension Snapshot {
  package func countEntries(
    of index: PropertyNumber, in range: KeyRange, atMost most: Int
  ) throws -> Int? {
    let passed = try skipEntries(of: index, in: range, isReversed: false, upTo: most)
    guard let rest = passed.rest else { return passed.count }
    // The next block has more than are left, or the store does not know its blocks.
    var count = passed.count
    try scanIndex(index, in: rest, isReversed: false) { _, _ in
      count += 1
      return count > most ? .stop : .more
    }
    return count > most ? nil : count
  }

  package func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int {
    var count = 0
    try scanIndex(index, in: range, isReversed: false) { _, _ in
      count += 1
      return .more
    }
    return count
  }

  package func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (_ value: UnsafeRawBufferPointer, _ entryCount: Int) throws -> ScanStep
  ) throws {
    try scanIndex(index, in: range, isReversed: false) { entry, _ in
      try body(UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)), 1)
    }
  }

  package func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    SkippedEntries(count: 0, rest: range)
  }
}

/// A source of snapshots: the bottom of a chain of layers.
package protocol SnapshotSource: AnyObject, Sendable {
  var schema: Schema { get }

  /// Each tells of every commit to one store, with the generation that it has there. There is one
  /// for each store, always in the same order.
  var feeds: [ChangeFeed] { get }

  /// The store as its last commit left it; several stores as they were at one moment.
  func snapshot() throws -> any Snapshot
}

extension Snapshot {
  package func noteHolder(_ name: String) -> (any AnyObject & Sendable)? { nil }
}
