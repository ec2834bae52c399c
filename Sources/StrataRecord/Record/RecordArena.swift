// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Collects records into shared blocks, so that one fetch or save makes few allocations.
///
/// Blocks grow from 256 bytes to 64 KiB: a small save wastes little, a large one allocates rarely.
/// A record that would leave most of a block empty gets a block of its own.
///
/// ## Isolation
/// An arena is of one isolation (it is not Sendable); the records that it makes are of all. A copy
/// of an arena shares its open block, whose count of used bytes both honour.
package struct RecordArena {
  private var open: RecordBlock?
  /// How many bytes `open` has room for.
  private var openByteCount = 0
  private var nextByteCount: Int

  private static let blockByteCountMin = 256
  private static let blockByteCountMax = 64 << 10

  /// - Parameter byteCount: about how many bytes will be appended, if known; 0 if not.
  package init(expecting byteCount: Int = 0) {
    nextByteCount = min(max(byteCount, Self.blockByteCountMin), Self.blockByteCountMax)
  }

  /// A record with a copy of `bytes`.
  /// - Important: the bytes are a valid record of the layout that will read them.
  package mutating func append(copying bytes: UnsafeRawBufferPointer) -> Record {
    append(byteCount: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// A record of `byteCount` bytes that `initialize` writes, all of them. If it throws, there is no
  /// record and nothing is lost.
  package mutating func append<Failure: Error>(
    byteCount: Int,
    initializing initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Record {
    require(
      byteCount <= Int(UInt32.max),
      "An object in memory has less than 4 GiB, and its merged changes have \(byteCount) bytes.")
    let block = room(for: byteCount)
    let offset = block.usedByteCount
    try initialize(
      UnsafeMutableRawBufferPointer(start: block.bytes + offset, count: byteCount))
    block.usedByteCount = offset + byteCount
    return Record(block: block, offset: offset, byteCount: byteCount)
  }

  /// A block with `byteCount` free bytes behind those in use.
  private mutating func room(for byteCount: Int) -> RecordBlock {
    if let open, openByteCount - open.usedByteCount >= byteCount { return open }
    if byteCount > Self.blockByteCountMax / 4 { return RecordBlock.allocate(byteCount: byteCount) }
    while nextByteCount < byteCount { nextByteCount *= 2 }
    let block = RecordBlock.allocate(byteCount: nextByteCount)
    open = block
    openByteCount = nextByteCount
    nextByteCount = min(nextByteCount * 2, Self.blockByteCountMax)
    return block
  }
}

@available(*, unavailable)
extension RecordArena: Sendable {}
