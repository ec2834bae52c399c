// SPDX-License-Identifier: Apache-2.0

/// The memory of drafts with one lifetime: those of one turn are contiguous, each with its buffer
/// behind it, and are freed as a whole.
///
/// A turn makes drafts by the thousand and encodes all of them at once. If they are contiguous, the
/// processor reads ahead, and no draft has to be freed by itself.
///
/// ```
///  slab ─► ┌────────┬──────┬────────┬──────┬──────┬────────┬──────┐
///          │ header │ cell │ buffer │ cell │ cell │ buffer │ free │    1 KiB, then twice as much,
///          └────────┴──────┴────────┴──────┴──────┴────────┴──────┘    64 KiB at the most
/// ```
///
/// ## Invariants
/// - I1 Each block to which entries of the drafts lead is in `sources`.
/// - I2 Each cell that owns memory outside the slabs is in the list `owners` of one of them.
///
/// ## Lifetime
/// Drafts are valid as long as their arena.
///
/// ## Isolation
/// The drafts' isolation.
package struct DraftArena: ~Copyable {
  /// The beginning of a slab.
  struct Header {
    /// The slab that was made before this one.
    let former: Slab?
    /// The first of a list of cells that own memory.
    var owners: UnsafeMutablePointer<DraftCell>?
  }

  typealias Slab = UnsafeMutablePointer<Header>

  /// The slab that was made last; nil before the first draft.
  private var last: Slab?
  /// How many bytes before `end` are free.
  private var freeByteCount = 0
  private var end: UnsafeMutableRawPointer?
  private var nextByteCount = 1 << 10
  private var sources: [RecordBlock] = []
  private var lastSource: ObjectIdentifier?

  private static var byteCountMax: Int { 64 << 10 }

  package init() {}

  deinit {
    var next = last
    while let slab = next {
      next = slab.pointee.former
      var owner = slab.pointee.owners
      while let cell = owner {
        owner = cell.pointee.nextOwner
        cell.pointee.freeBuffer()
        cell.deinitialize(count: 1)
      }
      UnsafeMutableRawPointer(slab).deallocate()
    }
  }

  /// Keeps the block of a record to which entries of a draft lead.
  @inline(__always)
  mutating func keep(_ block: RecordBlock) {
    if lastSource == ObjectIdentifier(block) { return }
    lastSource = ObjectIdentifier(block)
    sources.append(block)
  }

  /// Room for a draft of `byteCount` bytes, aligned for numbers and pointers, and a slab that lists
  /// its cell if that owns memory.
  mutating func room(byteCount: Int) -> (slab: Slab, start: UnsafeMutableRawPointer) {
    let byteCount = (byteCount + 7) & ~7
    guard let last, let end, freeByteCount >= byteCount else {
      return roomInNewSlab(byteCount: byteCount)
    }
    defer { freeByteCount -= byteCount }
    return (last, end - freeByteCount)
  }

  @inline(never)
  private mutating func roomInNewSlab(
    byteCount: Int
  ) -> (slab: Slab, start: UnsafeMutableRawPointer) {
    // A draft that would leave most of a slab empty gets one of its own.
    if byteCount > Self.byteCountMax / 4 { return addSlab(byteCount: byteCount) }
    while nextByteCount < byteCount { nextByteCount *= 2 }
    let (slab, start) = addSlab(byteCount: nextByteCount)
    end = start + nextByteCount
    freeByteCount = nextByteCount - byteCount
    nextByteCount = min(nextByteCount * 2, Self.byteCountMax)
    return (slab, start)
  }

  private mutating func addSlab(
    byteCount: Int
  ) -> (slab: Slab, start: UnsafeMutableRawPointer) {
    let headerByteCount = MemoryLayout<Header>.stride
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: headerByteCount + byteCount, alignment: 16)
    let header = Header(former: last, owners: nil)
    let slab = bytes.initializeMemory(as: Header.self, repeating: header, count: 1)
    last = slab
    return (slab, bytes + headerByteCount)
  }
}

@available(*, unavailable)
extension DraftArena: Sendable {}
