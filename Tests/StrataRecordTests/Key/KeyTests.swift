// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// A value's key, and whether it was cut.
private func key(_ value: PropertyValue, _ kind: SlotKind) -> (bytes: [UInt8], isCut: Bool) {
  var bytes: [UInt8] = []
  let isCut = KeyEncoder.append(value: value, kind: kind, to: &bytes)
  return (bytes, isCut)
}

/// -1, 0 or 1: how two values of one kind are ordered.
private func order(_ left: PropertyValue, _ right: PropertyValue) -> Int {
  func compare<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }
  func compare(_ left: Double, _ right: Double) -> Int {
    left.isNaN || right.isNaN
      ? compare(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) : left < right ? -1 : left > right ? 1 : 0
  }
  func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
  }
  switch (left, right) {
  case (.null, .null): return 0
  case (.null, _): return -1
  case (_, .null): return 1
  case (.bool(let left), .bool(let right)): return compare(left ? 1 : 0, right ? 1 : 0)
  case (.int(let left), .int(let right)): return compare(left, right)
  case (.uint(let left), .uint(let right)): return compare(left, right)
  case (.double(let left), .double(let right)): return compare(left, right)
  case (.decimal(let left), .decimal(let right)):
    if left.isNaN || right.isNaN { return compare(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
    return compare(left, right)
  case (.string(let left), .string(let right)): return compareTexts(left, right)
  case (.data(let left), .data(let right)): return compare(Array(left), Array(right))
  case (.codable(let left), .codable(let right)): return compare(Array(left), Array(right))
  case (.date(let left), .date(let right)):
    return compare(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
  case (.uuid(let left), .uuid(let right)): return compare(left.uuidString, right.uuidString)
  case (.url(let left), .url(let right)): return compare(left.absoluteString, right.absoluteString)
  case (.object(let left), .object(let right)): return compare(left.key, right.key)
  default: fatalError("values of two kinds")
  }
}

/// Swift's `<`, but where it (6.3) is not the order of the NFC forms: of two texts of which one
/// begins with the other, in UTF-8 or in NFC, it compares the lengths that they happen to have.
private func compareTexts(_ left: String, _ right: String) -> Int {
  if left == right { return 0 }
  let normal = [left, right].map { Array($0.precomposedStringWithCanonicalMapping.unicodeScalars) }
  let texts = [Array(left.unicodeScalars), Array(right.unicodeScalars)]
  for form in [normal, texts] where form[0].starts(with: form[1]) || form[1].starts(with: form[0]) {
    return normal[0].lexicographicallyPrecedes(normal[1]) ? -1 : 1
  }
  return left < right ? -1 : 1
}

private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
  left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
}

@Suite struct `A key` {
  /// The examples of Docs/FileFormat.md, "Keys".
  @Test(arguments: [
    (PropertyValue.null, SlotKind.attribute(.string), "00"),
    (.null, .attribute(.double), "00 00 00 00 00 00 00 00"),
    (.bool(false), .attribute(.bool), "01"),
    (.bool(true), .attribute(.bool), "02"),
    (.int(0), .attribute(.int64), "80"),
    (.int(1), .attribute(.int8), "81 01"),
    (.uint(99_999), .attribute(.uint32), "83 01 86 9F"),
    (.int(-1), .attribute(.int64), "7F"),
    (.int(-2), .attribute(.int64), "7E FE"),
    (.int(-256), .attribute(.int64), "7E 00"),
    (.int(-257), .attribute(.int64), "7D FE FF"),
    (.int(.min), .attribute(.int64), "77 80 00 00 00 00 00 00 00"),
    (.uint(.max), .attribute(.uint64), "88 FF FF FF FF FF FF FF FF"),
    (.double(1), .attribute(.double), "BF F0 00 00 00 00 00 00"),
    (.double(-1), .attribute(.float), "40 0F FF FF FF FF FF FF"),
    (.double(-0.0), .attribute(.double), "80 00 00 00 00 00 00 00"),
    (.double(.infinity), .attribute(.double), "FF F0 00 00 00 00 00 00"),
    (.double(-.nan), .attribute(.double), "FF F8 00 00 00 00 00 00"),
    (.date(Date(timeIntervalSinceReferenceDate: 1)), .attribute(.date), "BF F0 00 00 00 00 00 00"),
    (.decimal(0), .attribute(.decimal), "80 00"),
    (.decimal(150), .attribute(.decimal), "80 CB 1E"),
    (.decimal(Decimal(string: "-1.234")!), .attribute(.decimal), "7F 37 E6 BB"),
    (.decimal(.nan), .attribute(.decimal), "FF 00"),
    (.string(""), .attribute(.string), "01"),
    (.string("Ada"), .attribute(.string), "41 64 61 01"),
    (.string("e\u{301}"), .attribute(.string), "C3 A9 01"),
    (.string("\0a"), .attribute(.string), "02 01 61 01"),
    (.data(Data([0, 1, 2, 3])), .attribute(.data), "02 01 02 02 02 03 03 01"),
    (.url(URL(string: "x:y")!), .attribute(.url), "78 3A 79 01"),
    (.codable(Data("[1]".utf8)), .attribute(.codable), "5B 31 5D 01"),
    (
      .uuid(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")!), .attribute(.uuid),
      "01 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F"
    ),
    (objectID(0x0002_0000_0000_0007), .toOne, "00 02 00 00 00 00 00 07"),
  ])
  func `has the bytes that the format's description shows`(
    value: PropertyValue, kind: SlotKind, expected: String
  ) {
    #expect(hex(key(value, kind).bytes) == expected)
  }

  @Test(arguments: everyKind)
  func `sorts as its value does, and equal values have one key`(kind: SlotKind) {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let left = random.chance(10) ? .null : random.value(kind)
      let right = random.chance(10) ? .null : random.value(kind)
      let keys = order(key(left, kind).bytes, key(right, kind).bytes)
      #expect(keys == order(left, right), "\(left) and \(right), seed \(seed)")
    }
  }

  @Test(arguments: everyKind)
  func `stays in order whatever follows it`(kind: SlotKind) {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let left = random.chance(5) ? .null : random.value(kind)
      let right = random.chance(5) ? .null : random.value(kind)
      let expected = order(left, right)
      guard expected != 0 else { continue }
      let found = order(
        key(left, kind).bytes + random.bytes(9), key(right, kind).bytes + random.bytes(9))
      #expect(found == expected, "\(left) and \(right), seed \(seed)")
    }
  }

  @Test func `of a slot is that of its value`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(everyKind)
    for _ in 0..<300 {
      let values = everyKind.map { random.chance(5) ? .null : random.value($0) }
      let record = makeRecord(values, layout)
      for (slot, kind) in everyKind.enumerated() {
        var bytes: [UInt8] = []
        let isCut = KeyEncoder.append(slot: record.slot(slot, layout), to: &bytes)
        let expected = key(values[slot], kind)
        #expect(bytes == expected.bytes, "\(kind), seed \(seed)")
        #expect(isCut == expected.isCut)
      }
    }
  }

  @Test func `of a long text is cut at 255 bytes and still sorts right or equal`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let common = String(repeating: "x", count: Int.random(in: 225...260, using: &random))
      let texts = [common + random.text(12), common + random.text(12)]
      let keys = texts.map { key(.string($0), .attribute(.string)) }
      let found = order(keys[0].bytes, keys[1].bytes)
      if found != 0 {
        #expect(found == order(.string(texts[0]), .string(texts[1])), "seed \(seed)")
      } else if texts[0] != texts[1] {
        #expect(keys.allSatisfy { $0.isCut }, "seed \(seed)")
      }
      #expect(keys.allSatisfy { $0.bytes.count <= 255 && (!$0.isCut || $0.bytes.count == 255) })
    }
  }

  @Test func `of a text of 254 bytes is whole and of 255 bytes is cut`() {
    for (count, isCut) in [(254, false), (255, true), (256, true)] {
      let found = key(.string(String(repeating: "a", count: count)), .attribute(.string))
      #expect(found.isCut == isCut)
      #expect(found.bytes.count == 255)
    }
  }

  @Test func `prefix begins the keys of all texts with that prefix`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let (prefix, rest) = (random.text(3), random.text(3))
      let text = prefix + rest
      guard text.hasPrefix(prefix) else { continue }
      var bytes: [UInt8] = []
      KeyEncoder.appendPrefix(prefix, to: &bytes)
      #expect(
        key(.string(text), .attribute(.string)).bytes.starts(with: bytes),
        "\(prefix.debugDescription) \(text.debugDescription), seed \(seed)")
    }
  }

  @Test func `of several parts sorts by the first, then the second, and stays within 255 bytes`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let kinds = (0..<2).map { _ in everyKind.randomElement(using: &random)! }
      let tuples = (0..<2).map { _ in kinds.map { random.chance(4) ? .null : random.value($0) } }
      let keys = tuples.map { tuple in
        var key: [UInt8] = [1, 2]
        for (value, kind) in zip(tuple, kinds) {
          KeyEncoder.append(value: value, kind: kind, to: &key, valueStart: 2)
        }
        return key
      }
      let first = order(tuples[0][0], tuples[1][0])
      let expected = first != 0 ? first : order(tuples[0][1], tuples[1][1])
      #expect(order(keys[0], keys[1]) == expected, "seed \(seed)")
    }
    var long: [UInt8] = [9]
    let value = PropertyValue.string(String(repeating: "z", count: 200))
    let areCut = (0..<3).map { _ in
      KeyEncoder.append(value: value, kind: .attribute(.string), to: &long, valueStart: 1)
    }
    #expect(areCut == [false, true, true])
    #expect(long.count == 256)
    let object = ObjectKey(rawValue: 0x0102_0304_0506_0708)
    KeyEncoder.append(objectKey: object, to: &long)
    #expect(long.count == 264)
    #expect(long.suffix(8) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(long.withUnsafeBytes { KeyEncoder.objectKey(ofEntry: $0) } == object)
    #expect(([1, 2] as [UInt8]).withUnsafeBytes { KeyEncoder.objectKey(ofEntry: $0) } == nil)
  }

  @Test func `order of texts is that of their keys`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let (left, right) = (random.text(), random.text())
      #expect(
        NormalForm.compare(left, right)
          == order(
            key(.string(left), .attribute(.string)).bytes,
            key(.string(right), .attribute(.string)).bytes), "seed \(seed)")
    }
  }

  @Test func `takes no scalar for inert that combines, composes or decomposes`() {
    // A scalar that follows another in the decomposition of a third composes with it.
    var composing: Set<UInt32> = []
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let decomposed = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      composing.formUnion(decomposed.dropFirst().map(\.value))
      guard NormalForm.isInert(value) else { continue }
      let normal = String(scalar).precomposedStringWithCanonicalMapping.unicodeScalars
      #expect(normal.count == 1 && normal.first == scalar, "\(scalar)")
      #expect(scalar.properties.canonicalCombiningClass == .notReordered, "\(scalar)")
    }
    #expect(composing.filter(NormalForm.isInert).isEmpty)
  }
}
