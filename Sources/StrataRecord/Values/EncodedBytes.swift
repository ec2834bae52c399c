// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataModel

/// The stored bytes of a `Codable` attribute, for code that does not have the Swift type. They are
/// neither decoded nor checked.
package struct EncodedBytes: AttributeValue {
  package let data: Data

  package static var attributeType: AttributeType { .codable }
  package static var zero: EncodedBytes? { nil }

  package init?(_ slot: _RecordSlot) {
    guard let bytes = slot.bytes(.codable) else { return nil }
    data = Data(bytes)
  }

  package func write(to writer: inout _SlotWriter) {
    data.withUnsafeBytes { writer.write(bytes: $0, as: .codable) }
  }

  package var value: PropertyValue { .codable(data) }

  package init?(value: PropertyValue) {
    guard case .codable(let data) = value else { return nil }
    self.data = data
  }
}

extension AttributeType {
  /// The Swift type of the stored values.
  package var storedType: any AttributeValue.Type { SlotCode(self).valueType ?? EncodedBytes.self }
}
