// SPDX-License-Identifier: Apache-2.0
import StrataRecord
import StrataTestSupport
import Testing

@Suite struct `A set of slots` {
  @Test func `agrees with a plain set through random changes, beyond 64 slots too`() {
    var random = SeededGenerator(seed: 3)
    for limit in [5, 64, 65, 300] {
      var (left, right) = (SlotSet(), SlotSet())
      var (plainLeft, plainRight) = (Set<Int>(), Set<Int>())
      for _ in 0..<500 {
        let slot = Int.random(in: 0..<limit, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          left.insert(slot)
          plainLeft.insert(slot)
        case 2:
          right.insert(slot)
          plainRight.insert(slot)
        case 3:
          left.subtract([slot])
          plainLeft.remove(slot)
        case 4:
          right.subtract([slot])
          plainRight.remove(slot)
        default:
          left.subtract(right)
          plainLeft.subtract(plainRight)
        }
        #expect(Array(left) == plainLeft.sorted())
        #expect(left.contains(slot) == plainLeft.contains(slot))
        #expect(left.isEmpty == plainLeft.isEmpty)
        #expect(left.count == plainLeft.count)
        #expect(Array(left.union(right)) == plainLeft.union(plainRight).sorted())
        #expect(Array(left.intersection(right)) == plainLeft.intersection(plainRight).sorted())
        #expect(left.isSubset(of: right) == plainLeft.isSubset(of: plainRight))
        #expect(left.isDisjoint(with: right) == plainLeft.isDisjoint(with: plainRight))
        #expect((left == right) == (plainLeft == plainRight))
      }
    }
  }

  @Test func `of a range holds each of its slots`() {
    #expect(Array(SlotSet(0..<130)) == Array(0..<130))
    #expect(SlotSet(0..<0).isEmpty)
  }

  @Test func `is equal to one that shrank to the same slots`() {
    var shrunk = SlotSet(0..<200)
    for slot in 3..<200 { shrunk.subtract([slot]) }
    #expect(shrunk == SlotSet(0..<3))
    #expect(shrunk.hashValue == SlotSet(0..<3).hashValue)
  }
}
