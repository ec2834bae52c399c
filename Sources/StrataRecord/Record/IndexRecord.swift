// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// A record with the values in an entry of an index, and no others: a result computed from a record
/// can be computed from an entry, if it needs no other slot.
///
/// Different values may have one key. Such a key is not *exact*: it does not say which of the
/// values it was made from, and the object's own record must be read.
///
/// | not exact | because |
/// | --- | --- |
/// | zero of a float, double or date | -0 has the same key |
/// | NaN | NaNs with other bits have the same key |
/// | text and URLs beyond ASCII, and `K`, `;` and the grave accent | keys have the NFC form |
/// | values of 255 bytes | they may be cut |
///
/// (Among the characters beyond ASCII, only the signs for kelvin and two Greek ones have an NFC
/// form in ASCII.)
///
/// ## Invariants
/// - I1 The bytes are a record of the layout (`RecordLayout`, I1), before and after each call.
///
/// ## Lifetime
/// The record is valid until the next call.
///
/// ## Isolation
/// It belongs to one fetch and is not Sendable.
package final class IndexRecord {
  /// One part of the index.
  private struct Part {
    let kind: SlotKind
    let place: SlotPlace
    /// Whether the slot is asked for.
    let isWanted: Bool
  }

  package let layout: RecordLayout
  private let parts: [Part]
  /// Whether a wanted part has a variable length.
  private let hasVariableParts: Bool
  private let readsZero: Bool
  private let memory: UnsafeMutableRawPointer
  /// The variable slots' bytes, one after the other, in the order of the index's parts.
  private let scratch: UnsafeMutableRawPointer
  /// Where the bytes of variable slots are in `scratch`, by their index in the layout.
  // Safety: `@exclusivity(unchecked)` saves run-time checks per value. The record belongs to one
  // fetch, and no access to these properties runs code that could access them again.
  @exclusivity(unchecked)
  private var variables: [Range<Int>]
  @exclusivity(unchecked)
  private var scratchByteCount = 0

  /// - Parameters:
  ///   - slots: the slots that are asked for, all of them parts of the index.
  ///   - readsZero: whether a zero is taken for 0, though it may be -0.
  package init(
    _ index: IndexSchema, _ layout: RecordLayout, slots: SlotSet, readsZero: Bool
  ) {
    self.layout = layout
    self.readsZero = readsZero
    var parts = index.parts.map {
      Part(kind: $0.kind, place: layout.places[$0.slot], isWanted: slots.contains($0.slot))
    }
    while parts.last?.isWanted == false { parts.removeLast() }
    self.parts = parts
    hasVariableParts = parts.contains { $0.isWanted && $0.place.code.isVariable }
    variables = Array(repeating: 0..<0, count: layout.variableCount)
    let byteCount = layout.fixedEnd + 2 * layout.variableCount
    memory = .allocate(byteCount: byteCount + KeyEncoder.valueByteCountMax, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    memory.storeBytes(of: layout.version.littleEndian, as: UInt16.self)
    scratch = .allocate(byteCount: KeyEncoder.valueByteCountMax, alignment: 8)
  }

  deinit {
    memory.deallocate()
    scratch.deallocate()
  }

  /// Reads the values of an entry into the record.
  ///
  /// - Parameter value: the entry without its object.
  /// - Returns: the first byte of the record; nil if the value is not exact, or damaged.
  package func read(_ value: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard value.count < KeyEncoder.valueByteCountMax, let start = value.baseAddress else {
      return nil
    }
    scratchByteCount = 0
    var used = 0
    for part in parts {
      let rest = UnsafeRawBufferPointer(start: start + used, count: value.count &- used)
      let count =
        part.isWanted ? read(rest, part.place) : KeyEncoder.byteCount(ofPartAt: rest, part.kind)
      guard let count else { return nil }
      used &+= count
    }
    if hasVariableParts { writeVariables() }
    return UnsafeRawPointer(memory)
  }

  // MARK: - Parts

  /// Reads the part at the beginning of `bytes` into its slot.
  ///
  /// - Returns: the number of bytes of the part; nil if it is not exact.
  private func read(_ bytes: UnsafeRawBufferPointer, _ place: SlotPlace) -> Int? {
    guard let first = bytes.first, place.isPlaced else { return nil }
    let code = place.code
    switch code {
    case .float, .double, .date, .toOne:
      guard bytes.count >= 8 else { return nil }
      let word = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      if word == 0 {
        clear(place)
        return 8
      }
      if code == .toOne {
        store(word, 8, at: place)
      } else if !store(doubleOf: word, at: place) {
        return nil
      }
      return 8
    case _ where first == 0:
      clear(place)
      return 1
    case .bool:
      guard first <= 2 else { return nil }
      store(UInt64(first - 1), 1, at: place)
      return 1
    case .int8, .int16, .int32, .int64: return readSigned(bytes, first, at: place)
    case .uint8, .uint16, .uint32, .uint64:
      guard first >= 0x80, let word = Self.word(bytes, first &- 0x80),
        code.fixedByteCount == 8 || word >> UInt64(8 * code.fixedByteCount) == 0
      else { return nil }
      store(word, code.fixedByteCount, at: place)
      return 1 + Int(first &- 0x80)
    case .uuid:
      guard bytes.count >= 17 else { return nil }
      markPresent(place).copyMemory(from: bytes.baseAddress! + 1, byteCount: 16)
      return 17
    case .decimal: return readDecimal(bytes, at: place)
    case .string, .url: return readEscaped(bytes, isText: true, at: place)
    case .data, .codable: return readEscaped(bytes, isText: false, at: place)
    default: return nil
    }
  }

  private func readSigned(
    _ bytes: UnsafeRawBufferPointer, _ first: UInt8, at place: SlotPlace
  ) -> Int? {
    let count = first >= 0x80 ? first &- 0x80 : 0x7F &- first
    guard var word = Self.word(bytes, count) else { return nil }
    if first < 0x80, count < 8 { word |= ~0 << (8 * UInt64(count)) }
    let byteCount = place.code.fixedByteCount
    let number = Int64(bitPattern: word)
    // The sign that the number has in this width.
    guard number >> Int64(8 * byteCount - 1) == (first >= 0x80 ? 0 : -1) else { return nil }
    store(word, byteCount, at: place)
    return 1 + Int(count)
  }

  /// The number in the `count` bytes behind the first one.
  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ count: UInt8) -> UInt64? {
    guard count <= 8, bytes.count > Int(count) else { return nil }
    var word: UInt64 = 0
    var index = 1
    while index <= Int(count) {
      word = word << 8 | UInt64(bytes[index])
      index &+= 1
    }
    return word
  }

  /// - Returns: false if the number is not exact. Nothing is stored then.
  private func store(doubleOf word: UInt64, at place: SlotPlace) -> Bool {
    let number = Double(bitPattern: word >> 63 == 1 ? word ^ (1 << 63) : ~word)
    if number.isNaN || number == 0 && !readsZero { return false }
    if place.code == .float {
      guard Double(Float(number)) == number else { return false }
      store(UInt64(Float(number).bitPattern), 4, at: place)
    } else {
      store(number.bitPattern, 8, at: place)
    }
    return true
  }

  private func readDecimal(_ bytes: UnsafeRawBufferPointer, at place: SlotPlace) -> Int? {
    guard let decimal = DecimalBytes(ofPartAt: bytes),
      let count = KeyEncoder.byteCount(ofPartAt: bytes, .attribute(.decimal))
    else { return nil }
    decimal.withBytes { markPresent(place).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    return count
  }

  private func readEscaped(
    _ bytes: UnsafeRawBufferPointer, isText: Bool, at place: SlotPlace
  ) -> Int? {
    let start = scratchByteCount
    var index = 0
    while index < bytes.count {
      var byte = bytes[index]
      index &+= 1
      if byte == 1 {
        variables[Int(~place.position)] = start..<scratchByteCount
        place.markPresent(in: memory)
        return index
      }
      // A key escapes this byte: bare, it is damage.
      if byte == 0 { return nil }
      if byte == 2 {
        guard index < bytes.count, 1...3 ~= bytes[index] else { return nil }
        byte = bytes[index] - 1
        index &+= 1
      }
      if isText, byte >= 0x80 || Self.isNormalFormOfOther(byte) { return nil }
      scratch.storeBytes(of: byte, toByteOffset: scratchByteCount, as: UInt8.self)
      scratchByteCount &+= 1
    }
    return nil
  }

  /// Whether an ASCII character is the NFC form of another character.
  private static func isNormalFormOfOther(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "K") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "`")
  }

  // MARK: - Slots

  /// Stores the lowest `byteCount` bytes of `word` in a slot of the fixed part.
  @inline(__always)
  private func store(_ word: UInt64, _ byteCount: Int, at place: SlotPlace) {
    let start = markPresent(place)
    switch byteCount {
    case 1: start.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
    case 2: start.storeBytes(of: UInt16(truncatingIfNeeded: word).littleEndian, as: UInt16.self)
    case 4: start.storeBytes(of: UInt32(truncatingIfNeeded: word).littleEndian, as: UInt32.self)
    default: start.storeBytes(of: word.littleEndian, as: UInt64.self)
    }
  }

  /// The first byte of a slot of the fixed part.
  @inline(__always)
  private func markPresent(_ place: SlotPlace) -> UnsafeMutableRawPointer {
    place.markPresent(in: memory)
    return memory + Int(place.position)
  }

  private func clear(_ place: SlotPlace) {
    let presence = memory.load(fromByteOffset: Int(place.presenceOffset), as: UInt8.self)
    memory.storeBytes(
      of: presence & ~place.presenceMask, toByteOffset: Int(place.presenceOffset), as: UInt8.self)
    if place.position < 0 {
      variables[Int(~place.position)] = 0..<0
    } else {
      (memory + Int(place.position)).initializeMemory(
        as: UInt8.self, repeating: 0, count: place.code.fixedByteCount)
    }
  }

  private func writeVariables() {
    let start = memory + layout.fixedEnd + 2 * layout.variableCount
    var end = 0
    for (index, bytes) in variables.enumerated() {
      (start + end).copyMemory(from: scratch + bytes.lowerBound, byteCount: bytes.count)
      end += bytes.count
      (memory + layout.fixedEnd + 2 * index).storeBytes(
        of: UInt16(end).littleEndian, as: UInt16.self)
    }
  }
}
