// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The place of each slot in the records of one entity, at one model version.
///
/// A slot is read in O(1) and without allocation wherever its record is stored: in a page of the
/// store, in a segment, under a managed object. Slots are in the order of their property numbers,
/// so that the layout of a version whose classes no longer exist follows from the catalog.
///
/// ```
///  0        2            F - n                F                F + w·V
///  ┌────────┬────────────┬───────────────────┬────────────────┬────────────────────┐
///  │ header │ presence   │ fixed part        │ end offsets    │ variable part      │
///  │ UInt16 │ 1 bit/slot │ numbers, dates,   │ 1 per variable │ UTF-8 text, data,  │
///  │        │            │ UUIDs, to-ones    │ slot, w bytes  │ URLs, Codable      │
///  └────────┴────────────┴───────────────────┴────────────────┴────────────────────┘
///   header = model version (15 bits), and bit 15: w = 4 instead of 2
/// ```
///
/// Docs/FileFormat.md, "Record", has it byte for byte. Numbers are little-endian.
///
/// ## Invariants
/// - I1 In every record an absent slot's fixed bytes are zero and its variable part is empty, and w
///   is 4 only if the variable part needs it: equal values are equal bytes.
/// - I2 Places depend only on the described slots' numbers and kinds, not on their class slots.
///
/// ## Isolation
/// Sendable: constant.
@usableFromInline
package final class RecordLayout: Sendable {
  /// The model version, as the catalog counts them: 1 … `versionMax`.
  package let version: UInt16
  /// The place of each slot, by class slot index.
  @usableFromInline package let places: [SlotPlace]
  /// The description of each class slot.
  package let slots: [SlotDescription]
  /// The class slots whose values are never stored.
  package let transientSlots: SlotSet
  /// The class slots whose values are in the variable part.
  package let variableSlots: SlotSet
  /// The class slots whose values are stored beside the record.
  @usableFromInline package let externalSlots: SlotSet
  /// The class slots that have a place in the record: all but to-many ones.
  package let placedSlots: SlotSet

  /// Where the end offsets begin: the bytes before are the same size in every record.
  @usableFromInline package let fixedEnd: Int
  /// The largest number of bytes of a record that a draft encodes. A value of the variable part has
  /// a quarter of it at most.
  package let byteCountMax: Int
  /// The number of slots in the variable part.
  @usableFromInline package let variableCount: Int
  /// The class slot of each place in the record, in the order of presence bits.
  let slotsByBit: [Int]
  /// Where the fixed part begins: behind the presence bits.
  let fixedStart: Int
  /// The class slot to which each byte of the fixed part belongs.
  let slotsByFixedByte: [Int]
  /// The name of the records' entity, for sentences about mistakes of a class.
  package let entityName: String

  /// The largest model version; bit 15 of the header is taken.
  package static let versionMax: UInt16 = 0x7FFF
  /// The bit in a record's header that says that end offsets take 4 bytes instead of 2.
  @inlinable package static var wideBit: UInt16 { 0x8000 }
  /// Bytes of the header.
  static let headerByteCount = 2

  /// - Parameters:
  ///   - version: 1 … `versionMax`.
  ///   - slots: by class slot index; numbers are distinct.
  ///   - byteCountMax: at most `Record.byteCountMax`.
  ///   - entityName: the name of the records' entity.
  package init(
    version: UInt16, slots: [SlotDescription], byteCountMax: Int = Record.byteCountMax,
    of entityName: String = "An entity"
  ) {
    require(
      version > 0 && version <= Self.versionMax, "a model version is a number from 1 to 32,767")
    let placed = slots.indices.filter { slots[$0].kind != .toMany }
      .sorted { slots[$0].number < slots[$1].number }
    var position = Self.headerByteCount + (placed.count + 7) / 8
    var variableCount = 0
    var places = slots.map { SlotPlace.nowhere(SlotCode($0)) }
    var slotsByFixedByte: [Int] = []
    fixedStart = position
    for (bit, slot) in placed.enumerated() {
      let (number, code) = (slots[slot].number, SlotCode(slots[slot]))
      require(
        bit == 0 || slots[placed[bit - 1]].number < number,
        "two slots of one record have the number \(number.rawValue)")
      places[slot] = SlotPlace(
        position: code.isVariable ? ~Int32(variableCount) : Int32(position),
        presenceOffset: UInt16(Self.headerByteCount + bit / 8), presenceMask: 1 << UInt8(bit % 8),
        code: code)
      if code.isVariable { variableCount += 1 } else { position += code.fixedByteCount }
      slotsByFixedByte += repeatElement(slot, count: code.fixedByteCount)
    }
    self.version = version
    self.entityName = entityName
    self.byteCountMax = byteCountMax
    self.slots = slots
    self.places = places
    self.slotsByBit = placed
    self.slotsByFixedByte = slotsByFixedByte
    self.variableCount = variableCount
    fixedEnd = position
    var (transient, variable, external, all) = (SlotSet(), SlotSet(), SlotSet(), SlotSet())
    for (index, place) in self.places.enumerated() where place.isPlaced {
      all.insert(index)
      if slots[index].isTransient { transient.insert(index) }
      if place.code.isVariable { variable.insert(index) }
      if place.code == .external { external.insert(index) }
    }
    (transientSlots, variableSlots) = (transient, variable)
    (externalSlots, placedSlots) = (external, all)
    checkInvariants()
  }

  /// The numbers of the slots whose values are stored in a record.
  package var storedNumbers: Set<PropertyNumber> {
    Set(placedSlots.subtracting(transientSlots).map { slots[$0].number })
  }
}

