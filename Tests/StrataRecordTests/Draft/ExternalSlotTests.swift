// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// A name, and two values that are stored beside the record.
private let layout = RecordLayout(
  version: 1,
  slots: [
    SlotDescription(number: PropertyNumber(rawValue: 1), kind: .attribute(.string)),
    SlotDescription(
      number: PropertyNumber(rawValue: 2), kind: .attribute(.data), isExternal: true),
    SlotDescription(
      number: PropertyNumber(rawValue: 3), kind: .attribute(.data), isExternal: true),
  ])

private func record(_ draft: Draft) -> Record {
  var arena = RecordArena()
  return draft.encode(into: &arena)
}

@Suite struct `An external slot` {
  @Test func `has the bytes that the format's description shows`() {
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: nil, in: &drafts)
    draft.set("Ada", at: 0)
    draft.set(Data("Strata".utf8), at: 1)
    #expect(
      hex(bytes(record(draft))) == """
        01 00 03 06 00 00 00 00 00 00 00 DA BB 44 1E 5C 6B 03 63 00 00 00 00 00 00 00 00 00 00 00 \
        00 00 00 00 00 03 00 41 64 61
        """)
  }

  @Test func `has a stamp, and the draft the bytes`() {
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: nil, in: &drafts)
    let data = Data([1, 2, 3])
    #expect(draft.set(data, at: 1))
    #expect(draft.external[1]?.data == data)
    let encoded = record(draft)
    let stamp = encoded.stamp(at: 1, layout)
    #expect(stamp?.byteCount == 3)
    #expect(stamp == ExternalData(data).stamp)
    #expect(encoded.stamp(at: 2, layout) == nil)
    #expect(encoded.stamp(at: 0, layout) == nil)
    #expect(encoded.value(at: 1, layout: layout, store: sampleStore) == .null)
    #expect(encoded.isPresent(1, layout))
    #expect(layout.externalSlots == [1, 2])
  }

  @Test func `that is set to equal bytes does not change`() {
    var drafts = DraftArena()
    let first = Draft.make(layout, base: nil, in: &drafts)
    first.set(Data([1, 2, 3]), at: 1)
    let second = Draft.make(layout, base: record(first), in: &drafts)
    #expect(!second.set(Data([1, 2, 3]), at: 1))
    #expect(!second.setValue(.data(Data([1, 2, 3])), at: 1))
    #expect(second.changed.isEmpty)
    #expect(second.external.isEmpty)
    #expect(second.set(Data([1, 2]), at: 1))
    #expect(second.set(Data([1, 2, 3]), at: 1))
    #expect(second.external[1]?.data == Data([1, 2, 3]), "the bytes that were set last")
    #expect(record(second) == record(first))
  }

  @Test func `is replaced though the base have equal bytes`() {
    var drafts = DraftArena()
    let first = Draft.make(layout, base: nil, in: &drafts)
    first.set(Data([1]), at: 1)
    let former = ExternalData(Data([1]))
    let stale = Draft.make(layout, base: record(first), in: &drafts)
    #expect(!stale.setExternal(former, at: 1))
    #expect(stale.changed.isEmpty)
    stale.replaceExternal(with: former, at: 1)
    #expect(stale.external[1]?.data == former.data)
    stale.replaceExternal(with: nil, at: 2)
    #expect(stale.changed == [1, 2])
    #expect(record(stale) == record(first))
  }

  @Test func `tells no value, an empty one and others apart`() {
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: nil, in: &drafts)
    draft.set(Data(), at: 1)
    let empty = record(draft)
    #expect(empty.stamp(at: 1, layout)?.byteCount == 0)
    #expect(draft.set(Data?.none, at: 1))
    #expect(draft.external.isEmpty)
    let none = record(draft)
    #expect(none.stamp(at: 1, layout) == nil)
    #expect(layout.differingSlots(empty, none) == [1])
    #expect(none == layout.withDraft(of: nil) { record($0) })
  }

  @Test func `is composed and compared by its stamp`() {
    var drafts = DraftArena()
    let first = Draft.make(layout, base: nil, in: &drafts)
    first.set(Data([1]), at: 1)
    first.set(Data([2]), at: 2)
    let second = Draft.make(layout, base: nil, in: &drafts)
    second.set(Data([1]), at: 1)
    second.set(Data([3]), at: 2)
    #expect(layout.differingSlots(record(first), record(second)) == [2])
    var arena = RecordArena()
    let spliced = layout.splice(
      base: record(first), changes: record(second), slots: [2], into: &arena)
    #expect(spliced == record(second))
    let carried = second.external.fitting(
      spliced, layout, in: layout.externalSlots, orElse: first.external)
    #expect(carried[1]?.data == Data([1]))
    #expect(carried[2]?.data == Data([3]))
    #expect(first.external.fitting(spliced, layout, in: layout.externalSlots)[2] == nil)
    #expect(second.external.fitting(spliced, layout, in: [1])[2] == nil)
  }

  @Test func `fits its bytes and no others`() {
    let data = Data("large".utf8)
    let stamp = ExternalData(data).stamp
    for bit in 0..<(data.count * 8) {
      var damaged = data
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(damaged.withUnsafeBytes { !stamp.fits($0) })
    }
    #expect(data.withUnsafeBytes { stamp.fits($0) })
    #expect((data + [0]).withUnsafeBytes { !stamp.fits($0) })
    #expect(data.dropLast().withUnsafeBytes { !stamp.fits($0) })
  }

  /// A type of the program's own that is stored as data.
  private struct Sound: AttributeValue {
    var samples: [UInt8]
    static var attributeType: AttributeType { .data }
    static var zero: Sound? { nil }
    init?(_ slot: _RecordSlot) {
      guard let data = Data(slot) else { return nil }
      samples = Array(data)
    }
    func write(to writer: inout _SlotWriter) { Data(samples).write(to: &writer) }
    var value: PropertyValue { .data(Data(samples)) }
    init?(value: PropertyValue) {
      guard case .data(let data) = value else { return nil }
      samples = Array(data)
    }
  }

  @Test func `reads as any type that is stored as data`() {
    #expect(Data(external: Data([1, 2])) == Data([1, 2]))
    #expect(Data?(external: Data([1, 2])) == .some(Data([1, 2])))
    #expect(Sound(external: Data([1, 2]))?.samples == [1, 2])
    #expect(Sound(external: Data())?.samples == [])
    #expect(Sound?(external: Data([3]))??.samples == [3])
    #expect(String(external: Data([65])) == nil)
  }

  @Test func `takes any bytes of a damaged record for a stamp`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var arena = RecordArena()
    for _ in 0..<200 {
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: nil, in: &drafts)
      draft.set(Data(random.bytes(8)), at: 1)
      draft.set(random.text(), at: 0)
      var damaged = bytes(record(draft))
      for _ in 0..<3 { damaged[Int(random.next() % UInt64(damaged.count))] ^= 0xFF }
      damaged.withUnsafeBytes { bytes in
        guard (try? layout.validate(bytes)) != nil else { return }
        let found = arena.append(copying: bytes)
        let stamp = found.stamp(at: 1, layout)
        let isFit = Data([1]).withUnsafeBytes { stamp?.fits($0) ?? false }
        #expect(!isFit || stamp == ExternalData(Data([1])).stamp, "seed \(seed)")
      }
    }
  }
}
