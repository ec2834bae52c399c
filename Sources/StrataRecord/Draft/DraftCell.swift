// SPDX-License-Identifier: Apache-2.0
public import StrataPrimitives

/// What a draft is made of, but for its buffer. `DraftReference` has the picture, and all that is done
/// with it.
@usableFromInline
package struct DraftCell {
  // Safety: not counted, for who has the draft keeps the layout: a managed object by its home, `Draft`
  // itself.
  @usableFromInline var layout: Uncounted<RecordLayout>
  @usableFromInline var buffer: UnsafeMutableRawPointer
  @usableFromInline var changedSlots: SlotSet
  /// Whether some slot's bytes do not lie in the record.
  @usableFromInline var hasExternalSlots: Bool
  /// Whether the buffer is the draft's alone, and not behind the cell.
  var ownsBuffer: Bool
  /// 0 in a patch.
  var bufferByteCount: Int
  /// Where the heap's free bytes begin.
  var heapEnd: Int
  /// The record that has the variable values that were not set: the one that the draft began with, or the
  /// patched copy of it; nil if there are no such values.
  var source: Record?
  var externalValues: ExternalValues
  /// Where the cell lies.
  var slab: DraftSlabs.Slab

  /// What a cell takes in a slab: the buffer begins behind it.
  static var byteCount: Int { MemoryLayout<DraftCell>.stride }
}
