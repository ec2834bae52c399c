// SPDX-License-Identifier: Apache-2.0
import StrataStore
import Testing

/// The reader of what `Varint` writes.
@Suite struct `A number of variable length in a file` {
  @Test(
    arguments: [
      (0, [0x00]),
      (1, [0x01]),
      (0x7F, [0x7F]),
      (0x80, [0x80, 0x01]),
      (300, [0xAC, 0x02]),
      (0x3FFF, [0xFF, 0x7F]),
      (0x4000, [0x80, 0x80, 0x01]),
      (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
    ] as [(UInt64, [UInt8])])
  func `is read as it was written`(number: UInt64, bytes: [UInt8]) {
    var reader = ByteReader(bytes, from: 0)
    #expect(reader.number() == number)
    #expect(reader.isAtEnd)
  }

  @Test func `has ten bytes at most`() {
    let bytes = [UInt8](repeating: 0x80, count: 9) + [0x81, 0x00]
    var reader = ByteReader(bytes, from: 0)
    #expect(reader.number() == nil)
  }

  @Test func `has one bit in its tenth byte`() {
    let bytes = [UInt8](repeating: 0xFF, count: 9) + [0x02]
    var reader = ByteReader(bytes, from: 0)
    #expect(reader.number() == nil)
  }

  @Test(arguments: [[], [0x80], [0xFF, 0x80]] as [[UInt8]])
  func `does not end before its last byte`(bytes: [UInt8]) {
    var reader = ByteReader(bytes, from: 0)
    #expect(reader.number() == nil)
  }
}
