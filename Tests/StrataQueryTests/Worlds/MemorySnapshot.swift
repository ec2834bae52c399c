// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// A store's state as sorted arrays: the contract of `Snapshot` in the plainest way. It counts its
/// reads.
final class MemorySnapshot: Snapshot {
  let generation: UInt64 = 1
  private(set) var recordReadCount = 0
  private(set) var recordScanCount = 0
  private(set) var entryScanCount = 0
  private(set) var keyScanCount = 0
  private(set) var linkScanCount = 0

  private let records: [(key: ObjectKey, record: Record)]
  private let byKey: [ObjectKey: Record]
  private let links: [LinkPlace: [ObjectKey: UInt64]]
  private let indexes: [PropertyNumber: [(bytes: [UInt8], key: ObjectKey)]]

  init(
    _ records: [ObjectKey: Record], links: [LinkPlace: [ObjectKey: UInt64]] = [:], schema: Schema
  ) {
    self.links = links
    self.records = records.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    byKey = records
    var indexes: [PropertyNumber: [(bytes: [UInt8], key: ObjectKey)]] = [:]
    for (key, record) in records {
      guard let entity = schema.entity(key.entity) else { continue }
      for index in entity.indexes {
        var bytes: [UInt8] = []
        index.append(valueOf: record, entity.layout, to: &bytes)
        KeyEncoder.append(objectKey: key, to: &bytes)
        indexes[index.number, default: []].append((bytes, key))
      }
    }
    self.indexes = indexes.mapValues { entries in
      entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
  }

  func record(for key: ObjectKey) throws -> StoredRecord? {
    recordReadCount += 1
    return byKey[key].map { StoredRecord(record: $0, generation: generation) }
  }

  func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? { nil }

  func contains(_ key: ObjectKey) throws -> Bool { byKey[key] != nil }

  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, UInt64, UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    for (key, record) in records where key.entity == entity {
      recordScanCount += 1
      if try record.withUnsafeBytes({ try body(key, generation, $0) }) == .stop { return }
    }
  }

  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    for (key, _) in records where key.entity == entity {
      keyScanCount += 1
      if try body(key) == .stop { return }
    }
  }

  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    let entries = (indexes[index] ?? []).filter { entry in
      !entry.bytes.lexicographicallyPrecedes(range.lower)
        && (range.upper.map { entry.bytes.lexicographicallyPrecedes($0) } ?? true)
    }
    for entry in isReversed ? entries.reversed() : entries {
      entryScanCount += 1
      if try entry.bytes.withUnsafeBytes({ try body($0, entry.key) }) == .stop { return }
    }
  }

  func scanLinks(
    at place: LinkPlace, _ body: (ObjectKey, UInt64) throws -> ScanStep
  ) throws {
    for (target, position) in (links[place] ?? [:]).sorted(by: { $0.key < $1.key }) {
      linkScanCount += 1
      if try body(target, position) == .stop { return }
    }
  }

  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? { links[place]?[target] }

  func count(of entity: EntityNumber) throws -> Int {
    records.count { $0.key.entity == entity }
  }
}
