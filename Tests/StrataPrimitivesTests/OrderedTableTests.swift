// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import StrataTestSupport
import Testing

@Suite struct `A table in the order of its keys` {
  @Test func `has what a dictionary has, whatever the order of setting`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var table = OrderedTable<Int, Int>()
    var dictionary: [Int: Int] = [:]
    for value in 0..<500 {
      let key = Int.random(in: -100...100, using: &random)
      table.set(value, for: key)
      dictionary[key] = value
      for key in -101...101 {
        #expect(table[key] == dictionary[key], "key \(key) after \(value), seed \(seed)")
      }
    }
  }

  @Test func `has nothing before anything is set`() {
    #expect(OrderedTable<Int, Int>()[0] == nil)
  }
}
