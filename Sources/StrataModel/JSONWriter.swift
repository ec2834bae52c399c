// SPDX-License-Identifier: Apache-2.0

/// Writes a JSON text from its beginning to its end, byte for byte what Foundation's encoder writes with
/// sorted keys, if members come in the order of their names.
///
/// It is there for texts that are written often and only compared: Foundation's encoder takes a hundred
/// times as long.
struct JSONWriter {
  private(set) var text: [UInt8] = []

  init(expecting byteCount: Int) { text.reserveCapacity(byteCount) }

  mutating func object(_ members: (inout JSONWriter) -> Void) {
    text.append(UInt8(ascii: "{"))
    members(&self)
    text.append(UInt8(ascii: "}"))
  }

  mutating func array<Element>(
    _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    text.append(UInt8(ascii: "["))
    for element in elements {
      separate()
      write(&self, element)
    }
    text.append(UInt8(ascii: "]"))
  }

  /// - Parameter name: ASCII without anything to be escaped.
  mutating func member(_ name: StaticString, _ write: (inout JSONWriter) -> Void) {
    separate()
    text.append(UInt8(ascii: "\""))
    text += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    text.append(UInt8(ascii: "\""))
    text.append(UInt8(ascii: ":"))
    write(&self)
  }

  mutating func number(_ number: UInt8) {
    if number >= 100 { text.append(UInt8(ascii: "0") + number / 100) }
    if number >= 10 { text.append(UInt8(ascii: "0") + number / 10 % 10) }
    text.append(UInt8(ascii: "0") + number % 10)
  }

  mutating func bool(_ bool: Bool) {
    let word: StaticString = bool ? "true" : "false"
    text += UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
  }

  mutating func string(_ string: String) {
    text.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { bytes in
      // Names have nothing to be escaped.
      if bytes.contains(where: Self.isEscaped) {
        for byte in bytes { character(byte) }
      } else {
        text += bytes
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || byte == UInt8(ascii: "/")
  }

  private mutating func character(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): escape(byte)
    case 0x08: escape(UInt8(ascii: "b"))
    case 0x09: escape(UInt8(ascii: "t"))
    case 0x0A: escape(UInt8(ascii: "n"))
    case 0x0C: escape(UInt8(ascii: "f"))
    case 0x0D: escape(UInt8(ascii: "r"))
    case 0..<0x20:
      escape(UInt8(ascii: "u"))
      text += Array("00\(byte < 0x10 ? "0" : "1")".utf8)
      text.append(Array("0123456789abcdef".utf8)[Int(byte & 0xF)])
    default: text.append(byte)
    }
  }

  private mutating func escape(_ byte: UInt8) {
    text.append(UInt8(ascii: "\\"))
    text.append(byte)
  }

  /// A comma, unless this is the first one within its brackets.
  private mutating func separate() {
    if let last = text.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") {
      text.append(UInt8(ascii: ","))
    }
  }
}
