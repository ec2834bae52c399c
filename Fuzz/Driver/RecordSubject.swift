// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport

/// Records: damaged bytes are refused or read within their bounds, and what a draft encodes is what
/// an array of values says.
enum RecordSubject: Subject {
  static let name = "record"

  private static let kinds: [SlotKind] =
    (1...18).map { .attribute(AttributeType(rawValue: $0)!) } + [.toOne, .toMany]
  private static let layout = RecordLayout(
    version: 1,
    slots: kinds.enumerated().map { index, kind in
      SlotDescription(number: PropertyNumber(rawValue: UInt16(index + 1)), kind: kind)
    })
  /// Of a text between two values that lie beside the record.
  private static let externalLayout = RecordLayout(
    version: 1,
    slots: [true, false, true].enumerated().map { index, isExternal in
      SlotDescription(
        number: PropertyNumber(rawValue: UInt16(index + 1)),
        kind: .attribute(isExternal ? .data : .string), isExternal: isExternal)
    })
  private static let key = ObjectKey(entity: EntityNumber(rawValue: 1), serial: 1)

  // MARK: - Bytes

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    if let opened = try? Envelope.decode(bytes, key: key) { try probe(record: opened.record) }
    try probe(record: bytes)
    try probe(indexValue: bytes)
  }

  /// Reads the bytes as a value of each type in an index, and another behind it.
  private static func probe(indexValue bytes: UnsafeRawBufferPointer) throws(Finding) {
    for slot in 0..<kinds.count - 1 {
      let other = (slot + 12) % (kinds.count - 1)
      let index = IndexSchema(
        number: PropertyNumber(rawValue: 1), IndexSchema.Part(slot: slot, kind: kinds[slot]),
        [IndexSchema.Part(slot: other, kind: kinds[other])], isUnique: false)
      let record = IndexRecord(index, layout, slots: index.slots, readsZero: true)
      guard let start = record.read(bytes) else { continue }
      for slot in index.slots {
        var key: [UInt8] = []
        KeyEncoder.append(slot: layout.slot(slot, at: start), to: &key)
        try require(key.count <= bytes.count, "a value of an index that is longer than its key")
      }
    }
  }

  /// Reads every slot in every way, if the bytes pass validation.
  private static func probe(record: UnsafeRawBufferPointer) throws(Finding) {
    try probe(record: record, layout)
    try probe(record: record, externalLayout)
  }

  private static func probe(
    record: UnsafeRawBufferPointer, _ layout: RecordLayout
  ) throws(Finding) {
    do { try layout.validate(record) } catch { return }
    guard let start = record.baseAddress else { throw Finding("no bytes are no record") }
    for (index, place) in layout.places.enumerated() {
      let slot = layout.slot(place, at: start)
      if let value = slot.rawBytes, let first = value.baseAddress {
        try require(
          first >= start && first + value.count <= start + record.count,
          "slot \(index) lies outside its record")
      }
      _ = slot.value(store: storeOfValues)
      if let stamp = slot.stamp {
        try require(
          !stamp.fits(record) || stamp == DataStamp(of: record),
          "a stamp fits bytes that it was not made of")
        continue
      }
      var key: [UInt8] = []
      KeyEncoder.append(slot: slot, to: &key)
      try require(key.count <= KeyEncoder.valueByteCountMax, "a key of \(key.count) bytes")
    }
    var arena = RecordArena()
    let copy = arena.append(copying: record)
    // Bytes that only a checksum would refuse may break an invariant; a record made of them would,
    // too.
    if layout.invariantBroken(by: copy) != nil { return }
    let again = layout.withDraft(of: copy) { $0.encode(into: &arena) }
    try require(layout.differingSlots(copy, again).isEmpty, "encoding changed a value")
  }

  // MARK: - Operations

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try probeNoise(&random)
    case 1: try probeDamaged(&random)
    default: try compareWithModel(&random)
    }
  }

  private static func probeNoise(_ random: inout SeededGenerator) throws(Finding) {
    var noise = [UInt8](countMax: 300, using: &random)
    if noise.count >= 2, Bool.random(using: &random) {
      (noise[0], noise[1]) = (1, Bool.random(using: &random) ? 0x80 : 0)
    }
    try probe(exactly: noise)
  }

  private static func probeDamaged(_ random: inout SeededGenerator) throws(Finding) {
    let record = encode(values(&random), base: nil)
    var damaged = [UInt8](repeating: 0, count: Envelope.byteCount(for: record))
    damaged.withUnsafeMutableBytes {
      Envelope.encode(record: record, generation: 1, key: key, into: $0)
    }
    let sound = damaged
    damaged.mutate(using: &random)
    let isAccepted = damaged.withUnsafeBytes { (try? Envelope.decode($0, key: key)) != nil }
    try require(damaged == sound || !isAccepted, "the checksum took damaged bytes for sound ones")
    try probe(exactly: damaged)
    if damaged.count > Envelope.byteCount {
      try probe(exactly: Array(damaged[Envelope.byteCount...]))
    }
  }

  /// A base, random changes, and an encoding, beside an array of values.
  private static func compareWithModel(_ random: inout SeededGenerator) throws(Finding) {
    var model = values(&random)
    let base = encode(model, base: nil)
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: base, in: &drafts)
    var changes = SlotSet()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let slot = Int.random(in: 0..<(kinds.count - 1), using: &random)
      model[slot] = value(kinds[slot], &random)
      draft.setValue(model[slot], at: slot)
      changes.insert(slot)
    }
    var arena = RecordArena()
    let record = draft.encode(into: &arena)
    try require(record == encode(model, base: nil), "a draft and a fresh encoding differ")
    try require(draft.changed.isSubset(of: changes), "a slot changed that was not set")
    try require(
      layout.differingSlots(base, record).isSubset(of: draft.changed), "a change went unnoticed")
    try require(
      layout.splice(base: base, changes: record, slots: changes, into: &arena) == record,
      "splicing the changes into the base gives another record")
    for slot in kinds.indices {
      let found = record.value(at: slot, layout: layout, store: storeOfValues)
      try require(isSame(found, model[slot]), "slot \(slot) of kind \(kinds[slot]) changed")
      var (fast, slow): ([UInt8], [UInt8]) = ([], [])
      KeyEncoder.append(slot: record.slot(slot, layout), to: &fast)
      KeyEncoder.append(value: model[slot], kind: kinds[slot], to: &slow)
      try require(fast == slow, "slot \(slot) of kind \(kinds[slot]) has two keys")
    }
  }

  private static func encode(_ values: [PropertyValue], base: Record?) -> Record {
    var drafts = DraftArena()
    let draft = Draft.make(layout, base: base, in: &drafts)
    for (slot, value) in values.enumerated() where layout.places[slot].isPlaced {
      draft.setValue(value, at: slot)
    }
    var arena = RecordArena()
    return draft.encode(into: &arena)
  }
}

// MARK: - Random values

extension RecordSubject {
  private static func values(_ random: inout SeededGenerator) -> [PropertyValue] {
    kinds.map { kind in
      Int.random(in: 0..<3, using: &random) == 0 ? .null : value(kind, &random)
    }
  }

  private static func value(_ kind: SlotKind, _ random: inout SeededGenerator) -> PropertyValue {
    let isLong = kind == .attribute(.string) || kind == .attribute(.data)
    return PropertyValue(kind, from: [UInt8](countMax: isLong ? 400 : 24, using: &random)[...])
  }

  /// Whether a value that was read is the one that was set: NaN is, too.
  private static func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
    switch (left, right) {
    case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
    case (.decimal(let left), .decimal(let right)): left == right || left.isNaN && right.isNaN
    case (.date(let left), .date(let right)):
      isSame(
        .double(left.timeIntervalSinceReferenceDate), .double(right.timeIntervalSinceReferenceDate))
    default: left == right
    }
  }
}
