// SPDX-License-Identifier: Apache-2.0
internal import Foundation

// The differences between the values of two records. A save computes them for each object that it
// writes: unchanged slots, mostly nearly all, are skipped by the word and not slot by slot.

extension RecordLayout {
  /// The slots whose values differ between two records of this layout.
  package func differingSlots(_ left: Record, _ right: Record) -> SlotSet {
    var differing = SlotSet()
    if left.isIdentical(to: right) { return differing }
    defer { withExtendedLifetime((left, right)) {} }
    addFixed(left.start, right.start, to: &differing)
    if variableCount > 0 { addVariable(left, right, to: &differing) }
    return differing
  }

  /// Adds the slots that have a value in only one record, and the slots of the fixed part whose
  /// bytes differ.
  private func addFixed(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, to differing: inout SlotSet
  ) {
    var offset = Self.headerByteCount
    while offset < fixedEnd {
      if fixedEnd - offset >= 8 {
        let (word, other) = (
          (left + offset).loadUnaligned(as: UInt64.self),
          (right + offset).loadUnaligned(as: UInt64.self)
        )
        if word == other {
          offset += 8
          continue
        }
        offset += UInt64(littleEndian: word ^ other).trailingZeroBitCount / 8
      } else if (left + offset).load(as: UInt8.self) == (right + offset).load(as: UInt8.self) {
        offset += 1
        continue
      }
      if offset < fixedStart {
        let bits = (left + offset).load(as: UInt8.self) ^ (right + offset).load(as: UInt8.self)
        addPresence(bits, from: (offset - Self.headerByteCount) * 8, to: &differing)
        offset += 1
      } else {
        let slot = slotsByFixedByte[offset - fixedStart]
        differing.insert(slot)
        offset = Int(places[slot].position) + places[slot].code.fixedByteCount
      }
    }
  }

  /// Adds the slots of those presence bits that are set in `bits`, the lowest of which is number
  /// `first`.
  private func addPresence(_ bits: UInt8, from first: Int, to differing: inout SlotSet) {
    for bit in 0..<8 where bits >> bit & 1 != 0 && first + bit < slotsByBit.count {
      differing.insert(slotsByBit[first + bit])
    }
  }

  /// Adds the slots of the variable part whose bytes differ.
  private func addVariable(_ left: Record, _ right: Record, to differing: inout SlotSet) {
    if left.byteCount == right.byteCount,
      memcmp(left.start + fixedEnd, right.start + fixedEnd, left.byteCount - fixedEnd) == 0
    {
      return
    }
    for slot in variableSlots {
      let index = Int(~places[slot].position)
      let bytes = variableBytes(index, at: left.start)
      let other = variableBytes(index, at: right.start)
      if bytes.count != other.count || memcmp(bytes.start, other.start, bytes.count) != 0 {
        differing.insert(slot)
      }
    }
  }
}
