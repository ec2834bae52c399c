// SPDX-License-Identifier: Apache-2.0

/// Reads one JSON text. It is strict, and bounded in its nesting: the input may be hostile. The
/// number of values can be bounded, too: one of two bytes, `1,`, takes sixteen bytes of memory.
package struct JSONParser {
  /// The input is not a JSON text, or is nested too deeply.
  package struct Failure: Error {
    /// The byte at which reading ended, from 0.
    package let offset: Int
    package let expected: String
  }

  private static let depthMax = 64

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var depth = 0
  private var valueCount = 0
  private let valueCountMax: Int

  private init(_ bytes: ArraySlice<UInt8>, valueCountMax: Int) {
    self.bytes = bytes
    self.valueCountMax = valueCountMax
    index = bytes.startIndex
  }

  /// The value that the whole of `bytes` is.
  ///
  /// - Parameter valueCountMax: the maximum number of values, with those of arrays and objects.
  package static func value(
    of bytes: ArraySlice<UInt8>, valueCountMax: Int = .max
  ) throws(Failure) -> JSONValue {
    var parser = JSONParser(bytes, valueCountMax: valueCountMax)
    let value = try parser.value()
    parser.skipSpace()
    guard parser.index == bytes.endIndex else { throw parser.failure("the end") }
    return value
  }

  // MARK: - Values

  private mutating func value() throws(Failure) -> JSONValue {
    guard valueCount < valueCountMax else { throw failure("at most \(valueCountMax) values") }
    valueCount += 1
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): return try nested { parser throws(Failure) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(Failure) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(Failure) -> JSONValue
  ) throws(Failure) -> JSONValue {
    guard depth < Self.depthMax else { throw failure("at most \(Self.depthMax) levels") }
    depth += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func object() throws(Failure) -> JSONValue {
    index += 1
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    if takes(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw failure("the name of a member") }
      let name = try string()
      guard names.insert(name).inserted else { throw failure("each member once") }
      guard takes(UInt8(ascii: ":")) else { throw failure("a colon") }
      members.append(JSONValue.Member(name: name, value: try value()))
    } while takes(UInt8(ascii: ","))
    guard takes(UInt8(ascii: "}")) else { throw failure("a comma or a brace") }
    return .object(members)
  }

  private mutating func array() throws(Failure) -> JSONValue {
    index += 1
    var elements: [JSONValue] = []
    if takes(UInt8(ascii: "]")) { return .array([]) }
    repeat { elements.append(try value()) } while takes(UInt8(ascii: ","))
    guard takes(UInt8(ascii: "]")) else { throw failure("a comma or a bracket") }
    return .array(elements)
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(Failure) -> JSONValue {
    guard bytes[index...].starts(with: word.utf8) else { throw failure(word) }
    index += word.utf8.count
    return value
  }

  // MARK: - Numbers

  private mutating func number() throws(Failure) -> String {
    let start = index
    _ = takesNow(UInt8(ascii: "-"))
    if !takesNow(UInt8(ascii: "0")) { try digits() }
    if takesNow(UInt8(ascii: ".")) { try digits() }
    if takesNow(UInt8(ascii: "e")) || takesNow(UInt8(ascii: "E")) {
      if !takesNow(UInt8(ascii: "-")) { _ = takesNow(UInt8(ascii: "+")) }
      try digits()
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(Failure) {
    let start = index
    while let byte = peek, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
    if index == start { throw failure("a value") }
  }

  // MARK: - Strings

  private mutating func string() throws(Failure) -> String {
    index += 1
    var text: [UInt8] = []
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw failure("UTF-8")
        }
        return string
      case UInt8(ascii: "\\"):
        index += 1
        try escape(into: &text)
      case ..<0x20: throw failure("an escaped control character")
      default:
        text.append(byte)
        index += 1
      }
    }
    throw failure("the end of a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = peek else { throw failure("an escape") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var value = try unit()
      if 0xD800..<0xDC00 ~= value {
        guard takesNow(UInt8(ascii: "\\")), takesNow(UInt8(ascii: "u")) else {
          throw failure("the second half of a character")
        }
        let low = try unit()
        guard 0xDC00..<0xE000 ~= low else { throw failure("the second half of a character") }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw failure("a character") }
      text.append(contentsOf: UTF8.encode(scalar)!)
    default: throw failure("an escape")
    }
  }

  /// Four hexadecimal digits.
  private mutating func unit() throws(Failure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }

  // MARK: - Bytes

  private var peek: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      index += 1
    }
  }

  /// Whether `byte` is next, behind white space; it is consumed then.
  private mutating func takes(_ byte: UInt8) -> Bool {
    skipSpace()
    return takesNow(byte)
  }

  private mutating func takesNow(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    index += 1
    return true
  }

  private func failure(_ expected: String) -> Failure {
    Failure(offset: index - bytes.startIndex, expected: expected)
  }
}
