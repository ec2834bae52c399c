// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel
public import StrataPrimitives

/// The mutable form of a record: the values of one object, some of them set since its record was
/// encoded. One pointer, to where the draft lies in the slabs of its turn (`DraftSlabs`).
///
/// It exists so that setting a number is one store, whatever else the object holds, and setting a
/// string moves no other. Variable values that were not set stay where they are, in the record that the
/// draft began with.
///
/// ```
///  cell ─► layout, source, changed slots …
///  buffer ─► ┌──────┬──────────┬────────────┬─────────────────────┬─────────┬──────┐
///            │header│ presence │ fixed part │ variable entries    │ heap …  │ free │
///            └──────┴──────────┴────────────┴─────────────────────┴─────────┴──────┘
///             0     as in a record  fixedEnd  entriesOffset         heapOffset
///   entry = {start, count} of a value: in the source's bytes, or in the heap
/// ```
///
/// The buffer lies behind the cell; one that outgrows its room gets another from the heap. Most changes of
/// an object that there is already are of values in the fixed part. So a draft may begin
/// as a *patch*: its buffer is a copy of the record, in the arena into which it would be encoded, and that
/// copy with its new values is what it is encoded to. The first change of a variable value gives it a
/// buffer of its own.
///
/// It is no class: with an object's each draft would be made, counted at each set, and freed, which took
/// as long as all that is done with it. `Draft` is the one for who makes one by itself.
///
/// ## Invariants
/// - I1: an absent slot's fixed bytes are zero and its entry is empty (RecordLayout, I1).
/// - I2: `changedSlots` holds every slot that was given a value which it did not have.
/// - I3: each entry that is not empty lies in `source` or below `heapEnd`.
/// - I4: nobody else has the record of a patch before it is encoded, and nothing is set after that.
///
/// ## States
/// - patch → with a buffer: a variable value is set or cleared.
/// - either → ended, by `end` or `discard`: the reference is not used any more.
///
/// ## Lifetime and isolation
/// A draft is private to its object's context, as the object is. It is good until it is ended, which it
/// must be once, and before the layout goes. Slots read from it are valid until
/// the next change.
@frozen
@usableFromInline
package struct DraftReference {
  @usableFromInline let cell: UnsafeMutablePointer<DraftCell>

  // Functions and no initializers: what these are given would be counted for them.

  /// A draft of `base`, which is a record of `layout`; of a new object if it is nil.
  ///
  /// - Parameters:
  ///   - external: the bytes that the base's external slots stand for, where those are not in the
  ///     store.
  ///   - heapByteCount: how many bytes of variable values are likely to be set.
  package static func make(
    _ layout: RecordLayout, base: Record?, external: ExternalValues = ExternalValues(),
    heapByteCount: Int = DraftReference.heapByteCountUsual, in slabs: inout DraftSlabs
  ) -> DraftReference {
    let bufferByteCount = layout.draftBufferByteCount(withHeapOf: heapByteCount)
    let (slab, room) = slabs.room(byteCount: DraftCell.byteCount + bufferByteCount)
    let buffer = room + DraftCell.byteCount
    let source = fill(buffer, with: base, layout)
    let draft = DraftReference(in: slab, at: room, layout, buffer, source, external)
    draft.cell.pointee.bufferByteCount = bufferByteCount
    draft.cell.pointee.heapEnd = layout.draftHeapOffset
    return draft
  }

  /// A draft that patches a copy of `base`.
  ///
  /// - Parameter arena: where the copy is made, and stays whatever becomes of the draft.
  /// - Important: once it is encoded, nothing is set in it any more.
  package static func make(
    patching base: Record, of layout: RecordLayout, in arena: inout RecordArena,
    _ slabs: inout DraftSlabs
  ) -> DraftReference {
    let copy = base.withUnsafeBytes { arena.append(copying: $0) }
    let (slab, room) = slabs.room(byteCount: DraftCell.byteCount)
    let buffer = UnsafeMutableRawPointer(mutating: copy.start)
    return DraftReference(in: slab, at: room, layout, buffer, copy, ExternalValues())
  }

  /// A draft whose buffer has no heap.
  @inline(__always)
  private init(
    in slab: DraftSlabs.Slab, at room: UnsafeMutableRawPointer, _ layout: RecordLayout,
    _ buffer: UnsafeMutableRawPointer, _ source: consuming Record?,
    _ external: consuming ExternalValues
  ) {
    cell = room.bindMemory(to: DraftCell.self, capacity: 1)
    // One by one: a whole cell would be copied, counting what it refers to.
    cell.pointee.layout = Uncounted(layout)
    cell.pointee.buffer = buffer
    cell.pointee.hasExternalSlots = !layout.externalSlots.isEmpty
    cell.pointee.ownsBuffer = false
    cell.pointee.bufferByteCount = 0
    cell.pointee.heapEnd = 0
    cell.pointee.slab = slab
    withUnsafeMutablePointer(to: &cell.pointee.changedSlots) { $0.initialize(to: SlotSet()) }
    withUnsafeMutablePointer(to: &cell.pointee.source) { [source] in $0.initialize(to: source) }
    withUnsafeMutablePointer(to: &cell.pointee.externalValues) { [external] in
      $0.initialize(to: external)
    }
  }

  /// Lets go of the draft and what was set in it.
  package func discard() {
    if cell.pointee.ownsBuffer { cell.pointee.buffer.deallocate() }
    let slab = cell.pointee.slab
    cell.deinitialize(count: 1)
    DraftSlabs.release(slab)
  }

  var isPatch: Bool { cell.pointee.bufferByteCount == 0 }

  /// Gives a patch a buffer of its own.
  func beginBuffer() {
    let layout = layout
    let byteCount = layout.draftBufferByteCount(withHeapOf: Self.heapByteCountUsual)
    cell.pointee.bufferByteCount = byteCount
    cell.pointee.heapEnd = layout.draftHeapOffset
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    cell.pointee.source = Self.fill(buffer, with: cell.pointee.source, layout)
    cell.pointee.buffer = buffer
    cell.pointee.ownsBuffer = true
  }

  /// Writes what the source has to a buffer.
  ///
  /// - Returns: the source, if the buffer has entries that lie there. What new objects begin with has
  ///   mostly no text: all of them would count references to it.
  private static func fill(
    _ buffer: UnsafeMutableRawPointer, with source: Record?, _ layout: RecordLayout
  ) -> Record? {
    // Safety: bytes of the buffer that hold nothing else.
    let entries = (buffer + layout.draftEntriesOffset)
      .assumingMemoryBound(to: VariableBytes.self)
    guard let source else {
      layout.writeEmptyHead(to: buffer)
      entries.initialize(
        repeating: VariableBytes(start: buffer, count: 0), count: layout.variableCount)
      return nil
    }
    layout.copyHead(of: source.start, to: buffer)
    var isNeeded = false
    for index in 0..<layout.variableCount {
      var bytes = layout.variableBytes(index, at: source.start)
      if bytes.count == 0 { bytes.start = UnsafeRawPointer(buffer) } else { isNeeded = true }
      (entries + index).initialize(to: bytes)
    }
    return isNeeded ? source : nil
  }

  func entries(_ layout: RecordLayout) -> UnsafeMutablePointer<VariableBytes> {
    // Safety: the initializer has put the entries there, and nothing else ever lies there.
    (buffer + layout.draftEntriesOffset).assumingMemoryBound(to: VariableBytes.self)
  }
}

