// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Why a draft has not taken a value that it was given: the value cannot be stored.
///
/// Setters cannot throw. So the slot keeps its former value, and the draft keeps the refusal until
/// the slot is set to a value that it takes. A save with a refusal fails, so no assignment is lost
/// without an error.
package enum ValueRefusal: Sendable {
  /// The value, or the record with the value, would have more bytes than it may.
  case tooLarge(byteCount: Int, byteCountMax: Int)
  /// The `encode(to:)` of a `Codable` value has thrown this error.
  case notEncodable(any Error)
}

extension Draft {
  /// The refused values, by slot; nil if there are none.
  package var refused: [Int: ValueRefusal]? { cell.pointee.refused }

  /// Notes that the slot was given a value that it cannot take.
  package func refuse(_ refusal: ValueRefusal, at slot: Int) {
    becomeOwner()
    cell.pointee.refused = (cell.pointee.refused ?? [:]).merging([slot: refusal]) { $1 }
  }

  /// Forgets a refusal, because the slot was given a value that it takes.
  package func forgetRefusal(at slot: Int) {
    if cell.pointee.refused != nil { removeRefusal(at: slot) }
  }

  private func removeRefusal(at slot: Int) {
    cell.pointee.refused?[slot] = nil
    if cell.pointee.refused?.isEmpty == true { cell.pointee.refused = nil }
  }

  /// The refusal of a value of this many bytes in the variable part; nil if it fits.
  @inline(__always)
  func refusal(ofByteCount byteCount: Int, at place: SlotPlace) -> ValueRefusal? {
    // At most this many bytes are in use; the exact number is needed only near the limit.
    let used = cell.pointee.heapEnd + Int(cell.pointee.baseByteCount)
    let limit = cell.pointee.layout.with { $0.byteCountMax }
    return byteCount <= limit / 4 && used + byteCount <= limit
      ? nil : exactRefusal(ofByteCount: byteCount, at: place)
  }

  private func exactRefusal(ofByteCount byteCount: Int, at place: SlotPlace) -> ValueRefusal? {
    let layout = layout
    let valueByteCountMax = layout.byteCountMax / 4
    if byteCount > valueByteCountMax {
      return .tooLarge(byteCount: byteCount, byteCountMax: valueByteCountMax)
    }
    // The values of a patch are in the form of a record.
    if isPatch { beginBuffer() }
    var total = layout.fixedEnd + layout.variableCount * 4 + byteCount
    for other in layout.variableSlots where layout.places[other].position != place.position {
      total += Int(variableSlot(layout.places[other]).byteCount)
    }
    guard total > layout.byteCountMax else { return nil }
    return .tooLarge(byteCount: total, byteCountMax: layout.byteCountMax)
  }
}
