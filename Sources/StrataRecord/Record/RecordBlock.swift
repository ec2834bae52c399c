// SPDX-License-Identifier: Apache-2.0

/// Bytes that records share: one allocation for the records of a fetch or a save.
///
/// The header counts the bytes in use; only a `RecordArena` moves it, and only forwards, so bytes
/// that belong to a record never change again.
///
/// ## Lifetime
/// A block lives as long as any record in it. A single record kept of a fetch keeps its whole block
/// (64 KiB at most, unless the record itself is larger).
///
/// ## Isolation
/// The bytes of records are constant, and any isolation may read them. Only the arena's isolation
/// writes, behind them.
@usableFromInline
final class RecordBlock: ManagedBuffer<Int, UInt8> {
  static func allocate(byteCount: Int) -> RecordBlock {
    // Safety: `create` of a class returns an instance of that class, and RecordBlock adds nothing.
    unsafeDowncast(
      RecordBlock.create(minimumCapacity: byteCount) { _ in 0 }, to: RecordBlock.self)
  }

  /// The first byte. Valid as long as the block is.
  @inlinable var bytes: UnsafeMutableRawPointer {
    withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
  }

  /// How many bytes belong to records. Through a pointer: the class's own accessor would check
  /// exclusivity on each append.
  var usedByteCount: Int {
    get { withUnsafeMutablePointerToHeader { $0.pointee } }
    set { withUnsafeMutablePointerToHeader { $0.pointee = newValue } }
  }
}
