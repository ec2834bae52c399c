// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

@Suite struct `A record` {
  @Test func `of a person has the bytes that the format's description shows`() {
    let layout = makeLayout([
      .attribute(.string), .attribute(.int64), .attribute(.bool), .attribute(.string), .toOne,
      .toMany,
    ])
    let record = makeRecord(
      [.string("Ada"), .int(36), .null, .string(""), objectID(0x0002_0000_0000_0007), .null],
      layout)
    #expect(
      hex(bytes(record)) == """
        01 00 1B 24 00 00 00 00 00 00 00 00 07 00 00 00 00 00 02 00 03 00 03 00 41 64 61
        """)
  }

  @Test func `has offsets of four bytes when its texts and data need them`() {
    let layout = makeLayout([.attribute(.data), .attribute(.string)], version: 3)
    let long = Data(repeating: 7, count: 65_536)
    let record = makeRecord([.data(long), .string("x")], layout)
    #expect(hex(bytes(record).prefix(11)) == "03 80 03 00 00 01 00 01 00 01 00")
    #expect(record.byteCount == 11 + 65_537)
    #expect(values(record, layout) == [.data(long), .string("x")])
    let short = self.shrink(record, layout)
    #expect(hex(bytes(short)) == "03 00 03 01 00 02 00 07 78")
  }

  private func shrink(_ record: Record, _ layout: RecordLayout) -> Record {
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: record, in: &drafts)
    draft.set(Data([7]), at: 0)
    var arena = RecordArena()
    return draft.encode(into: &arena)
  }

  @Test func `of the benchmark's person takes 127 bytes on disk`() {
    let layout = makeLayout([
      .attribute(.string), .attribute(.string), .attribute(.int64), .attribute(.double),
      .attribute(.date), .attribute(.string), .toOne,
    ])
    let record = makeRecord(
      [
        .string(String(repeating: "n", count: 12)), .string(String(repeating: "e", count: 24)),
        .int(1), .double(2), .date(Date()), .string(String(repeating: "b", count: 40)), objectID(1),
      ], layout)
    #expect(Envelope.byteCount(for: record) == 127)
  }

  @Test func `lies in the order of property numbers, whatever the order of the slots`() {
    let numbers: [UInt16] = [9, 2, 5]
    let kinds: [SlotKind] = [.attribute(.int8), .attribute(.string), .attribute(.uint16)]
    let slots = zip(numbers, kinds).map {
      SlotDescription(number: PropertyNumber(rawValue: $0), kind: $1)
    }
    let declared = RecordLayout(version: 1, slots: slots)
    let reversed = RecordLayout(version: 1, slots: slots.reversed())
    #expect(declared.places == reversed.places.reversed())
    let record = makeRecord([.int(-1), .string("s"), .uint(0x0102)], declared)
    #expect(hex(bytes(record)) == "01 00 07 02 01 FF 01 00 73")
  }

  @Test(arguments: everyKind)
  func `returns the value that was set, for every type`(kind: SlotKind) {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout([kind, .attribute(.string), kind])
    for _ in 0..<300 {
      let (first, second) = (random.value(kind), random.chance(4) ? .null : random.value(kind))
      let record = makeRecord([first, .string("between"), second], layout)
      let found = values(record, layout)
      #expect(isSame(found[0], first), "seed \(seed)")
      #expect(found[1] == .string("between"), "seed \(seed)")
      #expect(isSame(found[2], second), "seed \(seed)")
      #expect(record.isPresent(2, layout) == (second != .null))
      #expect(throws: Never.self) { try record.withUnsafeBytes { try layout.validate($0) } }
    }
  }

  @Test func `tells an empty value from an absent one`() {
    let layout = makeLayout([.attribute(.string), .attribute(.data), .attribute(.string)])
    let record = makeRecord([.string(""), .data(Data()), .null], layout)
    #expect(record.value(at: 0, layout) as String? == "")
    #expect(record.value(at: 1, layout) as Data? == Data())
    #expect(record.value(at: 2, layout) as String? == nil)
    #expect(record.value(at: 2, layout) as String?? == .some(nil))
  }

  @Test func `reads as nothing where another type is asked for`() {
    let layout = makeLayout([.attribute(.int64), .attribute(.string), .toMany])
    let record = makeRecord([.int(1), .string("1"), .null], layout)
    #expect(record.value(at: 0, layout) as String? == nil)
    #expect(record.value(at: 0, layout) as Int32? == nil)
    #expect(record.value(at: 0, layout) as UInt64? == nil)
    #expect(record.value(at: 1, layout) as Data? == nil)
    #expect(record.value(at: 2, layout) as String? == nil)
    #expect(record.toOne(at: 0, layout: layout) == nil)
  }

  @Test func `of an entity with 300 slots keeps them all apart`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let kinds = (0..<300).map { _ in everyKind.randomElement(using: &random)! }
    let layout = makeLayout(kinds)
    for _ in 0..<20 {
      let expected = kinds.map { random.chance(3) ? .null : random.value($0) }
      let found = values(makeRecord(expected, layout), layout)
      #expect(zip(found, expected).allSatisfy(isSame), "seed \(seed)")
    }
  }

  @Test func `holds a text of four million bytes`() {
    let layout = makeLayout([.attribute(.string)])
    let text = String(repeating: "größer ", count: 500_000)
    #expect(makeRecord([.string(text)], layout).value(at: 0, layout) == text)
  }

  @Test func `is equal to another of equal values, however those came there`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(everyKind)
    for _ in 0..<100 {
      let (before, after) = (
        everyKind.map { random.chance(3) ? .null : random.value($0) },
        everyKind.map { random.chance(3) ? .null : random.value($0) }
      )
      let direct = makeRecord(after, layout)
      let changed = makeRecord(after, layout, base: makeRecord(before, layout))
      #expect(direct == changed, "seed \(seed)")
      #expect(!direct.isIdentical(to: changed))
    }
  }

  @Test func `shares a block with its neighbours and none with a large one`() {
    var arena = RecordArena()
    let layout = makeLayout([.attribute(.data)])
    var records: [(Record, Data)] = []
    for count in [1, 10, 300, 70_000, 5, 0, 16_384, 20_000, 900]
      + Array(repeating: 100, count: 2_000)
    {
      let data = Data(repeating: UInt8(truncatingIfNeeded: records.count), count: count)
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: nil, in: &drafts)
      draft.set(data, at: 0)
      records.append((draft.encode(into: &arena), data))
    }
    for (record, data) in records { #expect(record.value(at: 0, layout) == data) }
    let copy = records[3].0.withUnsafeBytes { arena.append(copying: $0) }
    #expect(copy == records[3].0)
    for (record, data) in records {
      let separated = record.separated()
      #expect(separated == record)
      #expect(separated.value(at: 0, layout) == data)
      #expect(!separated.sharesItsBlock)
    }
    #expect(records.count { !$0.0.sharesItsBlock } < 10)
    #expect(MemoryLayout<Record>.size == 16)
    #expect(MemoryLayout<Record?>.size == 16)
  }
}
