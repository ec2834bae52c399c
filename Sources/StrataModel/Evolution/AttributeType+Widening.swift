// SPDX-License-Identifier: Apache-2.0

extension AttributeType {
  /// Whether an attribute of this type can hold every value of an attribute of `other`, exactly.
  package func widens(_ other: AttributeType) -> Bool {
    if self == other || (self == .double && other == .float) { return true }
    guard let bits = exactBitCount, let otherBits = other.integerBitCount else { return false }
    return bits >= otherBits && (isSigned || !other.isSigned)
  }

  /// How many bits the magnitude of an integer has; nil for types of other values.
  private var integerBitCount: Int? {
    switch self {
    case .int8: 7
    case .uint8: 8
    case .int16: 15
    case .uint16: 16
    case .int32: 31
    case .uint32: 32
    case .int64: 63
    case .uint64: 64
    default: nil
    }
  }

  /// How many bits the magnitude of an integer may have that the type represents exactly; nil for
  /// types of other values than numbers.
  private var exactBitCount: Int? {
    switch self {
    case .float: 24
    case .double: 53
    default: integerBitCount
    }
  }

  private var isSigned: Bool {
    switch self {
    case .uint8, .uint16, .uint32, .uint64: false
    default: true
    }
  }
}
