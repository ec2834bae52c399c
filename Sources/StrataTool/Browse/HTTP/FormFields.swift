// SPDX-License-Identifier: Apache-2.0

/// Names and values in the encoding of HTML forms (`application/x-www-form-urlencoded`, WHATWG
/// URL): the query of an address, and the body of a form.
struct FormFields: Sendable, Equatable {
  /// A form has a few fields for each attribute of an entity.
  static let countMax = 4_096

  private(set) var fields: [(name: String, value: String)]

  init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

  /// - Throws: `HTTPRefusal` for a broken escape, text that is not UTF-8, too many fields.
  init(decoding bytes: ArraySlice<UInt8>) throws(HTTPRefusal) {
    fields = []
    for part in bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.countMax) {
      guard fields.count < Self.countMax else {
        throw HTTPRefusal(.badRequest, "A form has at most \(Self.countMax) fields.")
      }
      let sides = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try PercentCoding.decode(sides[0], plusIsSpace: true)
      let value = sides.count > 1 ? try PercentCoding.decode(sides[1], plusIsSpace: true) : ""
      fields.append((name, value))
    }
  }

  /// The first value of the name; nil if no field has the name.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  var text: String {
    fields.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode($0.value) }
      .joined(separator: "&")
  }

  static func == (left: FormFields, right: FormFields) -> Bool { left.text == right.text }
}

/// Escapes of bytes in addresses and forms: `%C3%A9` (RFC 3986, section 2.1).
enum PercentCoding {
  /// - Throws: `HTTPRefusal` for a broken escape, and for text that is not UTF-8.
  static func decode(
    _ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false
  ) throws(HTTPRefusal) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard bytes.endIndex - index > 2, let high = digit(bytes[index + 1]),
          let low = digit(bytes[index + 2])
        else { throw HTTPRefusal(.badRequest, "The address or the form has a broken escape.") }
        decoded.append(high << 4 | low)
        index += 2
      case let byte: decoded.append(byte)
      }
      index += 1
    }
    guard let text = String(validating: decoded, as: UTF8.self) else {
      throw HTTPRefusal(.badRequest, "The address or the form is not in UTF-8.")
    }
    return text
  }

  /// The text with all bytes escaped that are not letters or digits of ASCII, or one of `-._~`.
  static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
