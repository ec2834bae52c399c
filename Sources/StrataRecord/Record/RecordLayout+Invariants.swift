// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension RecordLayout: CheckedInvariants {
  package var brokenInvariant: String? {
    Self.isInOrder(slotsByBit.map { places[$0] }, from: fixedStart, to: fixedEnd)
      ? nil
      : "I2 Places depend on the described slots' numbers and kinds alone, not on their class "
        + "slots."
  }

  /// Whether the places of a record follow each other from one end of the fixed part to the other.
  private static func isInOrder(_ places: [SlotPlace], from start: Int, to end: Int) -> Bool {
    var (position, variableCount) = (start, 0)
    for (bit, place) in places.enumerated() {
      let isAtItsBit =
        Int(place.presenceOffset) == headerByteCount + bit / 8
        && place.presenceMask == 1 << UInt8(bit % 8)
      let isNext =
        place.variableIndex.map { $0 == variableCount } ?? (place.fixedOffset == position)
      guard isAtItsBit, isNext else { return false }
      if place.code.isVariable { variableCount += 1 } else { position += place.code.fixedByteCount }
    }
    return position == end
  }

  /// The sentence of an invariant that a record of this layout breaks; nil if it breaks none.
  package func invariantBroken(by record: Record) -> String? {
    record.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      let areCleared = slotsByBit.allSatisfy { slot in
        let place = places[slot]
        if place.isPresent(in: start) { return true }
        if let index = place.variableIndex { return variableBytes(index, at: start).count == 0 }
        return bytes[Int(place.position)...].prefix(place.code.fixedByteCount)
          .allSatisfy { $0 == 0 }
      }
      let isWide = UInt16(littleEndian: start.loadUnaligned(as: UInt16.self)) & Self.wideBit != 0
      let isNarrowEnough = bytes.count - fixedEnd - 4 * variableCount <= Int(UInt16.max)
      return areCleared && !(isWide && isNarrowEnough)
        ? nil
        : """
        I1 In every record an absent slot's fixed bytes are zero and its variable part is empty, \
        and w is 4 only if the variable part needs it: equal values are equal bytes.
        """
    }
  }
}

extension SlotPlace {
  /// The index among the layout's variable slots, or nil if the value is in the fixed part.
  fileprivate var variableIndex: Int? { position < 0 ? Int(~position) : nil }

  /// The offset of the value from the record's first byte, or nil if it is in the variable part.
  fileprivate var fixedOffset: Int? { isPlaced && position >= 0 ? Int(position) : nil }
}