// MARK: - Reading

extension RecordLayout {
  /// The slot of a record.
  /// - Parameters:
  ///   - index: a class slot of this layout; another stops the program.
  ///   - record: the first byte of a record that is valid in this layout. The result points into
  ///     it.
  @inlinable @inline(__always)
  package func slot(_ index: Int, at record: UnsafeRawPointer) -> _RecordSlot {
    slot(place(of: index), at: record)
  }

  /// The place of a class slot. Whether there is such a slot is checked once: the array's own check
  /// is the same, and prints nothing in an optimised build.
  @inlinable @inline(__always)
  package func place(of slot: Int) -> SlotPlace {
    if slot < 0 || slot >= places.count { stopBeyondSlots(slot) }
    return places[slot]
  }

  @inline(never)
  @usableFromInline func stopBeyondSlots(_ slot: Int) -> Never {
    stopProgram(
      "\(entityName) has \(places.count) slots, and none at \(slot): a property of a class has the "
        + "type and the slot of its description.")
  }

  /// Whether the slot is a to-one relationship. A damaged index may name any slot.
  package func isToOne(_ slot: Int) -> Bool {
    places.indices.contains(slot) && places[slot].code == .toOne
  }

  /// The slot at one of this layout's places.
  @inlinable @inline(__always)
  package func slot(_ place: SlotPlace, at record: UnsafeRawPointer) -> _RecordSlot {
    guard place.isPresent(in: record) else { return _RecordSlot(absent: place.code) }
    if place.position >= 0 {
      return _RecordSlot(start: record + Int(place.position), byteCount: 0, code: place.code)
    }
    return variableSlot(place, at: record)
  }

  @inlinable
  func variableSlot(_ place: SlotPlace, at record: UnsafeRawPointer) -> _RecordSlot {
    let bytes = variableBytes(Int(~place.position), at: record)
    return _RecordSlot(
      start: bytes.start, byteCount: UInt32(truncatingIfNeeded: bytes.count), code: place.code)
  }

  /// The bytes of variable slot `index` (a number below `variableCount`); empty if it is absent.
  @inlinable
  func variableBytes(_ index: Int, at record: UnsafeRawPointer) -> VariableBytes {
    let offsets = record + fixedEnd
    let header = UInt16(littleEndian: record.loadUnaligned(as: UInt16.self))
    if header & Self.wideBit == 0 {
      let entry = offsets + index &* 2
      let end = Int(UInt16(littleEndian: entry.loadUnaligned(as: UInt16.self)))
      let start =
        index == 0 ? 0 : Int(UInt16(littleEndian: (entry - 2).loadUnaligned(as: UInt16.self)))
      return VariableBytes(start: offsets + (variableCount &* 2 &+ start), count: end &- start)
    }
    let entry = offsets + index &* 4
    let end = Int(UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self)))
    let start =
      index == 0 ? 0 : Int(UInt32(littleEndian: (entry - 4).loadUnaligned(as: UInt32.self)))
    return VariableBytes(start: offsets + (variableCount &* 4 &+ start), count: end &- start)
  }
}

/// The bytes of one value of the variable part, in any memory.
@frozen
@usableFromInline
struct VariableBytes {
  @usableFromInline var start: UnsafeRawPointer
  @usableFromInline var count: Int

  @inlinable init(start: UnsafeRawPointer, count: Int) {
    self.start = start
    self.count = count
  }
}
