// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport

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
      entries.sorted { $0.bytes.precedes($1.bytes) }
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
      !entry.bytes.precedes(range.lower)
        && (range.upper.map { entry.bytes.precedes($0) } ?? true)
    }
    for entry in isReversed ? entries.reversed() : entries {
      entryScanCount += 1
      if try entry.bytes.withUnsafeBytes({ try body($0, entry.key) }) == .stop { return }
    }
  }

  // In blocks of up to three entries.

  private func blocks(
    _ index: PropertyNumber, in range: KeyRange
  ) throws -> [(value: [UInt8], entries: [[UInt8]])] {
    var blocks: [(value: [UInt8], entries: [[UInt8]])] = []
    let before = entryScanCount
    try scanIndex(index, in: range, isReversed: false) { entry, _ in
      let value = Array(entry.dropLast(KeyEncoder.objectKeyByteCount))
      if let last = blocks.last, last.value == value, last.entries.count < 3 {
        blocks[blocks.count - 1].entries.append(Array(entry))
      } else {
        blocks.append((value, [Array(entry)]))
      }
      return .more
    }
    entryScanCount = before
    return blocks
  }

  func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int {
    let count = try blocks(index, in: range).reduce(0) { $0 + $1.entries.count }
    entryScanCount += count
    return count
  }

  func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (UnsafeRawBufferPointer, Int) throws -> ScanStep
  ) throws {
    for block in try blocks(index, in: range) {
      entryScanCount += block.entries.count
      let step = try block.value.withUnsafeBytes { try body($0, block.entries.count) }
      if step == .stop { return }
    }
  }

  func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    let skipped = try skip(index, in: range, isReversed: isReversed, upTo: most)
    entryScanCount += skipped.count
    return skipped
  }

  private func skip(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    let blocks = try blocks(index, in: range)
    var count = 0
    for (number, block) in (isReversed ? blocks.reversed() : blocks).enumerated() {
      if count + block.entries.count <= most {
        count += block.entries.count
        continue
      }
      if number == 0 { return SkippedEntries(count: 0, rest: range) }
      if isReversed || block.value.count >= KeyEncoder.valueByteCountMax {
        let passed = (isReversed ? blocks.reversed() : blocks).prefix(number)
        let ofValue = passed.filter { $0.value == block.value }.map(\.entries.count)
        let bound = KeyRange(prefix: block.value)
        return SkippedEntries(
          count: count - ofValue.reduce(0, +),
          rest: range.intersection(
            isReversed ? KeyRange(upper: bound.upper) : KeyRange(lower: bound.lower)))
      }
      return SkippedEntries(
        count: count, rest: range.intersection(KeyRange(lower: block.entries[0])))
    }
    return SkippedEntries(count: count, rest: nil)
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
