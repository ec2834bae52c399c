// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// A snapshot that counts what is read of it, and stops a fetch whose task has been cancelled.
///
/// Everything that a fetch reads of the store passes through its snapshot, and the view tells of what it
/// reads of unsaved changes (`ReadView.watch`). So this is the one place to look at the task, whatever the
/// plan of the fetch is. What a fetch does without reading, putting the rows of a
/// sort in order at the end, it cannot interrupt.
///
/// ## Isolation
/// One task's; not Sendable.
final class WatchedSnapshot: Snapshot {
  let generation: UInt64
  private let snapshot: any Snapshot
  private let report: (_ readCount: Int) throws -> Void
  private(set) var readCount = 0

  /// After so many entries and records the task is looked at.
  private static let stride = 256

  /// - Parameter report: is told now and then how much has been read; what it throws ends the fetch.
  init(_ snapshot: any Snapshot, report: @escaping (_ readCount: Int) throws -> Void) {
    self.snapshot = snapshot
    self.report = report
    generation = snapshot.generation
  }

  /// - Throws: `CancellationError`; what `report` throws.
  func noteRead() throws {
    readCount += 1
    guard readCount.isMultiple(of: Self.stride) else { return }
    try Task.checkCancellation()
    try report(readCount)
  }

  func record(for key: ObjectKey) throws -> StoredRecord? {
    try noteRead()
    return try snapshot.record(for: key)
  }

  func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    try snapshot.visitRecords(of: keys) { key, generation, record in
      try noteRead()
      try body(key, generation, record)
    }
  }

  func contains(_ key: ObjectKey) throws -> Bool {
    try noteRead()
    return try snapshot.contains(key)
  }

  func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    try noteRead()
    return try snapshot.externalData(of: key, at: slot)
  }

  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    try snapshot.scanKeys(of: entity) { key in
      try noteRead()
      return try body(key)
    }
  }

  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    try snapshot.scanRecords(of: entity) { key, generation, record in
      try noteRead()
      return try body(key, generation, record)
    }
  }

  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    try snapshot.scanIndex(index, in: range, isReversed: isReversed) { entry, key in
      try noteRead()
      return try body(entry, key)
    }
  }

  func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    try snapshot.scanLinks(at: place) { target, position in
      try noteRead()
      return try body(target, position)
    }
  }

  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    try noteRead()
    return try snapshot.link(at: place, to: target)
  }

  func count(of entity: EntityNumber) throws -> Int { try snapshot.count(of: entity) }
}
