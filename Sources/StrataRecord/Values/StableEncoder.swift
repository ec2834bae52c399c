// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// Encodes values as JSON so that equal values have equal bytes: the elements of sets, and the
/// pairs of dictionaries that JSON has as arrays, are in the order of their bytes. A set itself
/// encodes its elements in the order of its hash table, which differs between equal sets and from
/// process to process.
///
/// Foundation's encoder makes all other bytes. This encoder stands between it and the values, and
/// sees each value's type. It encodes a set by itself, gives Foundation's encoder a mark in its
/// place, and replaces the mark by the set's bytes in the end. So each value is encoded once, at
/// any depth.
///
/// ```
///  ["b", {10, 9}]    Foundation's:  ["b","<mark>0"]    parts:  [10,9]    result:  ["b",[10,9]]
/// ```
///
/// ## Isolation
/// One instance encodes one value, and is not shared.
final class StableEncoder {
  private let encoder: JSONEncoder
  /// The bytes of the sets so far.
  private var parts: [Data] = []
  /// Occurs in no value. Made for the first set.
  private lazy var mark = UUID().uuidString

  init(_ encoder: JSONEncoder) { self.encoder = encoder }

  func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let data =
      isPlain(Value.self) ? try encoder.encode(value) : try encoder.encode(Stable(value, self))
    return parts.isEmpty ? data : withParts(data)
  }

  /// Whether values of the type contain no set, or are encoded by Foundation's encoder in a way of
  /// its own.
  fileprivate func isPlain(_ type: Any.Type) -> Bool { Self.plainTypes.contains { $0 == type } }

  private static let plainTypes: [Any.Type] = [
    String.self, Int.self, Double.self, Bool.self, Date.self, Data.self, URL.self, Decimal.self,
    [String].self, [Int].self, [Double].self, Float.self, Int8.self, Int16.self, Int32.self,
    Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
  ]

  // MARK: - Sets

  /// The mark of a set with these elements.
  fileprivate func mark(of elements: some Collection<some Encodable>) throws -> String {
    let pieces = try pieces(elements.map { [Stable($0, self)] })
    return note(pieces.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// The mark of a dictionary with these pairs.
  fileprivate func mark<Key: Encodable, Value: Encodable>(of pairs: [Key: Value]) throws -> String {
    let keys = try pieces(pairs.keys.map { [Stable($0, self)] })
    let values = try pieces(pairs.values.map { [Stable($0, self)] })
    let sorted = zip(keys, values).sorted { $0.0.lexicographicallyPrecedes($1.0) }
    return note(sorted.flatMap { [$0, $1] })
  }

  /// The bytes of each element, in their order.
  ///
  /// - Parameter elements: one array for each element. The bytes between two elements are then
  ///   `],"<mark>",[`, which is nowhere else.
  private func pieces(_ elements: [[some Encodable]]) throws -> [Data] {
    if elements.isEmpty { return [] }
    var text = try encoder.encode(Separated(elements: elements, separator: mark))
    // Without "[[" and "]]".
    text = text.dropFirst(2).dropLast(2)
    let separator = Data("],\"\(mark)\",[".utf8)
    var pieces: [Data] = []
    while let place = text.range(of: separator) {
      pieces.append(withParts(text[..<place.lowerBound]))
      text = text[place.upperBound...]
    }
    return pieces + [withParts(text)]
  }

  private func note(_ pieces: [Data]) -> String {
    parts.append(Data("[".utf8) + Data(pieces.joined(separator: Data(",".utf8))) + Data("]".utf8))
    return "\(mark)\(parts.count - 1)"
  }

  /// The text with the bytes of its sets in the place of their marks.
  private func withParts(_ text: Data) -> Data {
    if parts.isEmpty { return text }
    let start = Data("\"\(mark)".utf8)
    var (rest, result) = (text[...], Data())
    while let place = rest.range(of: start),
      let end = rest[place.upperBound...].firstIndex(of: UInt8(ascii: "\""))
    {
      result += rest[..<place.lowerBound]
      if let index = Int(String(decoding: rest[place.upperBound..<end], as: UTF8.self)),
        parts.indices.contains(index)
      {
        result += parts[index]
      }
      rest = rest[(end + 1)...]
    }
    return result + rest
  }
}

/// Elements with a text between them.
private struct Separated<Element: Encodable>: Encodable {
  let elements: [Element]
  let separator: String

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for (position, element) in elements.enumerated() {
      if position > 0 { try container.encode(separator) }
      try container.encode(element)
    }
  }
}

