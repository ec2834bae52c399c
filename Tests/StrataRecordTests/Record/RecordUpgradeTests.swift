// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

@Suite struct `A record of an earlier layout` {
  private static func layout(
    _ version: UInt16, _ slots: [(number: UInt16, kind: SlotKind)]
  ) -> RecordLayout {
    RecordLayout(
      version: version,
      slots: slots.map {
        SlotDescription(number: PropertyNumber(rawValue: $0.number), kind: $0.kind)
      })
  }

  private static let earlier = layout(1, [(1, .attribute(.string)), (2, .attribute(.int16))])
  private static let present = layout(
    2, [(1, .attribute(.string)), (2, .attribute(.int64)), (5, .attribute(.int32))])

  private static func upgraded(_ record: Record, _ upgrade: RecordUpgrade) throws -> Record {
    var arena = RecordArena()
    return try record.withUnsafeBytes { try upgrade.record(from: $0, into: &arena) }
  }

  @Test func `is read as the format's description shows`() throws {
    let template = makeRecord([.null, .null, .int(7)], Self.present)
    let upgrade = RecordUpgrade(from: Self.earlier, to: Self.present, template: template)
    let record = makeRecord([.string("Ada"), .int(36)], Self.earlier)
    #expect(hex(bytes(record)) == "01 00 03 24 00 03 00 41 64 61")
    #expect(
      hex(bytes(try Self.upgraded(record, upgrade)))
        == "02 00 07 24 00 00 00 00 00 00 00 07 00 00 00 03 00 41 64 61")
  }

  @Test func `is described in the catalog as the format's description shows`() throws {
    var layouts = LayoutVersions()
    let template = makeRecord([.null, .null, .int(7)], Self.present)
    try layouts.replaceLayout(
      of: EntityNumber(rawValue: 2),
      by: RecordUpgrade(from: Self.earlier, to: Self.present, template: template))
    #expect(
      String(decoding: layouts.text, as: UTF8.self)
        == #"{"entities":{"2":{"earlier":[{"slots":[[1,13],[2,3]],"#
        + #""template":"AgAEAAAAAAAAAAAHAAAAAAA=","version":1}],"version":2}}}"#)
    #expect(try JSONDecoder().decode(LayoutVersions.self, from: Data(layouts.text)) == layouts)
  }

  @Test func `without a value shows the template's, if that has one`() throws {
    let template = makeRecord([.string("none"), .null, .null], Self.present)
    let upgrade = RecordUpgrade(from: Self.earlier, to: Self.present, template: template)
    let record = try Self.upgraded(makeRecord([.null, .null], Self.earlier), upgrade)
    #expect(values(record, Self.present) == [.string("none"), .null, .null])
  }

  @Test func `shows no values of slots that are gone`() throws {
    let present = Self.layout(2, [(3, .attribute(.string)), (2, .attribute(.int16))])
    let upgrade = RecordUpgrade(
      from: Self.earlier, to: present, template: makeRecord([.null, .null], present))
    let record = try Self.upgraded(makeRecord([.string("Ada"), .int(36)], Self.earlier), upgrade)
    #expect(values(record, present) == [.null, .int(36)])
  }

  @Test func `shows the values of slots that have another number now`() throws {
    let present = Self.layout(2, [(1, .attribute(.string)), (6, .attribute(.int16))])
    let upgrade = RecordUpgrade(
      from: Self.earlier, to: present, template: makeRecord([.null, .null], present),
      Self.renumbering(2, 6))
    let record = try Self.upgraded(makeRecord([.string("Ada"), .int(36)], Self.earlier), upgrade)
    #expect(values(record, present) == [.string("Ada"), .int(36)])
    var layouts = LayoutVersions()
    try layouts.replaceLayout(of: EntityNumber(rawValue: 2), by: upgrade)
    #expect(layouts.hasRenumberedSlots)
    #expect(
      String(decoding: layouts.text, as: UTF8.self)
        == #"{"entities":{"2":{"earlier":[{"slots":[[1,13],[2,3,6]],"#
        + #""template":"AgAAAAAAAA==","version":1}],"version":2}}}"#)
  }

  @Test func `shows no value of an earlier slot whose number another slot has now`() throws {
    let present = Self.layout(2, [(1, .attribute(.string)), (2, .attribute(.int16))])
    let upgrade = RecordUpgrade(
      from: Self.earlier, to: present, template: makeRecord([.null, .int(7)], present),
      Self.renumbering(2, nil))
    let record = try Self.upgraded(makeRecord([.string("Ada"), .int(36)], Self.earlier), upgrade)
    #expect(values(record, present) == [.string("Ada"), .int(7)])
  }

  @Test func `shows no value of a slot that was gone in between`() throws {
    let entity = EntityNumber(rawValue: 2)
    let between = Self.layout(2, [(1, .attribute(.string)), (6, .attribute(.int16))])
    let last = Self.layout(3, [(1, .attribute(.string)), (2, .attribute(.int16))])
    var layouts = LayoutVersions()
    try layouts.replaceLayout(
      of: entity,
      by: RecordUpgrade(
        from: Self.earlier, to: between, template: makeRecord([.null, .int(5)], between)))
    try layouts.replaceLayout(
      of: entity,
      by: RecordUpgrade(from: between, to: last, template: makeRecord([.null, .int(7)], last)))
    let upgrades = try #require(layouts.upgrades(of: entity, to: last))
    let record = try Self.upgraded(
      makeRecord([.string("Ada"), .int(36)], Self.earlier), upgrades[0])
    #expect(values(record, last) == [.string("Ada"), .int(7)])
  }

  @Test func `shows no value of a slot that was transient`() throws {
    let earlier = RecordLayout(
      version: 1,
      slots: [
        SlotDescription(
          number: PropertyNumber(rawValue: 1), kind: .attribute(.int16), isTransient: true),
        SlotDescription(number: PropertyNumber(rawValue: 2), kind: .attribute(.string)),
      ])
    let present = Self.layout(2, [(1, .attribute(.string))])
    let upgrade = RecordUpgrade(
      from: earlier, to: present, template: makeRecord([.string("new")], present),
      Self.renumbering(2, nil))
    let record = try Self.upgraded(makeRecord([.null, .string("Ada")], earlier), upgrade)
    #expect(values(record, present) == [.string("new")])
  }

  @Test func `needs no further number for a slot that has become transient`() throws {
    let entity = EntityNumber(rawValue: 2)
    func layout(_ version: UInt16, _ third: SlotKind) -> RecordLayout {
      RecordLayout(
        version: version,
        slots: [
          SlotDescription(
            number: PropertyNumber(rawValue: 2), kind: .attribute(.int16), isTransient: true),
          SlotDescription(number: PropertyNumber(rawValue: 3), kind: third),
        ])
    }
    let (between, last) = (layout(2, .attribute(.int16)), layout(3, .attribute(.int32)))
    var layouts = LayoutVersions()
    try layouts.replaceLayout(
      of: entity,
      by: RecordUpgrade(
        from: Self.earlier, to: between, template: makeRecord([.null, .null], between)))
    try layouts.replaceLayout(
      of: entity,
      by: RecordUpgrade(from: between, to: last, template: makeRecord([.null, .null], last)))
    #expect(!layouts.hasRenumberedSlots)
  }

  private static func renumbering(_ former: UInt16, _ later: UInt16?) -> SlotRenumbering {
    var renumbering = SlotRenumbering()
    renumbering.note(
      PropertyNumber(rawValue: former), later.map(PropertyNumber.init(rawValue:)), isTaken: true)
    return renumbering
  }

  @Test(arguments: everyKind)
  func `shows the same values of every type`(kind: SlotKind) throws {
    let earlier = Self.layout(1, [(1, kind), (2, .attribute(.string))])
    let present = Self.layout(
      4, [(4, .attribute(.uuid)), (2, .attribute(.string)), (1, kind), (3, .attribute(.data))])
    let upgrade = RecordUpgrade(
      from: earlier, to: present, template: makeRecord([.null, .null, .null, .null], present))
    let seed = SeededGenerator.firstSeed()
    for seed in seed..<(seed + 50) {
      var random = SeededGenerator(seed: seed)
      let value = random.value(kind)
      let record = makeRecord([value, .string("text")], earlier)
      let expected = makeRecord([.null, .string("text"), value, .null], present)
      #expect(
        bytes(try Self.upgraded(record, upgrade)) == bytes(expected), "seed \(seed)")
    }
  }

  @Test func `that is cut is refused`() throws {
    let upgrade = RecordUpgrade(
      from: Self.earlier, to: Self.present,
      template: makeRecord([.null, .null, .null], Self.present))
    let whole = bytes(makeRecord([.string("Ada"), .int(36)], Self.earlier))
    var arena = RecordArena()
    for count in 0..<whole.count {
      #expect(throws: RecordError.self) {
        try Array(whole.prefix(count)).withUnsafeBytes {
          _ = try upgrade.record(from: $0, into: &arena)
        }
      }
    }
  }
}

extension LayoutVersions {
  /// Whether a slot of an earlier layout goes on under another number.
  fileprivate var hasRenumberedSlots: Bool {
    entities.values.contains { $0.earlier.contains { $0.slots.contains { $0.count > 2 } } }
  }
}
