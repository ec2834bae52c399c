// SPDX-License-Identifier: Apache-2.0
import Foundation
package import StrataModel
import StrataRecord

extension PropertyValue {
  /// Returns the value as one of an attribute of `type`; nil if the type cannot represent it.
  /// `.null` is returned for every type but `.codable`.
  ///
  /// A format string does not know the types of properties. Depending on the property, the number 1
  /// may mean true, 2.5 a decimal, and 0.1 the nearest `Float`.
  package func fitting(_ type: AttributeType) -> PropertyValue? {
    switch (type, self) {
    case (.codable, _): nil
    case (_, .null): self
    case (.bool, .int(0)): .bool(false)
    case (.bool, .int(1)): .bool(true)
    case (.bool, .bool): self
    case (.decimal, .double(let number)): Decimal(string: "\(number)").map(PropertyValue.decimal)
    case (.decimal, .decimal), (.decimal, .int), (.decimal, .uint): self
    case (.int8, _): Int8(value: self)?.value
    case (.int16, _): Int16(value: self)?.value
    case (.int32, _): Int32(value: self)?.value
    case (.int64, _): Int64(value: self)?.value
    case (.uint8, _): UInt8(value: self)?.value
    case (.uint16, _): UInt16(value: self)?.value
    case (.uint32, _): UInt32(value: self)?.value
    case (.uint64, _): UInt64(value: self)?.value
    case (.float, .double(let number)): Float(fitting: number)?.value
    case (.float, .int(let number)): Float(exactly: number)?.value
    case (.float, .uint(let number)): Float(exactly: number)?.value
    case (.double, _): Double(value: self)?.value
    case (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid): self
    // Converted to the form in which a URL is stored.
    case (.url, .url(let url)): .url(url.absoluteURL)
    default: nil
    }
  }
}

extension AttributeValue {
  /// Creates the value that a condition compares with; nil if `constant` is of another case than
  /// the values of the type, or beyond its bounds.
  init?(_ constant: PropertyValue) {
    let type = Self.attributeType
    guard type.holds(constant), let fitting = constant.fitting(type) else { return nil }
    self.init(value: fitting)
  }
}

extension Float {
  /// Creates the nearest `Float`; nil if the number is out of range.
  fileprivate init?(fitting number: Double) {
    self.init(number)
    if isInfinite, number.isFinite { return nil }
  }
}
