// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

extension AttributeDescription {
  /// The value that the property reads as while its slot is absent: nil for an optional property,
  /// the default for a type without a zero value, else the type's zero value. A predicate must see
  /// the same value as the program.
  package var absentValue: Value {
    if isOptional { return .null }
    return needsDefault ? defaultValue : type.zero
  }
}

extension AttributeType {
  private func zero<V: AttributeValue>(_: V.Type) -> Value { V.zero?.value ?? .null }

  /// The value of a non-optional property of this type before it is set; `.null` if the type has no
  /// zero value.
  fileprivate var zero: Value {
    switch self {
    case .bool: zero(Bool.self)
    case .int8: zero(Int8.self)
    case .int16: zero(Int16.self)
    case .int32: zero(Int32.self)
    case .int64: zero(Int64.self)
    case .uint8: zero(UInt8.self)
    case .uint16: zero(UInt16.self)
    case .uint32: zero(UInt32.self)
    case .uint64: zero(UInt64.self)
    case .float: zero(Float.self)
    case .double: zero(Double.self)
    case .decimal: zero(Decimal.self)
    case .string: zero(String.self)
    case .data: zero(Data.self)
    case .date: zero(Date.self)
    case .uuid: zero(UUID.self)
    case .url: zero(URL.self)
    case .codable: .null
    }
  }
}
