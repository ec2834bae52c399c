// SPDX-License-Identifier: Apache-2.0

/// A JSON text as values: what a store's catalog is read from when the store is opened.
///
/// Foundation's decoder takes a third of the time that it takes to open a store and answer a first
/// fetch, and more in a process that has not used it before: it works out at run time what each type
/// consists of. This reader knows no types; who asks for a value says what it should be.
///
/// Of numbers it knows integers alone: a catalog has no others.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Int)
  case string(String)
  case array([JSONValue])
  /// In the order of the text. Of members with one name the first counts.
  case object([Member])

  package struct Member: Sendable, Equatable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Values within more values than so many are taken for damage.
  private static let depthMax = 32

  /// - Returns: nil, if the bytes are not a JSON text and nothing else, or have a number that is no `Int`.
  package init?(_ text: UnsafeRawBufferPointer) {
    var reader = Reader(text: text)
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  // MARK: - What it is

  /// The member called `name` of an object; nil if there is none, or if this is no object.
  /// O(members).
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  package var string: String? { if case .string(let string) = self { string } else { nil } }
  package var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The number, if the type has it.
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer?
  {
    if case .number(let number) = self { Integer(exactly: number) } else { nil }
  }

  /// The elements of an array, each as `element` makes it; nil if this is none, or one cannot be made.
  package func array<Element>(of element: (JSONValue) -> Element?) -> [Element]? {
    guard let array else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(array.count)
    for value in array {
      guard let made = element(value) else { return nil }
      elements.append(made)
    }
    return elements
  }
}

// MARK: - Reading

extension JSONValue {
  private struct Reader {
    let text: UnsafeRawBufferPointer
    private var place = 0

    init(text: UnsafeRawBufferPointer) { self.text = text }

    var isAtEnd: Bool {
      mutating get {
        skipSpace()
        return place == text.count
      }
    }

    private var next: UInt8? { place < text.count ? text[place] : nil }

    private mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        place += 1
      }
    }

    /// Passes over `character`, if it is the next.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard let byte = next, UInt32(byte) == character.value else { return false }
      place += 1
      return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
      let end = place + word.utf8CodeUnitCount
      guard end <= text.count,
        text[place..<end].elementsEqual(
          UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
      else { return false }
      place = end
      return true
    }

    mutating func value(depth: Int) -> JSONValue? {
      guard depth < JSONValue.depthMax else { return nil }
      skipSpace()
      switch next {
      case UInt8(ascii: "{"): return object(depth: depth)
      case UInt8(ascii: "["): return array(depth: depth)
      case UInt8(ascii: "\""): return string().map(JSONValue.string)
      case UInt8(ascii: "t"): return skip("true") ? .bool(true) : nil
      case UInt8(ascii: "f"): return skip("false") ? .bool(false) : nil
      case UInt8(ascii: "n"): return skip("null") ? .null : nil
      default: return number()
      }
    }

    private mutating func object(depth: Int) -> JSONValue? {
      place += 1
      var members: [Member] = []
      skipSpace()
      if skip("}" as Unicode.Scalar) { return .object(members) }
      while true {
        skipSpace()
        guard next == UInt8(ascii: "\""), let name = string() else { return nil }
        skipSpace()
        guard skip(":" as Unicode.Scalar), let value = value(depth: depth + 1) else { return nil }
        members.append(Member(name: name, value: value))
        skipSpace()
        if skip("}" as Unicode.Scalar) { return .object(members) }
        guard skip("," as Unicode.Scalar) else { return nil }
      }
    }

    private mutating func array(depth: Int) -> JSONValue? {
      place += 1
      var elements: [JSONValue] = []
      skipSpace()
      if skip("]" as Unicode.Scalar) { return .array(elements) }
      while true {
        guard let element = value(depth: depth + 1) else { return nil }
        elements.append(element)
        skipSpace()
        if skip("]" as Unicode.Scalar) { return .array(elements) }
        guard skip("," as Unicode.Scalar) else { return nil }
      }
    }

    private mutating func number() -> JSONValue? {
      let start = place
      _ = skip("-" as Unicode.Scalar)
      let isNegative = place > start
      let first = place
      var number = 0
      while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
        let digit = Int(byte - UInt8(ascii: "0"))
        let (tenfold, didOverflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, didOverflowAgain) =
          isNegative
          ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
        if didOverflow || didOverflowAgain { return nil }
        number = sum
        place += 1
      }
      // No digits, or more of them after a leading zero.
      guard place > first, place - first == 1 || text[first] != UInt8(ascii: "0") else {
        return nil
      }
      return .number(number)
    }

    // MARK: - Texts

    private mutating func string() -> String? {
      place += 1
      let start = place
      var isASCII = true
      while let byte = next {
        switch byte {
        case UInt8(ascii: "\""):
          place += 1
          let bytes = UnsafeRawBufferPointer(rebasing: text[start..<(place - 1)])
          // What is no text elsewhere is always one of ASCII, and is made one without generic code.
          return isASCII
            ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        case UInt8(ascii: "\\"): return escapedString(from: start)
        case 0..<0x20: return nil
        default:
          if byte >= 0x80 { isASCII = false }
          place += 1
        }
      }
      return nil
    }

    /// A text with escapes, of which the first is next.
    private mutating func escapedString(from start: Int) -> String? {
      var bytes = Array(text[start..<place])
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let scalar = escape() else { return nil }
          bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        case 0..<0x20: return nil
        default: bytes.append(byte)
        }
      }
      return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
      guard let byte = next else { return nil }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
      case UInt8(ascii: "b"): return "\u{8}"
      case UInt8(ascii: "f"): return "\u{C}"
      case UInt8(ascii: "n"): return "\n"
      case UInt8(ascii: "r"): return "\r"
      case UInt8(ascii: "t"): return "\t"
      case UInt8(ascii: "u"):
        guard let unit = codeUnit() else { return nil }
        guard 0xD800..<0xDC00 ~= unit else { return Unicode.Scalar(unit) }
        guard skip("\\u"), let other = codeUnit(), 0xDC00..<0xE000 ~= other else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (other - 0xDC00))
      default: return nil
      }
    }

    /// The four hexadecimal digits of a UTF-16 code unit.
    private mutating func codeUnit() -> UInt32? {
      guard place + 4 <= text.count else { return nil }
      var unit: UInt32 = 0
      for byte in text[place..<(place + 4)] {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        unit = unit << 4 | UInt32(digit)
      }
      place += 4
      return unit
    }
  }
}
