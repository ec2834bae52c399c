// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// The future content of a tree, in memory and in order, before the whole tree is rewritten.
///
/// Appending is several times cheaper than searching for the position of each entry, changing it
/// there and splitting pages. Where most of a tree changes, its few remaining entries are rewritten
/// with it. The tree also gets full pages. LMDB cannot build a second tree and swap it in, so the
/// remaining entries are held here until the old pages are free.
///
/// ## Invariants
/// - I1 Entries ascend; the appending caller guarantees it.
///
/// ## Isolation
/// The writer thread.
final class TreeImage {
  private struct Head {
    let keyByteCount: UInt32
    let valueByteCount: UInt32
  }

  private static let chunkByteCount = 1 << 18
  private static let headByteCount = MemoryLayout<Head>.size

  /// Entries one after the other, none in two chunks: a head, its key, its value.
  private var chunks: [[UInt8]] = [[]]

  /// Adds a copy of an entry, which is above all before it.
  func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let byteCount = Self.headByteCount + key.count + value.count
    var last = chunks.count - 1
    if chunks[last].capacity - chunks[last].count < byteCount {
      chunks.append([])
      last += 1
      chunks[last].reserveCapacity(max(byteCount, Self.chunkByteCount))
    }
    let head = Head(keyByteCount: UInt32(key.count), valueByteCount: UInt32(value.count))
    withUnsafeBytes(of: head) { chunks[last].append(contentsOf: $0) }
    chunks[last].append(contentsOf: key)
    chunks[last].append(contentsOf: value)
  }

  /// Replaces the content of `tree` by these entries.
  ///
  /// - Returns: false if they do not ascend; the transaction can then only be aborted.
  /// - Throws: as `WriteTransaction.put`.
  func write(into tree: Tree, of transaction: WriteTransaction) throws(LMDBError) -> Bool {
    try transaction.clear(tree)
    var cursor = try transaction.editCursor(in: tree)
    for chunk in chunks {
      let isAscending = try chunk.span.bytes.withUnsafeBytes { (bytes) throws(LMDBError) in
        var rest = bytes
        while !rest.isEmpty {
          let head = rest.loadUnaligned(as: Head.self)
          let valueOffset = Self.headByteCount + Int(head.keyByteCount)
          let end = valueOffset + Int(head.valueByteCount)
          let key = UnsafeRawBufferPointer(rebasing: rest[Self.headByteCount..<valueOffset])
          let value = UnsafeRawBufferPointer(rebasing: rest[valueOffset..<end])
          guard try cursor.append(key, value) else { return false }
          rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return true
      }
      guard isAscending else { return false }
    }
    return true
  }
}
