// SPDX-License-Identifier: Apache-2.0
import CStrata
import Testing

@Suite struct `The digest of external bytes` {
  private func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { strata_digest($0.baseAddress, $0.count) }
  }

  @Test func `is the same on every machine`() {
    #expect(digest([]) == 0x92A7_2B70_C30B_7A12)
    #expect(digest(Array("Strata".utf8)) == 0x6303_6B5C_1E44_BBDA)
    #expect(digest(Array(0..<100)) == 0xF5FC_8C02_E930_0F49)
  }

  @Test func `changes with every single bit of every length up to 100 bytes`() {
    for count in 1...100 {
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let sound = digest(bytes)
      for bit in 0..<(count * 8) {
        bytes[bit / 8] ^= 1 << (bit % 8)
        #expect(digest(bytes) != sound, "bit \(bit) of \(count) bytes")
        bytes[bit / 8] ^= 1 << (bit % 8)
      }
    }
  }

  @Test func `tells zeros of different lengths apart`() {
    #expect(Set((0...200).map { digest(Array(repeating: 0, count: $0)) }).count == 201)
  }
}

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

  @Test func `depends on the key of the record`() {
    #expect(checksum([1, 2, 3], seed: 1) != checksum([1, 2, 3], seed: 2))
  }
}
