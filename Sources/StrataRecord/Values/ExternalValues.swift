// SPDX-License-Identifier: Apache-2.0
package import Foundation
internal import StrataModel

/// The bytes of an external attribute and their stamp, which is worked out once.
///
/// The bytes are the program's own `Data`: they are never copied on their way to the store.
package struct ExternalData: Sendable {
  package let data: Data
  package let stamp: DataStamp

  /// The maximum size of a value, in bytes: the store's limit for one key.
  package static let byteCountMax = Int(UInt32.max)

  /// The refusal of data that is too large for an external value; nil if it fits.
  package static func refusal(of data: Data) -> ValueRefusal? {
    data.count <= byteCountMax
      ? nil : .tooLarge(byteCount: data.count, byteCountMax: byteCountMax)
  }

  /// O(bytes).
  package init(_ data: Data) {
    self.data = data
    stamp = data.withUnsafeBytes { DataStamp(of: $0) }
  }

  /// - Precondition: `stamp` is the stamp of `data`.
  package init(_ data: Data, stamp: DataStamp) {
    self.data = data
    self.stamp = stamp
  }
}

/// The new values of one object's external slots that are not in the store yet, by slot. They
/// accompany a pending record; the record itself has the stamps.
package struct ExternalValues: Sendable {
  /// Nil rather than empty, so that copies of most changes count no references.
  private var bySlot: [Int: ExternalData]?

  package init() { bySlot = nil }

  package var isEmpty: Bool { bySlot == nil }

  package subscript(slot: Int) -> ExternalData? {
    get { bySlot?[slot] }
    set {
      var values = bySlot ?? [:]
      values[slot] = newValue
      bySlot = values.isEmpty ? nil : values
    }
  }

  /// The value that `stamp` is the stamp of, if it is the one at `slot`.
  package func value(at slot: Int, fitting stamp: DataStamp) -> ExternalData? {
    guard let value = bySlot?[slot], value.stamp == stamp else { return nil }
    return value
  }

  /// Those that `record` has the stamps of, in `slots`; where these have none, `older` may.
  package func fitting(
    _ record: Record?, _ layout: RecordLayout, in slots: SlotSet,
    orElse older: ExternalValues = ExternalValues()
  ) -> ExternalValues {
    var fitting = ExternalValues()
    guard let record, !isEmpty || !older.isEmpty else { return fitting }
    for slot in layout.externalSlots.intersection(slots) {
      guard let stamp = record.stamp(at: slot, layout) else { continue }
      fitting[slot] = value(at: slot, fitting: stamp) ?? older.value(at: slot, fitting: stamp)
    }
    return fitting
  }
}

extension AttributeValue {
  /// The value that an external attribute has with these bytes; nil if they mean none of this type.
  package init?(external data: Data) {
    if let value = data as? Self {
      self = value
      return
    }
    let value: Self? = data.withUnsafeBytes { bytes in
      // A slot without a first byte would be absent.
      withUnsafeBytes(of: UInt8(0)) { nothing in
        guard let start = bytes.baseAddress ?? nothing.baseAddress else { return nil }
        return Self(
          _RecordSlot(start: start, byteCount: UInt32(bytes.count), code: .data))
      }
    }
    guard let value else { return nil }
    self = value
  }

  /// The bytes that an external attribute with this value has; nil for no value.
  package var externalBytes: Data? {
    if case .data(let data) = value { data } else { nil }
  }
}