/// A value that encodes itself through a `StableEncoder`.
private struct Stable<Value: Encodable>: Encodable {
  let value: Value
  let stable: StableEncoder

  init(_ value: Value, _ stable: StableEncoder) { (self.value, self.stable) = (value, stable) }

  func encode(to encoder: any Encoder) throws {
    let encoder = StableEncoding(inner: encoder, stable: stable)
    if stable.isPlain(Value.self) { return try encoder.encode(value) }
    guard let unordered = value as? any UnorderedValue, let mark = try unordered.mark(in: stable)
    else { return try value.encode(to: encoder) }
    try encoder.encode(mark)
  }
}

// MARK: - Values without an order

private protocol UnorderedValue {
  /// - Returns: nil if JSON has the value as an object, whose members are in the order of their
  ///   names.
  func mark(in stable: StableEncoder) throws -> String?
}

extension Set: UnorderedValue where Element: Encodable {
  fileprivate func mark(in stable: StableEncoder) throws -> String? { try stable.mark(of: self) }
}

extension Dictionary: UnorderedValue where Key: Encodable, Value: Encodable {
  fileprivate func mark(in stable: StableEncoder) throws -> String? {
    let isObject =
      Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    return isObject ? nil : try stable.mark(of: self)
  }
}

// MARK: - Containers

// Each passes the values below it on to Foundation's, as `Stable`.

private struct StableEncoding: Encoder, SingleValueEncodingContainer {
  let inner: any Encoder
  let stable: StableEncoder

  var codingPath: [any CodingKey] { inner.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { inner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      StableKeyedContainer(inner: inner.container(keyedBy: type), stable: stable))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    StableUnkeyedContainer(inner: inner.unkeyedContainer(), stable: stable)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws {
    var container = inner.singleValueContainer()
    try container.encodeNil()
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    var container = inner.singleValueContainer()
    if stable.isPlain(Value.self) {
      try container.encode(value)
    } else {
      try container.encode(Stable(value, stable))
    }
  }
}

private struct StableUnkeyedContainer: UnkeyedEncodingContainer {
  var inner: any UnkeyedEncodingContainer
  let stable: StableEncoder

  var codingPath: [any CodingKey] { inner.codingPath }
  var count: Int { inner.count }

  mutating func encodeNil() throws { try inner.encodeNil() }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    if stable.isPlain(Value.self) {
      try inner.encode(value)
    } else {
      try inner.encode(Stable(value, stable))
    }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      StableKeyedContainer(inner: inner.nestedContainer(keyedBy: type), stable: stable))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    StableUnkeyedContainer(inner: inner.nestedUnkeyedContainer(), stable: stable)
  }

  mutating func superEncoder() -> any Encoder {
    StableEncoding(inner: inner.superEncoder(), stable: stable)
  }
}

private struct StableKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var inner: KeyedEncodingContainer<Key>
  let stable: StableEncoder

  var codingPath: [any CodingKey] { inner.codingPath }

  mutating func encodeNil(forKey key: Key) throws { try inner.encodeNil(forKey: key) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if stable.isPlain(Value.self) {
      try inner.encode(value, forKey: key)
    } else {
      try inner.encode(Stable(value, stable), forKey: key)
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer<NestedKey>(
      StableKeyedContainer<NestedKey>(
        inner: inner.nestedContainer(keyedBy: type, forKey: key), stable: stable))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    StableUnkeyedContainer(inner: inner.nestedUnkeyedContainer(forKey: key), stable: stable)
  }

  mutating func superEncoder() -> any Encoder {
    StableEncoding(inner: inner.superEncoder(), stable: stable)
  }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    StableEncoding(inner: inner.superEncoder(forKey: key), stable: stable)
  }
}