@available(*, unavailable)
extension DraftReference: Sendable {}

extension DraftReference {
  /// Room for a short text or two.
  package static var heapByteCountUsual: Int { 64 }

  var layout: RecordLayout { cell.pointee.layout.counted }

  @inlinable @inline(__always)
  var buffer: UnsafeMutableRawPointer { cell.pointee.buffer }

  @inlinable @inline(__always)
  func place(_ slot: Int) -> SlotPlace {
    cell.pointee.layout.with { $0.places[slot] }
  }

  /// The slots that were set to another value than they had.
  package var changed: SlotSet { cell.pointee.changedSlots }

  /// What external slots were set to.
  package var external: ExternalValues { cell.pointee.externalValues }

  /// Whether some slot's bytes do not lie in the record. What such a slot of an object shows, the object
  /// alone knows.
  @inlinable package var hasExternalSlots: Bool { cell.pointee.hasExternalSlots }

  /// How many bytes of variable values were set so far.
  package var heapByteCount: Int { cell.pointee.heapEnd - layout.draftHeapOffset }
}

// MARK: - Reading

extension DraftReference {
  /// The slot as it is now. An absent one reads as no value.
  @inlinable @inline(__always)
  package func slot(_ index: Int) -> RecordSlot {
    let place = place(index)
    guard place.isPresent(in: buffer) else { return RecordSlot(absent: place.code) }
    if place.position >= 0 {
      return RecordSlot(start: buffer + Int(place.position), byteCount: 0, code: place.code)
    }
    return variableSlot(place)
  }

  @usableFromInline func variableSlot(_ place: SlotPlace) -> RecordSlot {
    cell.pointee.layout.with { layout in
      if isPatch { return layout.variableSlot(place, at: buffer) }
      let entry = entries(layout)[Int(~place.position)]
      return RecordSlot(start: entry.start, byteCount: UInt32(entry.count), code: place.code)
    }
  }

  /// Whether the slot has a value.
  @inlinable package func isPresent(_ slot: Int) -> Bool { place(slot).isPresent(in: buffer) }

  /// The value of the slot; nil if it has none, or one of another type.
  @inlinable package func value<T: AttributeValue>(at slot: Int) -> T? {
    T(self.slot(slot))
  }

  /// The value of the slot without its static type.
  package func value(at slot: Int, store: StoreIdentity) -> Value {
    self.slot(slot).value(store: store)
  }

  /// The target of a to-one relationship, or nil.
  package func toOne(at slot: Int) -> ObjectKey? { self.slot(slot).toOne }
}

// MARK: - Setting

