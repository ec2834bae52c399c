// SPDX-License-Identifier: Apache-2.0
public import StrataPrimitives

/// The parts of a draft except its buffer. `Draft` has the drawing and all functions.
@usableFromInline
package struct DraftCell {
  // Safety: not counted. A managed object keeps the layout by its binding, `withDraft` by itself.
  @usableFromInline var layout: Uncounted<RecordLayout>
  @usableFromInline var buffer: UnsafeMutableRawPointer
  @usableFromInline var changedSlots: SlotSet
  /// Whether the bytes of some slot are not in the record.
  @usableFromInline var hasExternalSlots: Bool
  /// Whether only the draft has the buffer, which is then not behind the cell.
  var ownsBuffer: Bool
  /// How many bytes the base has; 0 without one.
  var baseByteCount: UInt32
  /// How many bytes the buffer has, or the record that a patch is.
  var bufferByteCount: Int
  /// Where the heap's free bytes begin.
  var heapEnd: Int
  // Safety: not counted, for the arena keeps the block.
  /// The block of the record that a patch is; nil in a draft with a buffer.
  var patched: Uncounted<RecordBlock>?
  var externalValues: ExternalValues
  /// The values that were not taken, by slot; nil if there are none.
  var refused: [Int: ValueRefusal]?
  /// The slab that lists the cell if it owns memory.
  var slab: DraftArena.Slab
  /// Whether the slab lists the cell.
  var isOwner: Bool
  var nextOwner: UnsafeMutablePointer<DraftCell>?

  /// How many bytes a cell takes in a slab: the buffer begins behind it.
  static var byteCount: Int { MemoryLayout<DraftCell>.stride }

  func freeBuffer() {
    if ownsBuffer { buffer.deallocate() }
  }
}
