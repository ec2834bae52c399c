// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// Values of every type through keys and back.
@Suite struct `A record of an index's values` {
  /// A layout with a slot of each type and a to-one relationship, and one more of each in front.
  private static let kinds = everyKind

  private static let layout = RecordLayout(
    version: 3,
    slots: (kinds + kinds).enumerated().map { number, kind in
      SlotDescription(
        number: PropertyNumber(rawValue: UInt16(number + 1)), kind: kind, isTransient: false)
    })

  /// The bytes of a slot.
  private func bytes(_ slot: _RecordSlot) -> [UInt8]? {
    slot.rawBytes.map { Array($0) }
  }

  @Test func `has the record's own bytes, or none`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var arena = RecordArena()
    var exactCount = 0
    for _ in 0..<6_000 {
      var slots = Array(0..<2 * Self.kinds.count)
      slots.shuffle(using: &random)
      slots = Array(slots.prefix(Int.random(in: 1...3, using: &random)))
      var drafts = DraftArena()
      let draft = Draft.make(Self.layout, base: nil, in: &drafts)
      for slot in slots where Int.random(in: 0..<6, using: &random) > 0 {
        let kind = Self.kinds[slot % Self.kinds.count]
        draft.setValue(random.value(kind), at: slot)
      }
      let record = draft.encode(into: &arena)
      let parts = slots.map {
        IndexSchema.Part(slot: $0, kind: Self.kinds[$0 % Self.kinds.count])
      }
      let index = IndexSchema(
        number: PropertyNumber(rawValue: 9), parts[0], Array(parts.dropFirst()), isUnique: false)
      var key: [UInt8] = []
      index.append(valueOf: record, Self.layout, to: &key)
      let read = IndexRecord(index, Self.layout, slots: index.slots, readsZero: false)
      // A former value leaves nothing behind.
      _ = [UInt8](repeating: 1, count: 9).withUnsafeBytes { read.read($0) }
      let isExact = key.withUnsafeBytes { key in
        guard let start = read.read(key) else { return false }
        for slot in 0..<Self.layout.slots.count {
          let found = bytes(Self.layout.slot(slot, at: start))
          #expect(found == bytes(record.slot(slot, Self.layout)), "slot \(slot), seed \(seed)")
        }
        return true
      }
      if isExact { exactCount += 1 }
    }
    #expect(exactCount > 3_000, "seed \(seed)")
  }

  @Test(arguments: [
    ("K", false), ("\u{212A}", false), (";", false), ("`", false), ("é", false), ("Ada", true),
    ("", true), (String(repeating: "a", count: 300), false),
  ])
  func `has texts that no other text is equal to`(text: String, isExact: Bool) {
    #expect(read(.string(text), .attribute(.string)) == isExact)
  }

  @Test func `has 0 where it may be taken for -0 too`() {
    #expect(!read(.double(0), .attribute(.double)))
    #expect(read(.double(0), .attribute(.double), readsZero: true))
    #expect(!read(.double(.nan), .attribute(.double), readsZero: true))
  }

  @Test(arguments: [
    // A zero within a text, which a key escapes.
    (AttributeType.string, [0x61, 0, 0x62, 1]),
    // The digits 120 of a decimal.
    (.decimal, [0x80, 0xC9, 120 << 1]),
  ])
  func `has no value of bytes that no key has`(type: AttributeType, key: [UInt8]) {
    #expect(!read(key, .attribute(type)))
  }

  private func read(
    _ value: PropertyValue, _ kind: SlotKind, readsZero: Bool = false
  ) -> Bool {
    var key: [UInt8] = []
    KeyEncoder.append(value: value, kind: kind, to: &key)
    return read(key, kind, readsZero: readsZero)
  }

  private func read(_ key: [UInt8], _ kind: SlotKind, readsZero: Bool = false) -> Bool {
    guard let slot = Self.kinds.firstIndex(of: kind) else { return false }
    let index = IndexSchema(
      number: PropertyNumber(rawValue: 9), IndexSchema.Part(slot: slot, kind: kind),
      isUnique: false)
    let record = IndexRecord(index, Self.layout, slots: [slot], readsZero: readsZero)
    return key.withUnsafeBytes { record.read($0) != nil }
  }

  @Test func `is made of any bytes without a trap`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for (slot, kind) in Self.kinds.enumerated() {
      let index = IndexSchema(
        number: PropertyNumber(rawValue: 9), IndexSchema.Part(slot: slot, kind: kind),
        [IndexSchema.Part(slot: slot + Self.kinds.count, kind: kind)], isUnique: false)
      let record = IndexRecord(index, Self.layout, slots: index.slots, readsZero: true)
      for _ in 0..<3_000 {
        let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
          Bool.random(using: &random)
            ? UInt8.random(in: 0...255, using: &random)
            : [0, 1, 2, 0x7F, 0x80, 0x88].randomElement()!
        }
        bytes.withUnsafeBytes { bytes in
          guard let start = record.read(bytes) else { return }
          for slot in 0..<Self.layout.slots.count { _ = Self.layout.slot(slot, at: start).rawBytes }
        }
      }
    }
  }
}
