// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataTestSupport
import Testing

@Suite struct `Keys that are put in order` {
  @Test func `ascend as comparing them would have them, equal ones among them`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    // Few are compared, more are sorted by the bytes in which they differ.
    for count in [0, 1, 2, 20, 200, 255, 256, 3_000] {
      for bitCount: UInt64 in [1, 9, 17, 48, 64] {
        var keys = (0..<count).map { _ in
          ObjectKey(rawValue: UInt64.random(in: 0 ... .max, using: &random) >> (64 - bitCount))
        }
        let expected = keys.sorted()
        RadixSort.sort(&keys)
        #expect(keys == expected, "\(count) keys of \(bitCount) bits, seed \(seed)")
      }
    }
  }
}
