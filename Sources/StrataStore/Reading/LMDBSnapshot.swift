// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
package import StrataModel
package import StrataRecord

/// The store at one generation, read through a pooled LMDB transaction.
///
/// ## Lifetime
/// A turn at most; it keeps the file open, and old pages in it.
///
/// ## Isolation
/// One isolation at a time; the last reference may be dropped on any thread.
package final class LMDBSnapshot: Snapshot {
  package let generation: UInt64

  /// What the view goes back to; nil for a view of a write transaction.
  private let store: OpenStore?
  private let view: StoreView
  // Safety: `@exclusivity(unchecked)` spares each record a run-time check. A snapshot is of one
  // isolation, and nothing of the program runs while a record is copied.
  /// Records of one turn share blocks.
  @exclusivity(unchecked)
  private var arena = RecordArena()

  /// - Throws: `storage`, `damaged`.
  init(_ store: OpenStore) throws(StoreError) {
    let view = try store.views.take(
      from: store.environment, trees: store.trees, schema: store.schema)
    self.store = store
    self.view = view
    generation = try Catalog.generation(in: view.transaction)
  }

  /// What a write transaction sees as long as nothing more is written.
  ///
  /// - Parameter generation: of the save that is being written.
  init(writing view: StoreView, generation: UInt64) {
    store = nil
    self.view = view
    self.generation = generation
  }

  deinit { store?.views.give(view) }

  package func record(for key: ObjectKey) throws -> StoredRecord? {
    try view.record(of: key, into: &arena)
  }

  package func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    try view.visitRecords(of: keys, body)
  }

  package func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    try view.externalData(of: key, at: slot)
  }

  package func contains(_ key: ObjectKey) throws -> Bool { try view.contains(key) }

  package func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    try view.scanRecords(of: entity, body)
  }

  package func scanKeys(
    of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep
  ) throws {
    try view.scanKeys(of: entity, body)
  }

  package func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    try view.scanIndex(index, in: range, isReversed: isReversed, body)
  }

  package func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    try view.scanLinks(at: place, body)
  }

  package func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    try view.link(at: place, to: target)
  }

  package func count(of entity: EntityNumber) throws -> Int { try view.count(of: entity) }
}