extension DraftReference {
  /// Sets the slot, which is of `T.attributeType`; setting another type traps.
  /// - Returns: false if an equal value was there. Equal means the same stored bytes: -0 over +0
  ///   and a string of other, canonically equivalent scalars are changes, so what is read back is
  ///   what was set; NaN over the same NaN is none.
  @inlinable
  @discardableResult
  package func set<T: AttributeValue>(_ value: T, at slot: Int) -> Bool {
    var writer = SlotWriter(draft: self, slot: slot)
    value.write(to: &writer)
    return writer.didChange
  }

  /// Sets a to-one relationship's target.
  /// - Returns: false if it was that already.
  @discardableResult
  package func setToOne(_ key: ObjectKey?, at slot: Int) -> Bool {
    guard let key else { return clear(slot) }
    return store(integer: key.rawValue, at: slot, as: .toOne)
  }

  /// Leaves the slot without a value.
  /// - Returns: false if it had none.
  @usableFromInline
  @discardableResult
  package func clear(_ slot: Int) -> Bool {
    let place = place(slot)
    if place.code == .external { return setExternal(nil, at: slot) }
    guard place.isPresent(in: buffer) else { return false }
    if isPatch, place.position < 0 { beginBuffer() }
    erase(place)
    cell.pointee.changedSlots.insert(slot)
    return true
  }

  func erase(_ place: SlotPlace) {
    let buffer = buffer
    buffer.storeBytes(
      of: buffer.load(fromByteOffset: Int(place.presenceOffset), as: UInt8.self)
        & ~place.presenceMask,
      toByteOffset: Int(place.presenceOffset), as: UInt8.self)
    if place.position >= 0 {
      UnsafeMutableRawBufferPointer(
        start: buffer + Int(place.position), count: place.code.fixedByteCount
      ).initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      entries(layout)[Int(~place.position)] = VariableBytes(start: buffer, count: 0)
    }
  }

  @inlinable func store<Integer: FixedWidthInteger>(
    integer: Integer, at slot: Int, as code: SlotCode
  ) -> Bool {
    let place = place(slot)
    guard place.code == code else { mismatch(slot, code) }
    let target = buffer + Int(place.position)
    let bits = integer.littleEndian
    if place.isPresent(in: buffer), target.loadUnaligned(as: Integer.self) == bits { return false }
    target.storeBytes(of: bits, as: Integer.self)
    markPresent(place, slot)
    return true
  }

  func store(fixed bytes: UnsafeRawBufferPointer, at slot: Int, as code: SlotCode) -> Bool {
    let place = place(slot)
    guard place.code == code, bytes.count == code.fixedByteCount else { mismatch(slot, code) }
    let target = UnsafeMutableRawBufferPointer(
      start: buffer + Int(place.position), count: bytes.count)
    if place.isPresent(in: buffer),
      memcmp(target.baseAddress!, bytes.baseAddress!, bytes.count) == 0
    {
      return false
    }
    target.copyMemory(from: bytes)
    markPresent(place, slot)
    return true
  }

  @inlinable func markPresent(_ place: SlotPlace, _ slot: Int) {
    let buffer = buffer
    buffer.storeBytes(
      of: buffer.load(fromByteOffset: Int(place.presenceOffset), as: UInt8.self)
        | place.presenceMask,
      toByteOffset: Int(place.presenceOffset), as: UInt8.self)
    cell.pointee.changedSlots.insert(slot)
  }

  @usableFromInline func mismatch(_ slot: Int, _ code: SlotCode) -> Never {
    preconditionFailure(
      """
      slot \(slot) holds \(String(describing: place(slot).code.kind)), \
      it cannot be set to \(String(describing: code.kind))
      """)
  }
}

// MARK: - Encoding

/// What a draft was encoded to.
package struct EncodedDraft {
  package let record: Record
  /// The slots that were set to another value than they had.
  package let changed: SlotSet
  /// What external slots were set to.
  package let external: ExternalValues
}

extension DraftReference {
  /// The values as a record. The draft stays as it is, but for a patch: that is used up (I4).
  package func encode(into arena: inout RecordArena) -> Record {
    if isPatch, let source = cell.pointee.source { return source }
    return assemble(into: &arena)
  }

  /// Encodes the draft and ends it.
  package func end(into arena: inout RecordArena) -> EncodedDraft {
    // Taken out, not copied: no reference is counted, and nothing is left that would have to be ended.
    let source = cell.pointee.source.take()
    var (changed, external) = (SlotSet(), ExternalValues())
    swap(&changed, &cell.pointee.changedSlots)
    swap(&external, &cell.pointee.externalValues)
    let record: Record
    if isPatch, let source { record = source } else { record = assemble(into: &arena) }
    withExtendedLifetime(source) {}
    if cell.pointee.ownsBuffer { cell.pointee.buffer.deallocate() }
    DraftSlabs.release(cell.pointee.slab)
    return EncodedDraft(record: record, changed: changed, external: external)
  }

  private func assemble(into arena: inout RecordArena) -> Record {
    cell.pointee.layout.with { layout in
      layout.assemble(head: buffer, variable: UnsafePointer(entries(layout)), into: &arena)
    }
  }
}
