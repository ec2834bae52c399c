// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataQuery
import StrataTestSupport
import Testing

@Suite struct `Ranges of an index` {
  private func range(_ lower: UInt8, _ upper: UInt8?) -> KeyRange {
    KeyRange(lower: [lower], upper: upper.map { [$0] })
  }

  @Test func `that touch become one`() {
    let union = IndexRange([range(5, 7), range(1, 3), range(2, 5), range(9, 9)])
    #expect(union.keyRanges == [range(1, 7)])
  }

  @Test func `in common are none if they only touch`() {
    #expect(IndexRange([range(1, 3)]).intersection(IndexRange([range(3, nil)])).isEmpty)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `are an algebra of sets`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func randomRanges() -> IndexRange {
      IndexRange(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          range(
            .random(in: 0...20, using: &random),
            Bool.random(using: &random) ? .random(in: 0...20, using: &random) : 15)
        })
    }
    for _ in 0..<50 {
      let (one, two, three) = (randomRanges(), randomRanges(), randomRanges())
      for value in 0...21 as ClosedRange<UInt8> {
        let isInOne = contains(one, value)
        let isInTwo = contains(two, value)
        #expect(contains(.union([one, two]), value) == (isInOne || isInTwo), "seed \(seed)")
        #expect(contains(.intersection([one, two]), value) == (isInOne && isInTwo), "seed \(seed)")
        let isInThree = contains(three, value)
        #expect(
          contains(.union([one, two, three]), value) == (isInOne || isInTwo || isInThree),
          "seed \(seed)")
        #expect(
          contains(.intersection([one, two, three]), value) == (isInOne && isInTwo && isInThree),
          "seed \(seed)")
      }
    }
  }

  private func contains(_ ranges: IndexRange, _ value: UInt8) -> Bool {
    ranges.keyRanges.contains { range in
      range.lower[0] <= value && (range.upper.map { value < $0[0] } ?? true)
    }
  }
}
