// SPDX-License-Identifier: Apache-2.0
import CStrata
import Testing

@Suite struct `Bytes in other bytes` {
  private func contains(_ text: [UInt8], _ wanted: [UInt8], caseless: Bool = false) -> Bool {
    text.withUnsafeBytes { text in
      wanted.withUnsafeBytes { wanted in
        caseless
          ? strata_contains_caseless(text.baseAddress, text.count, wanted.baseAddress, wanted.count)
          : strata_contains(text.baseAddress, text.count, wanted.baseAddress, wanted.count)
      }
    }
  }

  private func isFoundNaively(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard wanted.count <= text.count else { return false }
    return (0...(text.count - wanted.count)).contains { text[$0...].starts(with: wanted) }
  }

  private func smallLetters(_ text: [UInt8]) -> [UInt8] {
    text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
  }

  @Test func `nothing occurs everywhere`() {
    #expect(contains([], []))
    #expect(contains([1], []))
    #expect(!contains([], [1]))
  }

  @Test func `are found at each place of texts of each length up to 80 bytes`() {
    for count in 1...80 {
      for place in 0..<count {
        var text = Array(repeating: UInt8(ascii: "-"), count: count)
        text[place] = UInt8(ascii: "x")
        #expect(contains(text, [UInt8(ascii: "x")]), "\(place) of \(count)")
        if place + 1 < count {
          #expect(contains(text, Array("x-".utf8)), "\(place) of \(count)")
          #expect(!contains(text, Array("xx".utf8)), "\(place) of \(count)")
        }
      }
    }
  }

  @Test func `are found where a naive search finds them`() {
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0 ... .max, using: &generator)
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let alphabet = Array("aAbB@[`{".utf8) + [0xC3, 0xE1]
    for _ in 0..<20_000 {
      let text = (0..<next(70)).map { _ in alphabet[next(alphabet.count)] }
      let wanted = (0..<(next(5))).map { _ in alphabet[next(alphabet.count)] }
      #expect(contains(text, wanted) == isFoundNaively(text, wanted), "seed \(seed)")
      let small = smallLetters(wanted)
      #expect(
        contains(text, small, caseless: true) == isFoundNaively(smallLetters(text), small),
        "seed \(seed)")
    }
  }
}

@Suite struct `The order of bytes without case` {
  private func order(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        Int(strata_compare_caseless(left.baseAddress, left.count, right.baseAddress, right.count))
      }
    }
  }

  @Test func `is that of the small letters`() {
    #expect(order("BAM", "bam") == 0)
    #expect(order("Bam", "bamb") < 0)
    #expect(order("BAMB", "bam") > 0)
    #expect(order("BAN", "bam") > 0)
    // Between the capital and the small letters.
    #expect(order("_", "a") < 0)
    #expect(order("A", "_") > 0)
    #expect(order("", "") == 0)
  }
}

@Suite struct `Bytes below a bound` {
  @Test func `are told from others at each place of each length up to 70 bytes`() {
    for count in 0...70 {
      var bytes = Array(repeating: UInt8(0x7F), count: count)
      #expect(bytes.withUnsafeBytes { strata_are_below($0.baseAddress, $0.count, 0x80) })
      for place in 0..<count {
        bytes[place] = 0x80
        #expect(!bytes.withUnsafeBytes { strata_are_below($0.baseAddress, $0.count, 0x80) })
        #expect(bytes.withUnsafeBytes { strata_are_below($0.baseAddress, $0.count, 0xCC) })
        bytes[place] = 0x7F
      }
    }
  }
}
