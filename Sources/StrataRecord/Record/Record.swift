// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// The values of one object as immutable bytes. All layers use the same bytes: the store, segments,
/// the cache and managed objects.
///
/// A record is 16 bytes, a slice of a block that it shares with others:
///
/// ```
///  Record {block ●, offset, byteCount}
///                │      ╭───────────────────╮
///                ▼      ▼                   │
///          RecordBlock [record][record][record][free …]
/// ```
///
/// Only a `RecordArena` makes records, out of bytes that a layout wrote or validated, so a slot of
/// the right layout can be read without further checks. Slots are read through `slot(_:_:)`.
@frozen
@usableFromInline
package struct Record {
  @usableFromInline let block: RecordBlock
  @usableFromInline let offset: UInt32
  @usableFromInline let count: UInt32

  /// The largest record that is saved: 2 GiB - 1.
  ///
  /// A record in memory may have twice as many bytes. So two records can be merged before a save
  /// refuses the result.
  package static var byteCountMax: Int { byteCountMaxInTests ?? 0x7FFF_FFFF }

  #if DEBUG
    /// The environment variable `STRATA_RECORD_BYTE_COUNT_MAX`: a number in its place, so that a
    /// test of this limit needs little memory. Release builds ignore it.
    private static let byteCountMaxInTests = getenv("STRATA_RECORD_BYTE_COUNT_MAX").flatMap {
      Int(String(cString: $0))
    }
  #else
    private static var byteCountMaxInTests: Int? { nil }
  #endif

  init(block: RecordBlock, offset: Int, byteCount: Int) {
    self.block = block
    self.offset = UInt32(offset)
    count = UInt32(byteCount)
  }

  @inlinable package var byteCount: Int { Int(count) }

  /// Calls `body` with the record's bytes, which are valid until it returns.
  @inlinable
  package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(block) {} }
    return try body(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }

  /// The first byte.
  /// - Important: Valid only as long as the record is retained; a reader holds the record in a
  ///   variable that outlives the read (`withExtendedLifetime`).
  @inlinable package var start: UnsafeRawPointer {
    UnsafeRawPointer(block.bytes + Int(offset))
  }

  /// Whether both are the same bytes at the same place: a quick "nothing changed".
  @inlinable package func isIdentical(to other: Record) -> Bool {
    block === other.block && offset == other.offset && count == other.count
  }
}

// The block's header, which an arena does move, is read only by arenas.
// Safety: the bytes of a record are written before the record exists and never after.
extension Record: @unchecked Sendable {}

extension Record {
  /// Whether keeping this record keeps much else in memory: others that were read or written with
  /// it.
  package var sharesItsBlock: Bool { block.capacity > byteCount + Self.slackByteCountMax }

  /// The same values in a block of their own.
  package func separated() -> Record {
    let copy = RecordBlock.allocate(byteCount: byteCount)
    withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: copy.bytes, count: byteCount).copyMemory(from: $0)
    }
    copy.usedByteCount = byteCount
    return Record(block: copy, offset: 0, byteCount: byteCount)
  }

  /// The maximum unused space in a block of a single record: the rounding of the allocator.
  private static let slackByteCountMax = 64
}

extension Record: Equatable {
  /// Whether the bytes are equal; within one layout, whether all values are.
  @usableFromInline
  package static func == (left: Record, right: Record) -> Bool {
    guard left.count == right.count else { return false }
    if left.isIdentical(to: right) { return true }
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0
      }
    }
  }
}
