// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// The objects of a store as one transaction sees them: a snapshot, or the state that a save is being
/// checked against.
///
/// Bytes come out checked: the record's checksum and offsets, the lengths of keys. What is wrong is a
/// `StoreError.damaged`.
///
/// ## Lifetime
/// Bytes lie in the file's map, or in a page of the transaction: as long as those of `Transaction`.
/// Cursors are kept from scan to scan, and from turn to turn when the view is pooled.
///
/// ## Isolation
/// That of its transaction.
final class StoreView {
  let transaction: Transaction
  let trees: Trees
  let schema: Schema

  // Safety: `@exclusivity(unchecked)` spares each scan some run-time checks. A view is of one isolation,
  // and nothing of the program runs while a cursor is taken or given back.
  /// Cursors that no scan is using, by the index of their tree.
  @exclusivity(unchecked) private var idle: [IdleCursor?] = []

  private final class IdleCursor {
    @exclusivity(unchecked) var cursor: Cursor?
  }

  /// Trees of records that are read so, by index; none in a write transaction. They are held by hand: to
  /// count a reference takes as long as a fifth of a look-up.
  @exclusivity(unchecked) var mapped: [Unmanaged<MappedTree>?] = []
  /// Whether the transaction is one that only reads.
  let isReading: Bool

  init(_ transaction: Transaction, trees: Trees, schema: Schema) {
    self.transaction = transaction
    isReading = transaction is ReadTransaction
    self.trees = trees
    self.schema = schema
  }

  deinit { for tree in mapped { tree?.release() } }

  // MARK: - One object

  /// The envelope and record of `key` as they lie in the file, unchecked; nil if there is none.
  func envelope(of key: ObjectKey) throws(StoreError) -> UnsafeRawBufferPointer? {
    guard let tree = trees.records(of: key.entity) else { return nil }
    return try envelope(of: key, in: tree)
  }

  func envelope(
    of key: ObjectKey, in tree: Tree
  ) throws(StoreError) -> UnsafeRawBufferPointer? {
    do throws(LMDBError) {
      if let mapped = try mapped(tree, for: 1) {
        return try mapped.reading { (tree) throws(LMDBError) in try tree.value(under: key.serial) }
      }
      return try RecordKey(key).withBytes { (bytes) throws(LMDBError) in
        try transaction.get(bytes, in: tree)
      }
    } catch {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }

  /// The record of `key`, checked and copied; nil if there is none.
  func record(of key: ObjectKey, into arena: inout RecordArena) throws(StoreError) -> StoredRecord?
  {
    guard let envelope = try envelope(of: key) else { return nil }
    let (generation, bytes) = try check(envelope, of: key)
    return StoredRecord(record: arena.append(copying: bytes), generation: generation)
  }

  /// What an external slot of `key` stands for, checked and copied; nil if it has no value, or if there
  /// is no record.
  func externalData(of key: ObjectKey, at slot: Int) throws(StoreError) -> ExternalData? {
    guard let entity = schema.entity(key.entity), let tree = trees.external(of: key.entity),
      let envelope = try envelope(of: key)
    else { return nil }
    let record = try check(envelope, of: key).record
    guard let start = record.baseAddress,
      let stamp = entity.layout.slot(slot, at: start).stamp
    else { return nil }
    let bytes: UnsafeRawBufferPointer?
    do throws(LMDBError) {
      bytes = try ExternalKey(key, entity.numbers[slot]).withBytes { (name) throws(LMDBError) in
        try transaction.get(name, in: tree)
      }
    } catch {
      throw StoreError(error, tree: trees.name(of: tree))
    }
    guard let bytes, stamp.fits(bytes) else {
      throw .damaged(
        tree: trees.name(of: tree),
        key: "serial \(key.serial), property \(entity.numbers[slot].rawValue)",
        reason: bytes == nil
          ? "the value is missing" : "the bytes are not those that the object has the stamp of")
    }
    return ExternalData(Data(bytes), stamp: stamp)
  }

  func contains(_ key: ObjectKey) throws(StoreError) -> Bool { try envelope(of: key) != nil }

  /// The generation and record in an envelope.
  ///
  /// - Throws: `damaged` unless they are what was written under `key`.
  func check(
    _ envelope: UnsafeRawBufferPointer, of key: ObjectKey
  ) throws(StoreError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    guard let layout = schema.layout(of: key.entity) else {
      throw damaged(key, .unknownVersion(found: 0))
    }
    return try check(envelope, of: key, layout)
  }

  func check(
    _ envelope: UnsafeRawBufferPointer, of key: ObjectKey, _ layout: RecordLayout
  ) throws(StoreError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    do throws(RecordError) {
      let content = try Envelope.decode(envelope, key: key)
      try layout.validate(content.record)
      return content
    } catch {
      throw damaged(key, error)
    }
  }

  private func damaged(_ key: ObjectKey, _ error: RecordError) -> StoreError {
    .damaged(
      tree: "r\(key.entity.rawValue)", key: "serial \(key.serial)", reason: error.description)
  }

  // MARK: - Links and counts

  /// The links of one object in one relationship, ascending by target.
  func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    guard let tree = trees.entries(of: place.relationship) else { return }
    let range = KeyRange(prefix: EntryKey.prefix(place))
    try scan(tree, in: range, isReversed: false) { bytes, value in
      guard bytes.count == EntryKey.prefixByteCount + EntryKey.linkByteCount,
        let target = KeyEncoder.objectKey(ofEntry: bytes), let position = Self.position(in: value)
      else { throw damaged(tree, "a link has \(bytes.count) and \(value.count) bytes") }
      return try body(target, position)
    }
  }

