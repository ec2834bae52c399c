// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import StrataModel

/// Writes the parts of keys: the rules of `KeyEncoder`, one function each. The rule of decimals is
/// in `DecimalKey`.
///
/// It writes to scratch memory with some bytes to spare, so that numbers are stored whole and cut
/// afterwards.
struct KeyPart {
  private let start: UnsafeMutableRawPointer
  /// The most bytes that may be in use at the end.
  private let limit: Int
  private(set) var count = 0
  private(set) var isCut = false

  /// The bytes that the memory must have for a limit.
  static func capacity(for limit: Int) -> Int { limit + 32 }

  init(start: UnsafeMutableRawPointer, limit: Int) {
    self.start = start
    self.limit = limit
  }

  // MARK: - Slots and values

  mutating func append(_ slot: _RecordSlot) {
    guard let address = slot.start else { return appendNil(slot.code) }
    switch slot.code {
    case .bool: append(byte: address.load(as: UInt8.self) != 0 ? 2 : 1)
    case .int8: append(integer: Int64(address.load(as: Int8.self)))
    case .int16: append(integer: Int64(load(address, as: Int16.self)))
    case .int32: append(integer: Int64(load(address, as: Int32.self)))
    case .int64: append(integer: load(address, as: Int64.self))
    case .uint8: append(integer: UInt64(address.load(as: UInt8.self)))
    case .uint16: append(integer: UInt64(load(address, as: UInt16.self)))
    case .uint32: append(integer: UInt64(load(address, as: UInt32.self)))
    case .uint64: append(integer: load(address, as: UInt64.self))
    case .float:
      append(double: Double(Float(bitPattern: load(address, as: UInt32.self))))
    case .double, .date: append(double: Double(bitPattern: load(address, as: UInt64.self)))
    case .decimal: append(decimal: DecimalBytes(at: address))
    case .uuid: append(uuid: UnsafeRawBufferPointer(start: address, count: 16))
    case .toOne: append(word: load(address, as: UInt64.self))
    case .string, .url:
      let text = UnsafeRawBufferPointer(start: address, count: Int(slot.byteCount))
      append(text: text, isWhole: true)
    default:
      if let bytes = slot.rawBytes { append(escaping: bytes, isWhole: true) }
    }
  }

  mutating func append(_ value: PropertyValue, _ code: SlotCode) {
    switch value {
    case .null: appendNil(code)
    case .bool(let bool): append(byte: bool ? 2 : 1)
    case .int(let number) where code == .float || code == .double: append(double: Double(number))
    case .uint(let number) where code == .float || code == .double: append(double: Double(number))
    case .int(let number) where code == .decimal: append(decimal: DecimalBytes(Decimal(number)))
    case .uint(let number) where code == .decimal: append(decimal: DecimalBytes(Decimal(number)))
    case .int(let number): append(integer: number)
    case .uint(let number): append(integer: number)
    case .double(let number): append(double: number)
    case .date(let date): append(double: date.timeIntervalSinceReferenceDate)
    case .decimal(let number): append(decimal: DecimalBytes(number))
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { append(uuid: $0) }
    case .object(let id): append(word: id.key.rawValue)
    case .string(let string): append(text: string, isWhole: true)
    case .url(let url): append(text: url.absoluteString, isWhole: true)
    case .data(let data), .codable(let data):
      data.withUnsafeBytes { append(escaping: $0, isWhole: true) }
    }
  }

  private func load<Integer: FixedWidthInteger>(
    _ address: UnsafeRawPointer, as type: Integer.Type
  ) -> Integer {
    Integer(littleEndian: address.loadUnaligned(as: Integer.self))
  }

  // MARK: - Fixed parts

  /// nil is one zero byte; where a value's first byte may be zero too, as many as the value has.
  static func nilByteCount(_ code: SlotCode) -> Int {
    switch code {
    case .float, .double, .date, .toOne: 8
    default: 1
    }
  }

  private mutating func appendNil(_ code: SlotCode) {
    if Self.nilByteCount(code) == 8 { append(word: 0) } else { append(byte: 0) }
  }

  mutating func append(byte: UInt8) {
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    advance(by: 1)
  }

  /// - Parameter twoBytes: the first byte in the upper half.
  mutating func append(twoBytes: UInt16) {
    start.storeBytes(of: twoBytes.bigEndian, toByteOffset: count, as: UInt16.self)
    advance(by: 2)
  }

  private mutating func append(word: UInt64) {
    start.storeBytes(of: word.bigEndian, toByteOffset: count, as: UInt64.self)
    advance(by: 8)
  }

