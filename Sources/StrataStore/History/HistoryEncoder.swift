// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataModel
import StrataRecord

/// Writes one transaction of the history as chunks of at most 128 KiB, unless the values of one
/// deleted object take more.
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
/// A number is in LEB128: seven bits in each byte, the lowest first, and the highest bit set in all
/// but the last. Docs/FileFormat.md, "History".
struct HistoryEncoder {
  /// A chunk is ended when it has this many bytes.
  private static let chunkByteCount = 60_000
  static let headByteCount = 5

  private let generation: UInt64
  private var chunks: [[UInt8]] = []
  /// The chunk that is being made.
  private var bytes: [UInt8] = []

  /// The chunks of a transaction, in order.
  ///
  /// - Parameter record: finished.
  static func chunks(
    of record: HistoryRecord, generation: UInt64, date: Date, author: String?,
    contextName: String?
  ) -> [[UInt8]] {
    var encoder = HistoryEncoder(generation: generation)
    encoder.begin()
    withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.littleEndian) {
      encoder.bytes += $0
    }
    encoder.append(author)
    encoder.append(contextName)
    encoder.append(record.inserted, .insert)
    encoder.append(record.updated, record.schema)
    if record.tombstones.isEmpty {
      encoder.append(record.deleted, .delete)
    } else {
      encoder.append(record.deleted.filter { record.tombstones[$0] == nil }, .delete)
      encoder.append(record.tombstones)
    }
    encoder.end(isLast: true)
    return encoder.chunks
  }

  private init(generation: UInt64) { self.generation = generation }

  /// The seed of a chunk's checksum: a chunk under another's key does not pass.
  static func seed(_ generation: UInt64, _ chunk: UInt32) -> UInt64 {
    generation << 16 ^ UInt64(chunk)
  }

  // MARK: - Chunks

  private mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    bytes += repeatElement(0, count: Self.headByteCount)
  }

  private mutating func end(isLast: Bool) {
    bytes[4] = isLast ? 1 : 0
    let seed = Self.seed(generation, UInt32(chunks.count))
    let checksum = bytes.withUnsafeBytes {
      strata_checksum($0.baseAddress.map { $0 + 4 }, $0.count - 4, seed)
    }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(0..<4, with: $0) }
    chunks.append(bytes)
    begin()
  }

  // MARK: - Parts

  private mutating func append(_ number: UInt64) { Self.append(number, to: &bytes) }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func append(_ text: String?) {
    guard let text else { return append(0) }
    append(UInt64(text.utf8.count) + 1)
    bytes += text.utf8
  }

  private mutating func append(_ keys: [ObjectKey], _ kind: HistoryChangeKind) {
    var rest = keys[...]
    while let entity = rest.first?.entity {
      let section = rest.prefix { $0.entity == entity }
      rest = rest.dropFirst(section.count)
      append(section.lazy.map(\.serial), kind, entity)
    }
  }

  /// Objects whose same properties changed are in one section, however many there are between them.
  private mutating func append(
    _ updated: [(key: ObjectKey, slots: SlotSet)], _ schema: Schema
  ) {
    var rest = updated[...]
    while let entity = rest.first?.key.entity {
      let changes = rest.prefix { $0.key.entity == entity }
      rest = rest.dropFirst(changes.count)
      guard let numbers = schema.entity(entity)?.numbers else { continue }
      for group in Self.groups(changes) {
        append(group.serials, .update, entity, group.slots.map { numbers[$0] }.sorted())
      }
    }
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
  private mutating func append(_ tombstones: [ObjectKey: [UInt8]]) {
    var rest = tombstones.sorted { $0.key < $1.key }[...]
    while let entity = rest.first?.key.entity {
      var (objects, count, former) = ([UInt8](), 0 as UInt64, 0 as UInt64)
      while let (key, record) = rest.first, key.entity == entity,
        objects.count < Self.chunkByteCount
      {
        Self.append(key.serial - former, to: &objects)
        Self.append(UInt64(record.count), to: &objects)
        objects += record
        former = key.serial
        count += 1
        rest = rest.dropFirst()
      }
      if bytes.count + objects.count > Self.chunkByteCount { end(isLast: false) }
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
  ) {
    // A serial takes at most 7 bytes, so a section of this many fits.
    let countMax = Self.chunkByteCount / 7
    var rest = serials[...]
    while !rest.isEmpty {
      let section = rest.prefix(countMax)
      rest = rest.dropFirst(section.count)
      if bytes.count + section.count > Self.chunkByteCount { end(isLast: false) }
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
