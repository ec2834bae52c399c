// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

@Suite struct `A table of changes` {
  /// Keys of three entities; serials in a row, far apart, or bunched.
  private func someKeys(_ count: Int, _ random: inout SeededGenerator) -> Set<ObjectKey> {
    let widths: [UInt64] = [UInt64(count), 1_000, 1 << 40]
    let bunches: [UInt64] = [1, 50]
    let width = widths.randomElement(using: &random) ?? 1_000
    let bunch = bunches.randomElement(using: &random) ?? 1
    var keys: Set<ObjectKey> = []
    while keys.count < count {
      let entity = ["City", "Country", "Language"].randomElement(using: &random) ?? "City"
      let first = UInt64.random(in: 1...(width + UInt64(count)), using: &random)
      for serial in first..<(first + bunch) { keys.insert(G.key(entity, serial)) }
    }
    return keys
  }

  private func table(_ keys: Set<ObjectKey>, generation: UInt64) -> ChangeTable {
    let record = G.city(name: "A")
    var builder = ChangeTable.Builder(expecting: 0)
    for key in keys {
      builder.append(
        key, .update(record, base: Base(record: record, generation: generation), slots: [0])
      )
    }
    return builder.finished()
  }

  @Test func `finds the same as a dictionary, in the order of the keys`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let keys = someKeys(Int.random(in: 1...400, using: &random), &random)
      let table = table(keys, generation: 1)
      #expect(table.keys == keys.sorted(), "seed \(seed)")
      for (place, key) in table.keys.enumerated() {
        #expect(table.index(of: key) == place, "seed \(seed)")
        for near in [key.rawValue - 1, key.rawValue + 1] {
          let near = ObjectKey(rawValue: near)
          #expect((table.index(of: near) != nil) == keys.contains(near), "seed \(seed)")
        }
      }
    }
    #expect(ChangeTable().index(of: G.key("City", 1)) == nil)
  }

  @Test func `keeps the last of several changes of one object`() {
    let key = G.key("City", 7)
    var builder = ChangeTable.Builder(expecting: 3)
    builder.append(key, .insert(G.city(name: "A"), slots: [0]))
    builder.append(G.key("City", 3), .delete(base: nil))
    builder.append(key, .insert(G.city(name: "B"), slots: [0]))
    let table = builder.finished()
    #expect(table.keys == [G.key("City", 3), key])
    #expect(G.name(table[key]) == "B")
    #expect(table.hasDeletes && table.hasVanished && !table.isInsertsOnly)
  }

  @Test func `is merged over another, the newer winning, in every order of their keys`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let older = someKeys(Int.random(in: 0...200, using: &random), &random)
      let newer = someKeys(Int.random(in: 0...200, using: &random), &random)
      let merged = Overlay([
        Segment(changes: table(newer, generation: 2), links: LinkChanges(), schema: G.schema),
        Segment(changes: table(older, generation: 1), links: LinkChanges(), schema: G.schema),
      ]).changes
      #expect(merged.keys == older.union(newer).sorted(), "seed \(seed)")
      for (key, change) in merged {
        #expect(change.base?.generation == (newer.contains(key) ? 2 : 1), "seed \(seed)")
      }
    }
  }
}
