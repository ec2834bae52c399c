// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
package import StrataModel
package import StrataRecord

/// The objects of a store in one transaction: the store's snapshot, or the state that a save is
/// checked against.
///
/// Bytes are checked before they are returned: the record's checksum and offsets, the lengths of
/// keys. A failed check throws `StoreError.damaged`.
///
/// ## Lifetime
/// A snapshot lives for a turn: it keeps the file open, and old pages in it. Bytes are in the
/// file's map, or in a page of the transaction. They are valid as long as `Transaction` says.
///
/// ## Isolation
/// The isolation of its transaction. The last reference may be released on any thread.
package final class StoreView: Snapshot {
  package let generation: UInt64
  let reader: TreeReader
  // Safety: the reader holds both as long as the view. All threads that read share them, and a view
  // is taken for each turn, so it does no reference counting.
  unowned(unsafe) let trees: Trees
  // Safety: as `trees`.
  unowned(unsafe) let schema: Schema
  // Safety: `@exclusivity(unchecked)` spares each record a run-time check. A view is of one
  // isolation, and nothing of the program runs while a record is copied.
  /// Records of one turn share blocks.
  @exclusivity(unchecked) private var arena = RecordArena()
  /// The last record that was upgraded, and the arena of such records.
  @exclusivity(unchecked) private var upgraded: Record?
  private var upgradedArena = RecordArena()

  var transaction: Transaction { reader.transaction }

  /// The state that a reader has just begun to read. The view gives the reader back.
  ///
  /// - Throws: `storage`, `damaged`.
  init(_ reader: TreeReader) throws(StoreError) {
    self.reader = reader
    (trees, schema) = (reader.trees, reader.schema)
    generation = try Catalog.generation(
      in: reader.transaction, ofVersion: reader.schema.version)
  }

  /// The view of a write transaction, valid until the next write.
  ///
  /// - Parameter generation: the generation of the last save in the transaction.
  init(_ transaction: WriteTransaction, _ trees: Trees, _ schema: Schema, generation: UInt64) {
    reader = TreeReader(transaction, trees, schema)
    (self.trees, self.schema, self.generation) = (trees, schema, generation)
  }

  deinit { reader.pool?.give(reader) }

  /// The view of the newest state of the same file; this view if it shows that.
  ///
  /// - Throws: `storage`, `damaged`.
  func renewed() throws(StoreError) -> StoreView {
    guard let newest = try reader.another() else { return self }
    let view = try StoreView(newest)
    return view.transaction.transactionID == transaction.transactionID ? self : view
  }

  package func noteHolder(_ name: String) -> (any AnyObject & Sendable)? {
    transaction.noteHolder(name)
  }

  // MARK: - One object

  /// The stored envelope and record of `key`, unchecked, or nil.
  func envelope(of key: ObjectKey) throws(StoreError) -> UnsafeRawBufferPointer? {
    guard let tree = trees.records(of: key.entity) else { return nil }
    return try envelope(of: key, in: tree)
  }

  func envelope(
    of key: ObjectKey, in tree: Tree
  ) throws(StoreError) -> UnsafeRawBufferPointer? {
    try reader.readingRecords(tree) { (records) throws(LMDBError) in
      try records.value(under: key.serial)
    }
  }

  package func record(for key: ObjectKey) throws(StoreError) -> StoredRecord? {
    try record(of: key, into: &arena)
  }

  /// The record of `key`, checked and copied, or nil.
  func record(of key: ObjectKey, into arena: inout RecordArena) throws(StoreError) -> StoredRecord?
  {
    guard let envelope = try envelope(of: key) else { return nil }
    let (generation, bytes) = try check(envelope, of: key)
    return StoredRecord(record: arena.append(copying: bytes), generation: generation)
  }

  /// The value of an external slot of `key`, checked and copied; nil if it has no value, or if
  /// there is no record.
  package func externalData(of key: ObjectKey, at slot: Int) throws(StoreError) -> ExternalData? {
    guard let entity = schema.entity(key.entity), let tree = trees.external(of: key.entity),
      let envelope = try envelope(of: key)
    else { return nil }
    let record = try check(envelope, of: key).record
    guard let start = record.baseAddress,
      let stamp = entity.layout.slot(slot, at: start).stamp
    else { return nil }
    let bytes = try ExternalKey(key, entity.numbers[slot]).withBytes { (name) throws(StoreError) in
      try reader.get(name, in: tree)
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

  package func contains(_ key: ObjectKey) throws(StoreError) -> Bool {
    try envelope(of: key) != nil
  }

  /// The generation and record in an envelope.
  ///
  /// - Throws: `damaged` unless they are those that were written under `key`.
  func check(
    _ envelope: UnsafeRawBufferPointer, of key: ObjectKey
  ) throws(StoreError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    guard let layout = schema.layout(of: key.entity) else {
      throw .damagedRecord(of: key, RecordError.unknownVersion(found: 0).description)
    }
    return try check(envelope, of: key, layout)
  }

  @inline(__always)
  func check(
    _ envelope: UnsafeRawBufferPointer, of key: ObjectKey, _ layout: RecordLayout
  ) throws(StoreError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    do throws(RecordError) {
      return try layout.content(of: envelope, key: key)
    } catch .unknownVersion(let version) {
      return try upgrade(envelope, of: key, from: version)
    } catch {
      throw .damagedRecord(of: key, error.description)
    }
  }

  /// The generation and the record in an envelope that was written with an earlier layout: a record
  /// of the present one, valid until the next.
  @inline(never)
  private func upgrade(
    _ envelope: UnsafeRawBufferPointer, of key: ObjectKey, from version: UInt16
  ) throws(StoreError) -> (generation: UInt64, record: UnsafeRawBufferPointer) {
    do throws(RecordError) {
      guard let upgrade = schema.upgrade(of: key.entity, from: version) else {
        throw .unknownVersion(found: version)
      }
      // The checksum is sound: it is checked before the version is.
      let (generation, earlier) = try Envelope.decode(envelope, key: key)
      let record = try upgrade.record(from: earlier, into: &upgradedArena)
      upgraded = record
      return (generation, UnsafeRawBufferPointer(start: record.start, count: record.byteCount))
    } catch {
      throw .damagedRecord(of: key, error.description)
    }
  }

  /// Shows the record that was checked last, if `body` does so. It may read other objects in this
  /// view, which upgrades their records: the shown one stays until `body` returns.
  @inline(__always)
  func keepingUpgraded<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let kept = upgraded else { return try body() }
    return try withExtendedLifetime(kept, body)
  }

  package func count(of entity: EntityNumber) throws(StoreError) -> Int {
    guard let tree = trees.records(of: entity) else { return 0 }
    let count = try reader.reading(tree) { (transaction) throws(LMDBError) in
      try transaction.statistics(of: tree).entryCount
    }
    guard count <= ObjectKey.serialMax else {
      throw damaged(tree, "it says that it has \(count) records")
    }
    return count
  }

  func damaged(_ tree: Tree, _ reason: String) -> StoreError {
    .damaged(tree: trees.name(of: tree), key: nil, reason: reason)
  }
}
