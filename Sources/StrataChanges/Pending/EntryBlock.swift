// SPDX-License-Identifier: Apache-2.0

/// Bytes of index entries, one after the other.
///
/// ## Isolation
/// Sendable: the creator appends to it before any run refers to it, and nothing changes it later.
// Safety: see above; bytes that runs read are never written again.
final class EntryBlock: @unchecked Sendable {
  /// The first byte. Moves when the block grows.
  private(set) var start: UnsafeMutableRawPointer
  private var capacity: Int
  /// How many bytes are in use.
  var byteCount = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  /// The first free byte, with room for `count`.
  func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    if capacity - byteCount < count { grow(for: count) }
    return start + byteCount
  }

  /// Adds `bytes`.
  ///
  /// - Returns: where they begin.
  func append(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let offset = byteCount
    UnsafeMutableRawBufferPointer(start: reserve(bytes.count), count: bytes.count)
      .copyMemory(from: bytes)
    byteCount += bytes.count
    return UInt32(offset)
  }

  private func grow(for count: Int) {
    capacity = (byteCount + count) * 3 / 2
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    larger.copyMemory(from: start, byteCount: byteCount)
    start.deallocate()
    start = larger
  }
}
