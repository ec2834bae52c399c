// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// The least and the greatest value of the slot by which an index is sorted within a range: they are
// at its ends, whatever is between.

extension CoveredFetch {
  /// Calls `body` with rows among which the least and the greatest value of `slot` are, and the
  /// first objects that have them, ascending by key.
  ///
  /// - Returns: false if the index is not in the order of the slot, or does not say the values.
  func visitExtremes(of slot: Int, _ body: (Row) throws -> Void) throws -> Bool {
    let index = access.index
    guard access.fixedPartCount < index.partCount,
      index.slot(ofPart: access.fixedPartCount) == slot
    else { return false }
    let kind = index.parts[access.fixedPartCount].kind
    let absent = KeyRange(prefix: access.fixed + KeyEncoder.absentKey(kind))
    let present = KeyRange(
      lower: absent.upper ?? [],
      upper: KeyEncoder.notANumberKey(kind).map { access.fixed + $0 })
    var found: [(key: ObjectKey, value: [UInt8])] = []
    for range in access.range.keyRanges {
      let values = range.intersection(present)
      for part in [range.intersection(absent), values] where !part.isEmpty {
        if let first = try firstEntry(in: part, isReversed: false) { found.append(first) }
      }
      // The last value's first object.
      guard !values.isEmpty, let last = try firstEntry(in: values, isReversed: true) else {
        continue
      }
      let equal = values.intersection(KeyRange(prefix: last.value))
      if let first = try firstEntry(in: equal, isReversed: false) { found.append(first) }
    }
    found.sort { $0.key < $1.key }
    for (key, value) in found {
      // In an index over several slots, the first object with a value that is not exact may have
      // other values behind it.
      let isKnown = value.withUnsafeBytes { row(of: key, $0) != nil }
      guard isKnown || !index.isCompound && value.count < KeyEncoder.valueByteCountMax else {
        return false
      }
    }
    for (key, value) in found {
      let isShown = try value.withUnsafeBytes { value in
        guard let row = row(of: key, value) else { return false }
        try body(row)
        return true
      }
      if !isShown { try visitRecords(of: [key], body) }
    }
    return true
  }
}
