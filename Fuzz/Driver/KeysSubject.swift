// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord
import StrataTestSupport

/// Keys of an index: comparing the bytes of two values compares the values. The order of values is
/// written from Docs/FileFormat.md, "Keys".
///
/// | byte of an input | meaning |
/// | --- | --- |
/// | 0, 1 | the kinds of the first and of the second part |
/// | 2, 3 | where the second half begins, and where the second part in each half; in quarters |
/// | others | two compound values, one after the other |
enum KeysSubject: Subject {
  static let name = "keys"

  private static let kinds: [SlotKind] =
    (1...18).map { .attribute(AttributeType(rawValue: $0)!) } + [.toOne]

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    for kind in kinds {
      let count = KeyEncoder.byteCount(ofPartAt: bytes, kind)
      try require(count ?? 0 <= bytes.count, "a part of \(kind) goes beyond its bytes")
    }
    guard bytes.count >= 4 else { return }
    let kinds = [kind(bytes[0]), kind(bytes[1])]
    let content = Array(bytes[4...])
    let middle = content.count * Int(bytes[2]) / 256
    let values = [content[..<middle], content[middle...]].map { half in
      let seam = half.startIndex + half.count * Int(bytes[3]) / 256
      return [
        PropertyValue(kinds[0], from: half[..<seam]), PropertyValue(kinds[1], from: half[seam...]),
      ]
    }
    try compare(values[0], values[1], kinds) { KeyEncoder.append(value: $0, kind: $1, to: &$2) }
    try compare([values[0][0]], [values[1][0]], [kinds[0]]) {
      KeyEncoder.append(value: $0, kind: $1, to: &$2)
    }
    try measureParts(of: values[0], kinds)
    if case (.string(let text), .string(let prefix)) = (values[0][0], values[1][0]) {
      try lookUp(prefix, in: text)
      try lookUp(String(text.prefix(Int(bytes[3]))), in: text)
    }
  }

  private static func kind(_ byte: UInt8) -> SlotKind { kinds[Int(byte) % kinds.count] }

  /// Compares the order of two compound values with the order of their keys.
  ///
  /// - Parameter encode: appends the part of a value to the compound value's bytes. The keys of a
  ///   subject with a planted mistake are made by another function.
  static func compare(
    _ left: [PropertyValue], _ right: [PropertyValue], _ kinds: [SlotKind],
    encode: (PropertyValue, SlotKind, inout [UInt8]) -> Void
  ) throws(Finding) {
    func key(_ values: [PropertyValue]) -> [UInt8] {
      var key: [UInt8] = []
      for (value, kind) in zip(values, kinds) {
        var part: [UInt8] = []
        encode(value, kind, &part)
        key += part
      }
      return Array(key.prefix(KeyEncoder.valueByteCountMax))
    }
    let keys = (key(left), key(right))
    let found = order(keys.0, keys.1)
    let parts = zip(left, right).lazy.map { ValueOrder.order($0, $1) }
    let expected = parts.first { $0 != 0 } ?? 0
    let isCut =
      max(keys.0.count, keys.1.count) >= KeyEncoder.valueByteCountMax
    try require(
      found == expected || isCut && found == 0,
      "\(left) and \(right) of \(kinds) have the order \(expected), their keys \(found)")
  }

  /// Encodes a compound value part by part, as an index does, and reads the parts' lengths.
  private static func measureParts(
    of values: [PropertyValue], _ kinds: [SlotKind]
  ) throws(Finding) {
    var (key, whole): ([UInt8], [UInt8]) = ([], [])
    var ends: [Int] = []
    for (value, kind) in zip(values, kinds) {
      let isCut = KeyEncoder.append(value: value, kind: kind, to: &key, valueStart: 0)
      KeyEncoder.append(value: value, kind: kind, to: &whole)
      try require(key.count <= KeyEncoder.valueByteCountMax, "a key of \(key.count) bytes")
      try require(
        !isCut || key.count == KeyEncoder.valueByteCountMax, "a key was cut before its limit")
      if isCut { break }
      ends.append(key.count)
      if value == .null {
        try require(key.hasSuffix(KeyEncoder.absentKey(kind)), "nil of \(kind) has another key")
      }
    }
    try require(whole.starts(with: key), "a part's key depends on the parts before it")
    var start = 0
    for (end, kind) in zip(ends, kinds) {
      let count = key[start...].withUnsafeBytes { KeyEncoder.byteCount(ofPartAt: $0, kind) }
      try require(count == end - start, "a part of \(kind) has \(end - start) bytes: \(key)")
      start = end
    }
  }

  /// All texts with a prefix are among the keys that begin with the prefix' bytes.
  private static func lookUp(_ prefix: String, in text: String) throws(Finding) {
    guard text.hasPrefix(prefix) else { return }
    var (key, beginning): ([UInt8], [UInt8]) = ([], [])
    KeyEncoder.append(value: .string(text), kind: .attribute(.string), to: &key)
    KeyEncoder.appendPrefix(prefix, to: &beginning)
    try require(
      key.starts(with: beginning),
      "\(text.debugDescription) has the prefix \(prefix.debugDescription), its key has not")
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let head = [UInt8](uniform: 4, using: &random)
    if Int.random(in: 0..<8, using: &random) == 0 {
      return try probe(exactly: head + [UInt8](countMax: 80, using: &random))
    }
    // Two values that share a beginning, and often a text in which scalars combine.
    var left: [UInt8]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: left = [UInt8](countMax: 24, using: &random)
    case 1: left = [UInt8](countMax: 400, using: &random)
    default:
      left = []
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        left += (pieces.randomElement(using: &random) ?? "").utf8
      }
    }
    var right = left
    if Bool.random(using: &random) { right.mutate(using: &random) }
    var bytes = head + left + right
    bytes[2] = UInt8(clamping: 256 * left.count / max(1, left.count + right.count))
    try probe(exactly: bytes)
  }

  private static let pieces = [
    "a", "b", "aaaaaaaa", "\0", "\u{1}", "\u{2}", "é", "e\u{301}", "\u{301}", "\u{327}", "ẛ̣", "Å",
    "\u{212B}", "가", "\u{1100}\u{1161}", "\u{11A8}", "ß", "ö", "\u{344}", "\u{FB1D}", "日", "😀",
    "\u{10FFFF}", "\u{FFFF}", "\u{E000}", "\u{D7FF}", "\u{1D15E}", "\u{2ADC}", "\u{CCC}", "لا",
  ]
}

extension [UInt8] {
  fileprivate func hasSuffix(_ other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