  /// The position of one link; nil if there is none.
  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    guard let tree = trees.entries(of: place.relationship) else { return nil }
    var key = EntryKey.prefix(place)
    KeyEncoder.append(objectKey: target, to: &key)
    let value: UnsafeRawBufferPointer?
    do {
      value = try key.withUnsafeBytes { try transaction.get($0, in: tree) }
    } catch let error as LMDBError {
      throw StoreError(error, tree: trees.name(of: tree))
    }
    guard let value else { return nil }
    guard let position = Self.position(in: value) else {
      throw damaged(tree, "a link has \(key.count) and \(value.count) bytes")
    }
    return position
  }

  /// The position in a link's value; nil if no link has such a value.
  private static func position(in value: UnsafeRawBufferPointer) -> UInt64? {
    if value.isEmpty { return 0 }
    return value.count == 8 ? UInt64(littleEndian: value.loadUnaligned(as: UInt64.self)) : nil
  }

  func count(of entity: EntityNumber) throws(StoreError) -> Int {
    guard let tree = trees.records(of: entity) else { return 0 }
    let count: Int
    do throws(LMDBError) {
      count = try transaction.statistics(of: tree).entryCount
    } catch {
      throw StoreError(error, tree: trees.name(of: tree))
    }
    guard count <= ObjectKey.serialMax else {
      throw damaged(tree, "it says that it has \(count) records")
    }
    return count
  }

  // MARK: - Walking a tree

  /// Calls `body` with each entry of `tree` whose key is within `range`. A scan in the body has a
  /// cursor of its own. Nothing is allocated per entry.
  func scan(
    _ tree: Tree, in range: KeyRange, isReversed: Bool,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    do {
      var cursor = try takeCursor(on: tree)
      try isReversed
        ? descend(&cursor, in: range, body) : ascend(&cursor, in: range, body)
      giveBack(cursor, on: tree)
    } catch let error as LMDBError {
      throw StoreError(error, tree: trees.name(of: tree))
    }
  }

  private func ascend(
    _ cursor: inout Cursor, in range: KeyRange,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    var isThere =
      try range.lower.isEmpty
      ? cursor.first() : range.lower.withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
    guard let upper = range.upper else {
      while isThere, try body(cursor.key, cursor.value) == .more { isThere = try cursor.next() }
      return
    }
    try upper.withUnsafeBytes { upper in
      while isThere, cursor.key.isBelow(upper), try body(cursor.key, cursor.value) == .more {
        isThere = try cursor.next()
      }
    }
  }

  private func descend(
    _ cursor: inout Cursor, in range: KeyRange,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    var isThere: Bool
    if let upper = range.upper, try upper.withUnsafeBytes({ try cursor.seek(atOrAbove: $0) }) {
      isThere = try cursor.previous()
    } else {
      isThere = try cursor.last()
    }
    try range.lower.withUnsafeBytes { lower in
      while isThere, !cursor.key.isBelow(lower), try body(cursor.key, cursor.value) == .more {
        isThere = try cursor.previous()
      }
    }
  }

  func takeCursor(on tree: Tree) throws(LMDBError) -> Cursor {
    if tree.index < idle.count, let cursor = idle[tree.index]?.cursor.take() { return cursor }
    return try transaction.cursor(in: tree)
  }

  func giveBack(_ cursor: consuming Cursor, on tree: Tree) {
    while idle.count <= tree.index { idle.append(nil) }
    if idle[tree.index] == nil { idle[tree.index] = IdleCursor() }
    idle[tree.index]?.cursor = consume cursor
  }

  func damaged(_ tree: Tree, _ reason: String) -> StoreError {
    .damaged(tree: trees.name(of: tree), key: nil, reason: reason)
  }
}
