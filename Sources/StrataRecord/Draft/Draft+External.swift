// SPDX-License-Identifier: Apache-2.0
internal import Foundation

// Values that are stored beside the record: a draft has their stamps, and the bytes that were set.

extension Draft {
  /// Sets an external slot; nil leaves it without a value.
  /// - Returns: false if it has equal bytes, by their stamp.
  @discardableResult
  package func setExternal(_ value: ExternalData?, at slot: Int) -> Bool {
    guard place(slot).code == .external else { mismatch(slot, .external) }
    forgetRefusal(at: slot)
    guard value?.stamp != self.slot(slot).stamp else { return false }
    replaceExternal(with: value, at: slot)
    return true
  }

  /// Sets an external slot even if the draft has equal bytes: an object whose base is outdated
  /// shows other ones.
  package func replaceExternal(with value: ExternalData?, at slot: Int) {
    let place = place(slot)
    guard place.code == .external else { mismatch(slot, .external) }
    forgetRefusal(at: slot)
    if let value {
      value.stamp.withStoredBytes { bytes in
        (buffer + Int(place.position)).copyMemory(
          from: bytes.baseAddress!, byteCount: DataStamp.storedByteCount)
      }
      markPresent(place, slot)
    } else {
      if place.isPresent(in: buffer) { erase(place) }
      cell.pointee.changedSlots.insert(slot)
    }
    cell.pointee.externalValues[slot] = value
  }

  /// Sets a slot of data, whether its bytes are in the record or beside it, or refuses data that is
  /// too large.
  func store(data: Data, at slot: Int) -> Bool {
    guard place(slot).code != .external else {
      if let refusal = ExternalData.refusal(of: data) {
        refuse(refusal, at: slot)
        return false
      }
      return setExternal(ExternalData(data), at: slot)
    }
    return data.withUnsafeBytes { store(bytes: $0, at: slot, as: .data) }
  }
}