  private mutating func append(integer: UInt64) {
    let significant = 8 - integer.leadingZeroBitCount / 8
    start.storeBytes(of: 0x80 + UInt8(significant), toByteOffset: count, as: UInt8.self)
    append(significant, of: integer)
  }

  private mutating func append(integer: Int64) {
    if integer >= 0 { return append(integer: UInt64(integer)) }
    let significant = 8 - (~integer).leadingZeroBitCount / 8
    start.storeBytes(of: 0x7F - UInt8(significant), toByteOffset: count, as: UInt8.self)
    append(significant, of: UInt64(bitPattern: integer))
  }

  /// The last `significant` bytes of `word`, most significant first, behind a first byte.
  private mutating func append(_ significant: Int, of word: UInt64) {
    let shifted = significant == 0 ? 0 : word << UInt64(64 - significant * 8)
    start.storeBytes(of: shifted.bigEndian, toByteOffset: count + 1, as: UInt64.self)
    advance(by: 1 + significant)
  }

  private mutating func append(double: Double) {
    let number = double.isNaN ? .nan : double + 0  // -0 + 0 is +0
    let bits = number.bitPattern
    append(word: bits & (1 << 63) == 0 ? bits | (1 << 63) : ~bits)
  }

  private mutating func append(uuid: UnsafeRawBufferPointer) {
    start.storeBytes(of: 1, toByteOffset: count, as: UInt8.self)
    (start + count + 1).copyMemory(from: uuid.baseAddress!, byteCount: 16)
    advance(by: 17)
  }

  /// Counts bytes that were stored beyond `count`.
  private mutating func advance(by byteCount: Int) {
    count += byteCount
    if count > limit {
      count = limit
      isCut = true
    }
  }

  // MARK: - Texts and bytes

  mutating func append(text: String, isWhole: Bool) {
    var text = text
    text.withUTF8 { append(text: UnsafeRawBufferPointer($0), isWhole: isWhole) }
  }

  /// - Parameter isWhole: whether the text ends here; false for a prefix, which has no end mark.
  private mutating func append(text bytes: UnsafeRawBufferPointer, isWhole: Bool) {
    if copyPlain(bytes) {
      if isWhole { append(byte: 1) }
      return
    }
    if NormalForm.isCertain(bytes, upTo: limit - count) {
      return append(escaping: bytes, isWhole: isWhole)
    }
    let normal = NormalForm.bytes(
      of: String(decoding: bytes, as: UTF8.self), byteCountMin: limit + 1)
    normal.withUnsafeBytes { append(escaping: $0, isWhole: isWhole) }
  }

  /// Appends a text of ASCII in which nothing has to be escaped, as most texts are: eight bytes at
  /// a time are looked at and copied.
  /// - Returns: false if it is not such a text, or less than eight bytes, or more than fit; nothing
  ///   is appended then.
  private mutating func copyPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 8, bytes.count <= limit - count else { return false }
    let target = start + count
    var index = 0
    while true {
      // A byte below 3 borrows when 3 is taken from it, which sets its highest bit.
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if (word | (word &- 0x0303_0303_0303_0303)) & 0x8080_8080_8080_8080 != 0 { return false }
      target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      if index == bytes.count - 8 { break }
      // The last eight may have some before them once more.
      index = min(index + 8, bytes.count - 8)
    }
    count += bytes.count
    return true
  }

  /// Whether none of the bytes has to be escaped.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let count = bytes.count
    if count < 8 { return bytes.allSatisfy { $0 > 2 } }
    var index = 0
    while true {
      // A byte is below 3 if taking 3 from it borrows, and its highest bit is clear.
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if (word &- 0x0303_0303_0303_0303) & ~word & 0x8080_8080_8080_8080 != 0 { return false }
      if index == count - 8 { return true }
      // The last eight may be looked at with some before them.
      index = min(index + 8, count - 8)
    }
  }

  /// 00, 01 and 02 become 02 01, 02 02 and 02 03, so that 01 ends the part and sorts before every
  /// other continuation, and 00 remains for nil.
  private mutating func append(escaping bytes: UnsafeRawBufferPointer, isWhole: Bool) {
    let room = limit - count
    let fitting = UnsafeRawBufferPointer(rebasing: bytes.prefix(room))
    if bytes.count > room { isCut = true }
    if Self.isPlain(fitting) {
      if let address = fitting.baseAddress {
        (start + count).copyMemory(from: address, byteCount: fitting.count)
      }
      count += fitting.count
    } else {
      for byte in fitting {
        if isCut, count == limit { break }
        if byte > 2 { append(byte: byte) } else { append(twoBytes: 0x0201 + UInt16(byte)) }
      }
    }
    if isWhole { append(byte: 1) }
  }
}
