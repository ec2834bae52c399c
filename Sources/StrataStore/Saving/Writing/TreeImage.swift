// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// What a tree is to hold, in memory and in order, before it is written anew as a whole.
///
/// It exists because to append is several times cheaper than to search for the place of each entry, change
/// it there and split pages: where most of a tree changes, the little that stays is written again with it.
/// The tree also gets full pages. LMDB has no tree beside a tree that could take its place; so what is
/// read lies here until the old pages are free.
///
/// ## Invariants
/// - I1 Entries ascend; whoever appends sees to it.
///
/// ## Isolation
/// The writer thread.
final class TreeImage {
  /// Where entries lie one after the other, none in two: a head, its key, its value.
  private struct Chunk {
    let bytes: UnsafeMutableRawBufferPointer
    var usedByteCount = 0
  }

  private struct Head {
    let keyByteCount: UInt32
    let valueByteCount: UInt32
  }

  private static let chunkByteCount = 1 << 18
  private static let headByteCount = MemoryLayout<Head>.size

  private var full: [Chunk] = []
  private var last = Chunk(bytes: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  private(set) var count = 0

  deinit {
    for chunk in full { chunk.bytes.deallocate() }
    last.bytes.deallocate()
  }

  /// Adds a copy of an entry, which is above all before it.
  func append(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let byteCount = Self.headByteCount + key.count + value.count
    if last.bytes.count - last.usedByteCount < byteCount { begin(byteCount) }
    guard let start = last.bytes.baseAddress.map({ $0 + last.usedByteCount }) else { return }
    start.storeBytes(
      of: Head(keyByteCount: UInt32(key.count), valueByteCount: UInt32(value.count)), as: Head.self)
    let entry = start + Self.headByteCount
    UnsafeMutableRawBufferPointer(start: entry, count: key.count).copyMemory(from: key)
    UnsafeMutableRawBufferPointer(start: entry + key.count, count: value.count)
      .copyMemory(from: value)
    last.usedByteCount += byteCount
    count += 1
  }

  private func begin(_ byteCount: Int) {
    if last.usedByteCount > 0 { full.append(last) }
    last = Chunk(
      bytes: .allocate(byteCount: max(byteCount, Self.chunkByteCount), alignment: 8))
  }

  /// Has `tree` hold these entries and nothing else.
  ///
  /// - Returns: false if they do not ascend; the transaction is then good for nothing but abort.
  /// - Throws: as `WriteTransaction.put`.
  func write(into tree: Tree, of transaction: WriteTransaction) throws(LMDBError) -> Bool {
    try transaction.clear(tree)
    var cursor = try transaction.editCursor(in: tree)
    for chunk in full + [last] {
      var rest = UnsafeRawBufferPointer(rebasing: chunk.bytes[..<chunk.usedByteCount])
      while !rest.isEmpty {
        let head = rest.loadUnaligned(as: Head.self)
        let valueOffset = Self.headByteCount + Int(head.keyByteCount)
        let end = valueOffset + Int(head.valueByteCount)
        let key = UnsafeRawBufferPointer(rebasing: rest[Self.headByteCount..<valueOffset])
        let value = UnsafeRawBufferPointer(rebasing: rest[valueOffset..<end])
        guard try cursor.append(key, value) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
      }
    }
    return true
  }
}
