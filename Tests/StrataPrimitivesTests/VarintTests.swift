// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Testing

@Suite struct `A number of variable length` {
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
  func `has seven bits in each byte, the lowest first`(number: UInt64, expected: [UInt8]) {
    var bytes: [UInt8] = []
    Varint.append(number, to: &bytes)
    #expect(bytes == expected)
  }

  @Test func `is appended to the bytes that are there`() {
    var bytes: [UInt8] = [7]
    Varint.append(5, to: &bytes)
    #expect(bytes == [7, 5])
  }
}
