// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Writes one transaction of the history into the tree, as chunks below 128 KiB. Only the author
/// and the context, the properties of one section, or the values of one deleted object can make a
/// chunk longer, if they are long themselves. One chunk is in memory at a time.
///
/// | part | bytes |
/// | --- | --- |
/// | checksum | 4: of the bytes after it, seeded with the generation and the chunk's number |
/// | last | 1: 1 in the last chunk of the transaction, else 0 |
/// | date | 8, in the first chunk: seconds since 1 January 2001, 00:00 UTC, as a double |
/// | author, context | in the first chunk, each: 0, or 1 + the length, a number; UTF-8 |
/// | sections | see below |
///
/// A section has the changes of one kind of objects of one entity:
///
/// | part | bytes |
/// | --- | --- |
/// | kind | 1: 1 insert, 2 update, 3 delete, 4 delete with values |
/// | entity | a number |
/// | properties | of an update: how many, then their numbers, ascending; each a number |
/// | objects | how many, then of each its serial less the serial before it; each a number |
/// | values | of a delete with values, behind each serial: how many bytes, a number; a record |
///
/// A number is in LEB128 (`Varint`). Docs/FileFormat.md, "History".
struct HistoryEncoder: ~Copyable {
  /// A section starts a new chunk if it would make the chunk longer than this, with one byte
  /// counted for each serial. A section without values has at most a seventh of this many serials,
  /// so their further bytes make a chunk at most 51,426 bytes longer than this.
  private static let chunkByteCount = 60_000
  private static let serialByteCountMax = 7
  static let headByteCount = 5

  private let generation: UInt64
  private var cursor: WriteCursor
  /// The chunk that is being made.
  private var bytes: [UInt8] = []
  private var chunkCount: UInt32 = 0
  /// The bytes of the keys and values that were written.
  private(set) var byteCount: UInt64 = 0

  /// - Parameter cursor: in the tree `history`.
  init(generation: UInt64, to cursor: consuming WriteCursor) {
    self.generation = generation
    self.cursor = cursor
    // A save of a few changes has no more.
    bytes.reserveCapacity(128)
    begin()
  }

