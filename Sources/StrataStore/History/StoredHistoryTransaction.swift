// SPDX-License-Identifier: Apache-2.0
import CStrata
package import Foundation
import StrataModel
package import StrataRecord

/// A transaction of the history as the file has it: its changes are decoded while they are
/// iterated, so that a million of them take no more memory than their bytes.
///
/// ## Invariants
/// - I1 The bytes have been decoded once, to check them, when the value was made.
package struct StoredHistoryTransaction: Sendable {
  package let generation: UInt64
  /// The point just after this transaction.
  package let token: HistoryToken
  package let date: Date
  package let author: String?
  package let contextName: String?
  /// All changes: inserts, updates, deletes.
  package let changes: StoredHistoryChanges

  /// - Parameter chunks: the values under the transaction's keys, in order.
  /// - Throws: `damaged`.
  package init(generation: UInt64, chunks: [[UInt8]], _ schema: Schema) throws(StoreError) {
    guard let first = chunks.first else {
      throw .damagedHistory(generation, "the transaction is missing")
    }
    for (number, chunk) in chunks.enumerated() {
      let isSound = chunk.withUnsafeBytes {
        Self.isSound($0, number: UInt32(number), of: generation)
      }
      guard isSound else { throw .damagedHistory(generation, "chunk \(number) fails its checksum") }
      guard chunk[4] <= 1 else {
        throw .damagedHistory(generation, "chunk \(number) has a mark that cannot be")
      }
      guard (chunk[4] == 1) == (number == chunks.count - 1) else {
        throw .damagedHistory(generation, "a chunk is missing")
      }
    }
    var head = ByteReader(first, from: HistoryEncoder.headByteCount)
    guard let seconds = head.word(), let author = head.text(), let context = head.text() else {
      throw .damagedHistory(generation, "its head cannot be decoded")
    }
    self.generation = generation
    token = HistoryToken(
      storeID: schema.store.uuid, generation: generation,
      mark: first.withUnsafeBytes(HistoryMark.of))
    date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: seconds))
    self.author = author
    contextName = context
    changes = StoredHistoryChanges(chunks: chunks, start: head.offset)
    var iterator = changes.makeIterator()
    var areSound = true
    while let change = iterator.next() {
      if let tombstone = change.tombstone {
        areSound = areSound && schema.canRead(tombstone, of: change.key.entity)
      }
    }
    if iterator.isDamaged || !areSound {
      throw .damagedHistory(generation, "its changes cannot be decoded")
    }
  }

  /// Whether a chunk has its checksum.
  static func isSound(
    _ chunk: UnsafeRawBufferPointer, number: UInt32, of generation: UInt64
  ) -> Bool {
    guard chunk.count >= HistoryEncoder.headByteCount, let start = chunk.baseAddress else {
      return false
    }
    return UInt32(littleEndian: chunk.loadUnaligned(as: UInt32.self))
      == strata_checksum(start + 4, chunk.count - 4, HistoryEncoder.seed(generation, number))
  }
}

extension Schema {
  /// Whether the bytes are a record of an entity, or of one that the model no longer has.
  fileprivate func canRead(_ bytes: [UInt8], of entity: EntityNumber) -> Bool {
    var arena = RecordArena()
    return layout(of: entity) == nil
      || bytes.withUnsafeBytes { (try? record(of: entity, from: $0, into: &arena)) != nil }
  }
}

extension StoreError {
  static func damagedHistory(_ generation: UInt64, _ reason: String) -> StoreError {
    .damaged(tree: HistoryState.treeName, key: "transaction \(generation)", reason: reason)
  }
}
