// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
package import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// The keys of the objects that the last commits have changed, for the contexts of other processes.
/// They are in the note `#recent`, beside the names of the trees. A commit writes the note if
/// another process has the file open.
///
/// | part | bytes |
/// | --- | --- |
/// | generation | 8: the generation of the first entry |
/// | entries | one for this generation and for each before it, without a gap, newest first |
///
/// An entry is the length of its sections, as a number, and the sections. The length is 0 if the
/// commit has changed too many objects, or if the changed objects are not known. A section has the
/// changes of one kind of objects of one entity:
///
/// | part | bytes |
/// | --- | --- |
/// | kind | 1: 1 insert, 2 update, 3 delete |
/// | entity | a number |
/// | objects | their count, then for each its serial less the serial before it; each a number |
///
/// A number is in LEB128 (`Varint`). A commit drops the oldest entries that do not fit into 1,000
/// bytes. Docs/FileFormat.md, "Catalog".
package struct RecentChanges {
  package static let note: StaticString = "#recent"
  private static let byteCountMax = 1_000

  /// The generation of the newest entry.
  private let generation: UInt64
  private let entries: ArraySlice<UInt8>

  /// Reads the note in a transaction; nil if there is no note that can be read.
  package init?(in transaction: Transaction) throws(LMDBError) {
    guard let bytes = try transaction.note(Self.note), bytes.count >= 8 else { return nil }
    generation = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    if generation >= Envelope.generationMax { return nil }
    entries = [UInt8](bytes)[8...]
  }

  /// The changes of the commits with these generations, oldest first; nil if one of them is
  /// missing.
  ///
  /// - Parameter newest: the generation of the store. If the note has another generation, the last
  ///   commit did not write it, and the result is nil.
  package func keys(
    of generations: ClosedRange<UInt64>, newest: UInt64
  ) -> [ChangedKeys]? {
    guard generation == newest, generations.upperBound <= generation else { return nil }
    var found: [ChangedKeys] = []
    var reader = ByteReader(Array(entries), from: 0)
    var next = generation
    while !reader.isAtEnd, next >= generations.lowerBound {
      guard let bytes = reader.countedBytes() else { return nil }
      if next <= generations.upperBound {
        guard let keys = Self.decode(bytes) else { return nil }
        found.append(keys)
      }
      if next == 0 { break }
      next -= 1
    }
    return found.count == generations.count ? found.reversed() : nil
  }

  private static func decode(_ bytes: [UInt8]) -> ChangedKeys? {
    if bytes.isEmpty { return nil }
    var keys = ChangedKeys()
    var reader = ByteReader(bytes, from: 0)
    while !reader.isAtEnd {
      guard let code = reader.byte(), let kind = Change.Kind(code: code),
        let entity = reader.number().flatMap(UInt16.init(exactly:)), let count = reader.number()
      else { return nil }
      var serial: UInt64 = 0
      for _ in 0..<count {
        guard let step = reader.number(), step <= ObjectKey.serialMax - serial else { return nil }
        serial += step
        keys.append(
          ObjectKey(entity: EntityNumber(rawValue: entity), serial: serial), kind)
      }
    }
    return keys
  }

  // MARK: - Writing

  /// Adds the changes of commits at the beginning of the note.
  ///
  /// - Parameters:
  ///   - changes: the changes of commits with consecutive generations, oldest first; nil for
  ///     changes that are not known.
  ///   - generation: the generation of the last of these commits.
  package static func write(
    _ changes: [ChangedKeys?], upTo generation: UInt64, in transaction: WriteTransaction
  ) throws(LMDBError) {
    var bytes = withUnsafeBytes(of: generation.littleEndian) { [UInt8]($0) }
    var isWhole = true
    for keys in changes.reversed() {
      let entry = entry(of: keys)
      isWhole = isWhole && bytes.count + entry.count <= byteCountMax
      if isWhole { bytes += entry }
    }
    if isWhole, let former = try RecentChanges(in: transaction),
      former.generation &+ UInt64(changes.count) == generation
    {
      var reader = ByteReader(Array(former.entries), from: 0)
      while !reader.isAtEnd, let sections = reader.countedBytes() {
        let entry = entry(of: sections)
        if bytes.count + entry.count > byteCountMax { break }
        bytes += entry
      }
    }
    try bytes.span.bytes.withUnsafeBytes { (bytes) throws(LMDBError) in
      try transaction.setNote(note, to: bytes)
    }
  }

  private static func entry(of keys: ChangedKeys?) -> [UInt8] {
    // Each key takes at least one byte.
    guard let keys, keys.count < byteCountMax else { return entry(of: []) }
    let sections =
      sections(of: keys.inserted, .insert) + sections(of: keys.updated, .update)
      + sections(of: keys.deleted, .delete)
    return entry(of: sections.count > byteCountMax / 2 ? [] : sections)
  }

  /// The length of the sections and the sections, which `ByteReader.countedBytes` reads.
  private static func entry(of sections: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    Varint.append(UInt64(sections.count), to: &bytes)
    return bytes + sections
  }

  private static func sections(of keys: [ObjectKey], _ kind: Change.Kind) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = keys.sorted()[...]
    while let first = rest.first {
      let run = rest.prefix { $0.entity == first.entity }
      rest = rest.dropFirst(run.count)
      bytes.append(kind.code)
      Varint.append(UInt64(first.entity.rawValue), to: &bytes)
      Varint.append(UInt64(run.count), to: &bytes)
      var serial: UInt64 = 0
      for key in run {
        Varint.append(key.serial - serial, to: &bytes)
        serial = key.serial
      }
    }
    return bytes
  }
}

extension Change.Kind {
  fileprivate var code: UInt8 {
    switch self {
    case .insert: 1
    case .update: 2
    case .delete: 3
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 1: self = .insert
    case 2: self = .update
    case 3: self = .delete
    default: return nil
    }
  }
}
