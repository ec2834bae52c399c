// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

@Suite struct `Two records of one layout` {
  private let kinds = everyKind + [.toMany] + (0..<60).map { _ in .attribute(.string) }

  private func randomValues(_ random: inout SeededGenerator) -> [PropertyValue] {
    kinds.map { $0 == .toMany || random.chance(3) ? .null : random.value($0) }
  }

  @Test func `are spliced as their values would be`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(kinds)
    var arena = RecordArena()
    for _ in 0..<200 {
      let (left, right) = (randomValues(&random), randomValues(&random))
      var slots = SlotSet()
      for slot in kinds.indices where random.chance(3) { slots.insert(slot) }
      let (base, changes) = (makeRecord(left, layout), makeRecord(right, layout))
      let spliced = layout.splice(base: base, changes: changes, slots: slots, into: &arena)
      let expected = kinds.indices.map { slots.contains($0) ? right[$0] : left[$0] }
      #expect(spliced == makeRecord(expected, layout), "seed \(seed)")
      #expect(
        layout.splice(base: base, changes: changes, slots: [], into: &arena)
          .isIdentical(to: base))
      #expect(
        layout.splice(base: base, changes: changes, slots: SlotSet(0..<kinds.count), into: &arena)
          .isIdentical(to: changes))
    }
  }

  @Test func `differ in the slots whose bytes differ`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(kinds)
    for _ in 0..<200 {
      let left = randomValues(&random)
      let right = zip(left, randomValues(&random)).map { value, other in
        random.chance(3) ? random.chance(2) ? .null : other : value
      }
      let records = (makeRecord(left, layout), makeRecord(right, layout))
      let found = layout.differingSlots(records.0, records.1)
      // By bytes, as the name says: two values that are not a number may have different ones.
      var expected = SlotSet()
      for slot in kinds.indices where layout.places[slot].isPlaced {
        let bytes = (
          records.0.slot(slot, layout).rawBytes.map(Array.init),
          records.1.slot(slot, layout).rawBytes.map(Array.init)
        )
        if bytes.0 != bytes.1 { expected.insert(slot) }
      }
      #expect(found == expected, "seed \(seed)")
    }
  }
}

@Suite struct `A record with transient values` {
  @Test func `is stored without them`() {
    let layout = makeLayout(
      [.attribute(.string), .attribute(.int64), .attribute(.string)], transient: [1, 2])
    var arena = RecordArena()
    let carried = makeRecord([.string("a"), .int(7), .string("passing")], layout)
    let stored = layout.withoutTransients(carried, into: &arena)
    #expect(values(stored, layout) == [.string("a"), .null, .null])
    #expect(stored == makeRecord([.string("a"), .null, .null], layout))
    #expect(layout.withoutTransients(stored, into: &arena).isIdentical(to: stored))
    #expect(layout.transientSlots == [1, 2])
    #expect(layout.variableSlots == [0, 2])
  }
}

@Suite struct `A record of another model version` {
  @Test func `is no record of today's layout`() throws {
    let slots = [
      SlotDescription(number: PropertyNumber(rawValue: 1), kind: .attribute(.string))
    ]
    let written = makeRecord([.string("Ada")], RecordLayout(version: 1, slots: slots))
    let today = RecordLayout(version: 2, slots: slots)
    #expect(throws: RecordError.unknownVersion(found: 1)) {
      try written.withUnsafeBytes { try today.validate($0) }
    }
    #expect(try written.withUnsafeBytes { try RecordLayout.version(of: $0) } == 1)
  }
}
