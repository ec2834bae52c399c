// SPDX-License-Identifier: Apache-2.0

/// The memory of drafts that go together: those of one turn lie in a row, each with its buffer behind it.
///
/// It exists because a turn makes drafts by the thousand and encodes all of them at once. Memory from
/// malloc for each would lie wherever some was free, so that encoding waited for memory with each draft;
/// in a row the processor reads ahead. And what is taken in a row is given back in a few pieces, the first
/// while the last are still being encoded: records are made where drafts have been.
///
/// ```
///  slab ─► ┌───────┬──────┬────────┬──────┬──────┬────────┬──────┐
///          │ count │ cell │ buffer │ cell │ cell │ buffer │ free │    1 KiB, then twice as much each,
///          └───────┴──────┴────────┴──────┴──────┴────────┴──────┘    64 KiB at the most
/// ```
///
/// ## Invariants
/// - I1 A slab's count is that of the drafts in it that have not ended, and one more as long as others may
///   be made in it. At zero it is given back.
///
/// ## Lifetime
/// Drafts may outlive this. One that is not ended keeps its slab, 64 KiB at the most unless the draft is
/// larger, and nothing else. In a context none is older than the turn.
///
/// ## Isolation
/// That of the drafts: counting is not atomic.
package struct DraftSlabs: ~Copyable {
  /// What stands at the beginning of a slab.
  struct Header {
    var count: Int
  }

  typealias Slab = UnsafeMutablePointer<Header>

  /// The slab in which drafts are made; nil before the first.
  private var open: Slab?
  /// How many bytes before its end are free.
  private var freeByteCount = 0
  private var end: UnsafeMutableRawPointer?
  private var nextByteCount = byteCountMin

  private static var byteCountMin: Int { 1 << 10 }
  private static var byteCountMax: Int { 64 << 10 }
  private static var headerByteCount: Int { 16 }

  package init() {}

  deinit { if let open { Self.release(open) } }

  /// Room for a draft of `byteCount` bytes, aligned for numbers and pointers, and the slab in which it lies:
  /// that is to be released when the draft ends.
  mutating func room(byteCount: Int) -> (slab: Slab, start: UnsafeMutableRawPointer) {
    let byteCount = (byteCount + 7) & ~7
    guard let open, let end, freeByteCount >= byteCount else {
      return roomInNewSlab(byteCount: byteCount)
    }
    open.pointee.count += 1
    defer { freeByteCount -= byteCount }
    return (open, end - freeByteCount)
  }

  @inline(never)
  private mutating func roomInNewSlab(
    byteCount: Int
  ) -> (slab: Slab, start: UnsafeMutableRawPointer) {
    // One that would leave most of a slab empty gets one of its own.
    if byteCount > Self.byteCountMax / 4 {
      let slab = Self.makeSlab(byteCount: byteCount)
      return (slab, UnsafeMutableRawPointer(slab) + Self.headerByteCount)
    }
    while nextByteCount < byteCount { nextByteCount *= 2 }
    let slab = Self.makeSlab(byteCount: nextByteCount)
    if let open { Self.release(open) }
    open = slab
    end = UnsafeMutableRawPointer(slab) + Self.headerByteCount + nextByteCount
    freeByteCount = nextByteCount
    nextByteCount = min(nextByteCount * 2, Self.byteCountMax)
    return room(byteCount: byteCount)
  }

  /// A slab that counts one.
  private static func makeSlab(byteCount: Int) -> Slab {
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: headerByteCount + byteCount, alignment: 16)
    return bytes.initializeMemory(as: Header.self, repeating: Header(count: 1), count: 1)
  }

  /// Counts one less.
  @inline(__always)
  static func release(_ slab: Slab) {
    slab.pointee.count -= 1
    if slab.pointee.count == 0 { UnsafeMutableRawPointer(slab).deallocate() }
  }
}

@available(*, unavailable)
extension DraftSlabs: Sendable {}
