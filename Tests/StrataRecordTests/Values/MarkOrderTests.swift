// SPDX-License-Identifier: Apache-2.0
import StrataRecord
import StrataTestSupport
@_spi(_Unicode) import Swift
import Testing

@Suite struct `A text with ordered marks` {
  /// Marks with many combining classes, some of which decompose, and scalars between them.
  private static let scalars: [Unicode.Scalar] = [
    "\u{301}", "\u{323}", "\u{307}", "\u{345}", "\u{5B0}", "\u{64B}", "\u{344}", "\u{F73}",
    "\u{3099}", "\u{94D}", "\u{1D165}", "\u{93C}", "\u{327}", "\u{338}", "\u{200D}", "a", "か",
    "\u{1100}", "\u{1161}", "é",
  ]

  @Test func `is canonically equivalent to the text`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      let markCount = Int.random(in: 1...15, using: &random)
      for _ in 0..<Int.random(in: 0...200, using: &random) {
        let isMark = Int.random(in: 0..<40, using: &random) > 0
        let place = Int.random(
          in: isMark ? 0..<markCount : 15..<Self.scalars.count, using: &random)
        text.append(Self.scalars[place])
      }
      let plain = String(text)
      let ordered = plain.withOrderedMarks
      let isEqual = ordered == plain && ordered.hashValue == plain.hashValue
      #expect(isEqual, "seed \(seed)")
      #if os(Linux)
        // Foundation's own form of a long run of marks is wrong: it leaves out some of them.
        let isDecomposedAlike = ordered._nfd.elementsEqual(plain._nfd)
        #expect(isDecomposedAlike, "seed \(seed)")
      #endif
    }
  }

  @Test func `is the text itself if no run of marks is long`() {
    for text in ["", "a", "e\u{301}\u{323}", String(repeating: "e\u{301}\u{323}", count: 50)] {
      #expect(Array(text.withOrderedMarks.utf8) == Array(text.utf8))
    }
  }
}
