// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

/// How a `Codable` value is stored in an attribute: as JSON with sorted keys, and with the elements
/// of sets in the order of their bytes (`StableEncoder`), so that encoding an equal value gives
/// equal bytes and setting it is not a change.
///
/// A type that writes the elements of a set one by one in its own `encode(to:)` has to sort them.
///
/// Numbers that JSON lacks are the strings `nan`, `inf` and `-inf`.
public enum _CodableCoding {
  /// The bytes of `value`.
  /// - Throws: the errors of the value's `encode(to:)`.
  public static func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try StableEncoder(encoder).encode(value)
  }

  /// Whether `former`, which a former release may have written, has the bytes of `data` in another
  /// order, and is an equal value: its sets have other orders.
  static func isReordered<Value: Codable>(
    _ former: UnsafeRawBufferPointer, of data: Data, _: Value.Type
  ) -> Bool {
    guard former.count == data.count else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for (left, right) in zip(former, data) {
      counts[Int(left)] += 1
      counts[Int(right)] -= 1
    }
    guard counts.allSatisfy({ $0 == 0 }),
      let value = try? decode(Value.self, from: Data(former)), let encoded = try? encode(value)
    else { return false }
    return encoded == data
  }

  /// The value that was encoded to `data`.
  /// - Throws: `DecodingError`, or the errors of the value's `init(from:)`.
  public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }
}

/// A `Codable` value that does not conform to `AttributeValue` itself, as an attribute's value. The
/// accessors wrap and unwrap it; no property is declared with it.
///
/// It holds the value's bytes from the beginning: the program's `encode(to:)` and `init(from:)` run
/// before anything is written, and after all is read. A value whose `encode(to:)` throws is refused
/// by the draft that it is written to (`ValueRefusal`).
public struct _CodableBox<Wrapped: Codable & Sendable>: AttributeValue {
  public let wrapped: Wrapped
  private let encoded: Result<Data, any Error>

  public init(_ wrapped: Wrapped) {
    self.wrapped = wrapped
    encoded = Result { try _CodableCoding.encode(wrapped) }
  }

  private init?(decoding encoded: Data) {
    guard let wrapped = try? _CodableCoding.decode(Wrapped.self, from: encoded) else { return nil }
    self.wrapped = wrapped
    self.encoded = .success(encoded)
  }

  public static var attributeType: AttributeType { .codable }
  public static var zero: _CodableBox? { nil }

  /// nil also if the bytes are not a `Wrapped`: it has changed since they were written.
  public init?(_ slot: _RecordSlot) {
    guard let bytes = slot.bytes(.codable) else { return nil }
    self.init(decoding: Data(bytes))
  }

  public func write(to writer: inout _SlotWriter) {
    switch encoded {
    case .success(let data):
      data.withUnsafeBytes { bytes in
        writer.write(bytes: bytes) { _CodableCoding.isReordered($0, of: data, Wrapped.self) }
      }
    case .failure(let error): writer.refuse(.notEncodable(error))
    }
  }

  /// `.null` for a value that has no bytes, because its `encode(to:)` has thrown.
  public var value: PropertyValue { (try? encoded.get()).map(PropertyValue.codable) ?? .null }

  public init?(value: PropertyValue) {
    guard case .codable(let data) = value else { return nil }
    self.init(decoding: data)
  }

  /// Whether both encode to the same bytes. A value without bytes equals none.
  public static func == (left: _CodableBox, right: _CodableBox) -> Bool {
    guard let left = try? left.encoded.get(), let right = try? right.encoded.get() else {
      return false
    }
    return left == right
  }
}
