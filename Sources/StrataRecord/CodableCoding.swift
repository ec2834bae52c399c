// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

/// How a `Codable` value is stored in an attribute: as JSON with sorted keys, so that encoding an
/// equal struct gives equal bytes and setting it is no change.
///
/// Numbers that JSON lacks are the strings `nan`, `inf` and `-inf`.
public enum CodableCoding {
  /// The bytes of `value`.
  /// - Throws: what the value's `encode(to:)` throws.
  public static func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  /// The value that was encoded to `data`.
  /// - Throws: `DecodingError`, or what the value's `init(from:)` throws.
  public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }
}

/// A `Codable` value that does not conform to `AttributeValue` itself, as an attribute's value. The
/// accessors wrap and unwrap it; no property is declared with it.
@frozen
public struct CodableBox<Wrapped: Codable & Sendable>: AttributeValue {
  public let wrapped: Wrapped

  @inlinable public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

  public static var attributeType: AttributeType { .codable }
  public static var zero: CodableBox? { nil }

  /// nil also if the bytes are no `Wrapped`: it has changed since they were written.
  public init?(_ slot: RecordSlot) {
    guard let bytes = slot.bytes(.codable),
      let wrapped = try? CodableCoding.decode(Wrapped.self, from: Data(bytes))
    else { return nil }
    self.wrapped = wrapped
  }

  public func write(to writer: inout SlotWriter) {
    encoded.withUnsafeBytes { writer.write(bytes: $0, as: .codable) }
  }

  public var value: Value { .codable(encoded) }

  public init?(value: Value) {
    guard case .codable(let data) = value,
      let wrapped = try? CodableCoding.decode(Wrapped.self, from: data)
    else { return nil }
    self.wrapped = wrapped
  }

  /// Whether both encode to the same bytes.
  public static func == (left: CodableBox, right: CodableBox) -> Bool {
    left.encoded == right.encoded
  }

  /// An assignment cannot throw, so a value that refuses to be encoded is a mistake of the program.
  private var encoded: Data {
    do {
      return try CodableCoding.encode(wrapped)
    } catch {
      preconditionFailure("a value of type \(Wrapped.self) does not encode itself: \(error)")
    }
  }
}