  /// Writes all chunks. The only call.
  ///
  /// - Parameter record: finished.
  mutating func write(
    _ record: borrowing HistoryRecord, date: Date, author: String?, contextName: String?
  ) throws(LMDBError) {
    withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) {
      bytes += $0
    }
    append(author)
    append(contextName)
    try append(record.inserted, .insert)
    try append(record.updated, record.schema)
    let left = record.tombstones
    try append(left.isEmpty ? record.deleted : record.deletedWithoutTombstone, .delete)
    try append(left)
    try end(isLast: true)
  }

  /// The seed of a chunk's checksum: a chunk under another's key does not pass.
  static func seed(_ generation: UInt64, _ chunk: UInt32) -> UInt64 {
    generation << 16 ^ UInt64(chunk)
  }

  /// The date of the transaction with this first chunk, in seconds since 1 January 2001, 00:00 UTC;
  /// nil if the chunk is too short for a head.
  static func date(of chunk: UnsafeRawBufferPointer) -> Double? {
    guard chunk.count >= headByteCount + 8 else { return nil }
    let bits = chunk.loadUnaligned(fromByteOffset: headByteCount, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  // MARK: - Chunks

  private mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    for _ in 0..<Self.headByteCount { bytes.append(0) }
  }

  private mutating func end(isLast: Bool) throws(LMDBError) {
    bytes[4] = isLast ? 1 : 0
    let seed = Self.seed(generation, chunkCount)
    bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      let checksum = strata_checksum(start + 4, bytes.count - 4, seed)
      bytes.storeBytes(of: checksum.littleEndian, as: UInt32.self)
    }
    try Self.put(bytes, number: chunkCount, of: generation, with: &cursor)
    byteCount += UInt64(HistoryKey.transactionByteCount + bytes.count)
    chunkCount += 1
    if !isLast { begin() }
  }

  private static func put(
    _ chunk: [UInt8], number: UInt32, of generation: UInt64, with cursor: inout WriteCursor
  ) throws(LMDBError) {
    try HistoryKey.withChunk(number, of: generation) { (key) throws(LMDBError) in
      try chunk.span.bytes.withUnsafeBytes { (bytes) throws(LMDBError) in
        try cursor.put(key, bytes)
      }
    }
  }

  // MARK: - Parts

  private mutating func append(_ number: UInt64) { Varint.append(number, to: &bytes) }

  private mutating func append(_ text: String?) {
    guard let text else { return append(0) }
    append(UInt64(text.utf8.count) + 1)
    bytes += text.utf8
  }

  private mutating func append(
    _ keys: [ObjectKey], _ kind: HistoryChangeKind
  ) throws(LMDBError) {
    var rest = keys[...]
    while let entity = rest.first?.entity {
      let section = rest.prefix { $0.entity == entity }
      rest = rest.dropFirst(section.count)
      try append(section.lazy.map(\.serial), kind, entity)
    }
  }

  /// Objects whose same properties changed are in one section, however many there are between them.
  private mutating func append(
    _ updated: [(key: ObjectKey, slots: SlotSet)], _ schema: Schema
  ) throws(LMDBError) {
    var rest = updated[...]
    while let first = rest.first {
      let changes = rest.prefix { $0.key.entity == first.key.entity }
      rest = rest.dropFirst(changes.count)
      guard let numbers = schema.entity(first.key.entity)?.numbers else { continue }
      if changes.allSatisfy({ $0.slots == first.slots }) {
        try append(
          changes.lazy.map { $0.key.serial }, .update, first.key.entity,
          Self.properties(first.slots, numbers))
        continue
      }
      for group in Self.groups(changes) {
        try append(
          group.serials, .update, first.key.entity, Self.properties(group.slots, numbers))
      }
    }
  }

  /// The numbers of the properties at some slots, ascending.
  private static func properties(
    _ slots: SlotSet, _ numbers: [PropertyNumber]
  ) -> [PropertyNumber] {
    var properties: [PropertyNumber] = []
    for slot in slots { properties.append(numbers[slot]) }
    if properties.count > 1 { properties.sort() }
    return properties
  }

  /// The serials of updates, grouped by the slots that changed, in the order of each group's first.
  private static func groups(
    _ changes: ArraySlice<(key: ObjectKey, slots: SlotSet)>
  ) -> [(slots: SlotSet, serials: [UInt64])] {
    var groups: [(slots: SlotSet, serials: [UInt64])] = []
    var places: [SlotSet: Int] = [:]
    var place = 0
    for change in changes {
      // Neighbours often have the same: hashing takes longer than comparing.
      if groups.isEmpty || groups[place].slots != change.slots {
        place = places[change.slots] ?? groups.count
        if place == groups.count {
          groups.append((change.slots, []))
          places[change.slots] = place
        }
      }
      groups[place].serials.append(change.key.serial)
    }
    return groups
  }

  /// Deleted objects with the values that they leave.
  private mutating func append(_ tombstones: HistoryTombstones) throws(LMDBError) {
    var index = 0
    while index < tombstones.count {
      let entity = tombstones.key(at: index).entity
      var (objects, count, former) = ([UInt8](), 0 as UInt64, 0 as UInt64)
      while index < tombstones.count, objects.count < Self.chunkByteCount {
        let key = tombstones.key(at: index)
        if key.entity != entity { break }
        let record = tombstones.record(at: index)
        Varint.append(key.serial - former, to: &objects)
        Varint.append(UInt64(record.count), to: &objects)
        objects += record
        former = key.serial
        count += 1
        index += 1
      }
      if bytes.count + objects.count > Self.chunkByteCount { try end(isLast: false) }
      bytes.append(HistoryChangeKind.deleteWithValues.rawValue)
      append(UInt64(entity.rawValue))
      append(count)
      bytes += objects
    }
  }

  /// - Parameter serials: ascending.
  private mutating func append(
    _ serials: some RandomAccessCollection<UInt64>, _ kind: HistoryChangeKind,
    _ entity: EntityNumber, _ properties: [PropertyNumber] = []
  ) throws(LMDBError) {
    let countMax = Self.chunkByteCount / Self.serialByteCountMax
    var rest = serials[...]
    while !rest.isEmpty {
      let section = rest.prefix(countMax)
      rest = rest.dropFirst(section.count)
      if bytes.count + section.count > Self.chunkByteCount { try end(isLast: false) }
      bytes.append(kind.rawValue)
      append(UInt64(entity.rawValue))
      if kind == .update {
        append(UInt64(properties.count))
        for property in properties { append(UInt64(property.rawValue)) }
      }
      append(UInt64(section.count))
      var former: UInt64 = 0
      for serial in section {
        append(serial - former)
        former = serial
      }
    }
  }
}
