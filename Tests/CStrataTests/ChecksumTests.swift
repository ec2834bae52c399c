// SPDX-License-Identifier: Apache-2.0
import CStrata
import Testing

@Suite struct `The checksum of a record` {
  private func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt32 {
    bytes.withUnsafeBytes { strata_checksum($0.baseAddress, $0.count, seed) }
  }

  @Test func `is the same on every machine`() {
    #expect(checksum([]) == 0x51AC_5162)
    #expect(checksum(Array("Strata".utf8)) == 0x7D47_D086)
    #expect(checksum(Array(0..<100), seed: 42) == 0xD426_3D1D)
  }

  @Test func `changes with every single bit of every length up to 100 bytes`() {
    for count in 1...100 {
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let sound = checksum(bytes)
      for bit in 0..<(count * 8) {
        bytes[bit / 8] ^= 1 << (bit % 8)
        #expect(checksum(bytes) != sound, "bit \(bit) of \(count) bytes")
        bytes[bit / 8] ^= 1 << (bit % 8)
      }
    }
  }

  @Test func `tells zeros of different lengths apart`() {
    let sums = Set((0...200).map { checksum(Array(repeating: 0, count: $0)) })
    #expect(sums.count == 201)
  }

  @Test func `depends on the key that the record lies under`() {
    #expect(checksum([1, 2, 3], seed: 1) != checksum([1, 2, 3], seed: 2))
  }
}
