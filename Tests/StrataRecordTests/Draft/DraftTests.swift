// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private enum Colour: String, AttributeValue { case red, green }
private enum Size: Int16, AttributeValue {
  case small = 1
  case large
}
private enum Plain: String { case one, two }

private struct Address: Codable, Sendable, Equatable {
  var street: String
  var numbers: [String: Double]
}

private struct Money: AttributeValue {
  var cents: Int64
  init(cents: Int64) { self.cents = cents }
  static var attributeType: AttributeType { .int64 }
  static var zero: Money? { Money(cents: 0) }
  init?(_ slot: _RecordSlot) {
    guard let cents = Int64(slot) else { return nil }
    self.cents = cents
  }
  func write(to writer: inout _SlotWriter) { cents.write(to: &writer) }
  var value: PropertyValue { cents.value }
  init?(value: PropertyValue) {
    guard let cents = Int64(value: value) else { return nil }
    self.cents = cents
  }
}

@Suite struct `A draft` {
  private func roundTrip<T: AttributeValue>(_ values: T...) {
    let layout = makeLayout([.attribute(.int8), .attribute(T.attributeType), .attribute(.string)])
    for value in values {
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: nil, in: &drafts)
      draft.set("neighbour", at: 2)
      let isNew = draft.set(value, at: 1)
      #expect(isNew == (value.value != .null))
      #expect(draft.value(at: 1) == value)
      #expect(!draft.set(value, at: 1), "an equal value is no change")
      var arena = RecordArena()
      let record = draft.encode(into: &arena)
      #expect(record.value(at: 1, layout) == value)
      #expect(record.value(at: 1, layout) as T?? == .some(.some(value)))
      #expect(record.value(at: 2, layout) == "neighbour")
      #expect(T(value: value.value) == value)
      #expect(record.value(at: 1, layout: layout, store: sampleStore) == value.value)
    }
  }

  @Test func `gives every type back, its extremes too`() {
    roundTrip(true, false)
    roundTrip(Int8.min, -1, 0, .max)
    roundTrip(Int16.min, -1, 0, .max)
    roundTrip(Int32.min, -1, 0, .max)
    roundTrip(Int64.min, -1, 0, .max)
    roundTrip(Int.min, -1, 0, .max)
    roundTrip(UInt8.min, 1, .max)
    roundTrip(UInt16.min, 1, .max)
    roundTrip(UInt32.min, 1, .max)
    roundTrip(UInt64.min, 1, .max)
    roundTrip(UInt.min, 1, .max)
    roundTrip(Float.leastNonzeroMagnitude, -1.5, .infinity)
    roundTrip(Double.leastNonzeroMagnitude, -1.5, .infinity, -.greatestFiniteMagnitude)
    roundTrip(Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, 0, -1.25, .nan)
    roundTrip("", "Ada", "e\u{301}\0", String(repeating: "ü", count: 100_000))
    roundTrip(Data(), Data([0, 255]), Data(repeating: 9, count: 100_000))
    roundTrip(Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1))
    roundTrip(UUID(), UUID.zero!)
    roundTrip(URL(string: "https://example.org/%C3%A4?q=1#f")!, URL(fileURLWithPath: "/tmp/ä b"))
    roundTrip(Int?.none, 7)
    roundTrip(String?.none, "", "x")
    roundTrip(Colour.red, .green)
    roundTrip(Size?.none, .large)
    roundTrip(Money(cents: -5), Money(cents: .max))
    roundTrip(_RawValueBox(Plain.one), _RawValueBox(Plain.two))
    roundTrip(_CodableBox(Address(street: "a/b", numbers: ["x": 1, "y": .infinity])))
    roundTrip(_CodableBox?.none, _CodableBox([1, 2, 3]))
  }

  @Test func `reads a value that was never set as its zero`() {
    #expect(Int.zero == 0)
    #expect(String.zero == "")
    #expect(Colour.zero == nil)
    #expect(Colour?.zero == .some(nil))
    #expect(_CodableBox<Address>.zero == nil)
    #expect(!Int.isOptional && Int?.isOptional && !Colour.isOptional)
  }

  @Test func `reads a raw value without a case as nothing`() {
    let layout = makeLayout([.attribute(.string), .attribute(.codable)])
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: nil, in: &drafts)
    draft.set("blue", at: 0)
    draft.setValue(.codable(Data("no JSON".utf8)), at: 1)
    #expect(draft.value(at: 0) as Colour? == nil)
    #expect(draft.value(at: 0) as Colour?? == nil)
    #expect(draft.value(at: 1) as _CodableBox<Address>? == nil)
  }

  @Test func `keeps set values bit for bit, and an equal value of other bits is a change`() {
    let layout = makeLayout([.attribute(.double), .attribute(.string)])
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: nil, in: &drafts)
    draft.set(0.0, at: 0)
    #expect(draft.set(-0.0, at: 0))
    #expect((draft.value(at: 0) as Double?)?.sign == .minus)
    draft.set(Double.nan, at: 0)
    #expect(!draft.set(Double.nan, at: 0))
    draft.set("é", at: 1)
    #expect(draft.set("e\u{301}", at: 1))
    #expect((draft.value(at: 1) as String?)?.unicodeScalars.count == 2)
  }

  @Test func `knows which slots changed since its base`() {
    let layout = makeLayout([.attribute(.string), .attribute(.int64), .toOne, .toMany])
    let base = makeRecord([.string("a"), .int(1), objectID(5), .null], layout)
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: base, in: &drafts)
    #expect(!draft.set("a", at: 0))
    #expect(!draft.set(1, at: 1))
    #expect(!draft.setToOne(ObjectKey(rawValue: 5), at: 2))
    #expect(draft.changed.isEmpty)
    #expect(draft.set(2, at: 1))
    #expect(draft.setToOne(nil, at: 2))
    #expect(!draft.setToOne(nil, at: 2))
    #expect(draft.changed == [1, 2])
    #expect(draft.toOne(at: 2) == nil)
    #expect(!draft.slot(2).isPresent && draft.slot(0).isPresent)
    var arena = RecordArena()
    #expect(
      values(draft.encode(into: &arena), layout) == [.string("a"), .int(2), .null, .null])
    #expect(values(base, layout) == [.string("a"), .int(1), objectID(5), .null])
  }

  @Test func `agrees with an array of values through random changes`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let kinds = everyKind + everyKind
    let layout = makeLayout(kinds)
    for _ in 0..<30 {
      var model = kinds.map { random.chance(3) ? .null : random.value($0) }
      let base = random.chance(3) ? nil : makeRecord(model, layout)
      if base == nil { model = kinds.map { _ in .null } }
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: base, in: &drafts)
      for _ in 0..<200 {
        let slot = Int.random(in: 0..<kinds.count, using: &random)
        var value = random.chance(4) ? .null : random.value(kinds[slot])
        if case .string = value { value = .string(random.text(60)) }
        draft.setValue(value, at: slot)
        model[slot] = value
        #expect(isSame(draft.value(at: slot, store: sampleStore), value), "seed \(seed)")
      }
      var arena = RecordArena()
      let found = values(draft.encode(into: &arena), layout)
      #expect(zip(found, model).allSatisfy(isSame), "seed \(seed)")
      for slot in kinds.indices {
        #expect(isSame(draft.value(at: slot, store: sampleStore), model[slot]), "seed \(seed)")
      }
    }
  }

  @Test func `takes the values that its slots' kinds hold`() {
    #expect(SlotKind.attribute(.int8).holds(.int(127)))
    #expect(SlotKind.attribute(.int8).holds(.uint(127)))
    #expect(!SlotKind.attribute(.int8).holds(.int(128)))
    #expect(!SlotKind.attribute(.uint64).holds(.int(-1)))
    #expect(!SlotKind.attribute(.string).holds(.int(1)))
    #expect(SlotKind.attribute(.string).holds(.null))
    #expect(SlotKind.toOne.holds(objectID(1)))
    #expect(!SlotKind.toMany.holds(.null))
  }

  @Test func `refuses a value of another type`() async {
    await #expect(processExitsWith: .failure) {
      var drafts = DraftArena()
      let layout = makeLayout([.attribute(.int64)])
      let draft = Draft.make(layout, base: nil, in: &drafts)
      draft.set("text", at: 0)
    }
    await #expect(processExitsWith: .failure) {
      var drafts = DraftArena()
      let layout = makeLayout([.attribute(.int8)])
      let draft = Draft.make(layout, base: nil, in: &drafts)
      draft.setValue(.int(128), at: 0)
    }
  }
}
