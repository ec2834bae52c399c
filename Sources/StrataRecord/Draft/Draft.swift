// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel
public import StrataPrimitives

/// The mutable form of a record: the values of one object, some of them set since its record was
/// encoded. One pointer, to the draft's cell in its `DraftArena`.
///
/// Setting a number is one store, whatever else the object holds, and setting a string moves no
/// other. Variable values that were not set stay in the record that is the base of the draft.
///
/// ```
///  cell ─► layout, patched block, changed slots …
///  buffer ─► ┌──────┬──────────┬────────────┬─────────────────────┬─────────┬──────┐
///            │header│ presence │ fixed part │ variable entries    │ heap …  │ free │
///            └──────┴──────────┴────────────┴─────────────────────┴─────────┴──────┘
///             0     as in a record  fixedEnd  entriesOffset         heapOffset
///   entry = {start, count} of a value: in the base's bytes, or in the heap
/// ```
///
/// The buffer follows the cell; a buffer that outgrows it is allocated from the heap. Most changes
/// of existing objects are of values in the fixed part. So a draft may begin as a *patch*: its
/// buffer is a copy of the record, in the arena into which it would be encoded, and that copy with
/// its new values is the encoded record. The first change of a variable value gives it a buffer of
/// its own.
///
/// It is not a class: making each object's draft, counting it at each set, and freeing it took as
/// long as everything else together. `RecordLayout.withDraft` makes a draft in an arena of its own.
///
/// ## Invariants
/// - I1: an absent slot's fixed bytes are zero and its entry is empty (RecordLayout, I1).
/// - I2: `changedSlots` holds every slot whose value was changed.
/// - I3: each entry that is not empty is in a block that the arena retains, or below `heapEnd`.
/// - I4: the record of a patch is not shared before it is encoded, and nothing is set after that.
///
/// ## States
/// - patch → with a buffer: a variable value is set or cleared.
///
/// ## Lifetime and isolation
/// A draft is private to its object's context, as the object is. It is valid as long as its arena
/// and its layout. Slots read from it are valid until the next change.
@frozen
@usableFromInline
package struct Draft {
  @usableFromInline let cell: UnsafeMutablePointer<DraftCell>

  // Functions and no initializers: the arguments of an initializer would be counted for it.

  /// A draft of `base`, which is a record of `layout`; of a new object if it is nil.
  ///
  /// - Parameters:
  ///   - external: the bytes of the base's external slots, as far as they are not in the store.
  ///   - heapByteCount: the likely number of bytes of variable values that will be set.
  package static func make(
    _ layout: RecordLayout, base: Record?, external: ExternalValues = ExternalValues(),
    heapByteCount: Int = Draft.heapByteCountUsual, in arena: inout DraftArena
  ) -> Draft {
    let bufferByteCount = layout.draftBufferByteCount(withHeapOf: heapByteCount)
    let (slab, room) = arena.room(byteCount: DraftCell.byteCount + bufferByteCount)
    let buffer = room + DraftCell.byteCount
    if fill(buffer, with: base, layout), let base { arena.keep(base.block) }
    let draft = Draft(in: slab, at: room, layout, buffer, bufferByteCount, base, external)
    draft.cell.pointee.heapEnd = layout.draftHeapOffset
    return draft
  }

  /// A draft that patches a copy of `base`.
  ///
  /// - Parameter records: the arena of the copy, which outlives the draft.
  /// - Important: Once it is encoded, nothing is set in it any more.
  package static func make(
    patching base: Record, of layout: RecordLayout, in records: inout RecordArena,
    _ arena: inout DraftArena
  ) -> Draft {
    let copy = base.withUnsafeBytes { records.append(copying: $0) }
    let (slab, room) = arena.room(byteCount: DraftCell.byteCount)
    arena.keep(copy.block)
    let buffer = UnsafeMutableRawPointer(mutating: copy.start)
    let draft = Draft(in: slab, at: room, layout, buffer, copy.byteCount, base, ExternalValues())
    // Where the heap of its buffer begins once it has one; until then a bound of the sizes.
    draft.cell.pointee.heapEnd = layout.draftHeapOffset
    draft.cell.pointee.patched = Uncounted(copy.block)
    return draft
  }

  /// A draft whose buffer has no heap.
  @inline(__always)
  private init(
    in slab: DraftArena.Slab, at room: UnsafeMutableRawPointer, _ layout: RecordLayout,
    _ buffer: UnsafeMutableRawPointer, _ bufferByteCount: Int, _ base: Record?,
    _ external: consuming ExternalValues
  ) {
    cell = room.bindMemory(to: DraftCell.self, capacity: 1)
    // One by one: a whole cell would be copied, counting its references.
    cell.pointee.layout = Uncounted(layout)
    cell.pointee.buffer = buffer
    cell.pointee.hasExternalSlots = !layout.externalSlots.isEmpty
    cell.pointee.ownsBuffer = false
    cell.pointee.baseByteCount = base?.count ?? 0
    cell.pointee.bufferByteCount = bufferByteCount
    cell.pointee.heapEnd = 0
    cell.pointee.patched = nil
    cell.pointee.slab = slab
    cell.pointee.isOwner = false
    withUnsafeMutablePointer(to: &cell.pointee.changedSlots) { $0.initialize(to: SlotSet()) }
    withUnsafeMutablePointer(to: &cell.pointee.refused) { $0.initialize(to: nil) }
    withUnsafeMutablePointer(to: &cell.pointee.externalValues) { [external] in
      $0.initialize(to: external)
    }
    if cell.pointee.hasExternalSlots || layout.places.count > 64 { becomeOwner() }
  }

  /// Adds the cell to the list of its slab: it owns memory from now on (`DraftArena`, I2).
  func becomeOwner() {
    if cell.pointee.isOwner { return }
    cell.pointee.isOwner = true
    cell.pointee.nextOwner = cell.pointee.slab.pointee.owners
    cell.pointee.slab.pointee.owners = cell
  }

  @inline(__always)
  var isPatch: Bool { cell.pointee.patched != nil }

  /// The record that a patch is; nil in a draft with a buffer.
  private var patchedRecord: Record? {
    guard let block = cell.pointee.patched?.counted else { return nil }
    return Record(
      block: block, offset: buffer - block.bytes, byteCount: cell.pointee.bufferByteCount)
  }

  /// Gives a patch a buffer.
  func beginBuffer() {
    let layout = layout
    let byteCount = layout.draftBufferByteCount(withHeapOf: Self.heapByteCountUsual)
    let new = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    _ = Self.fill(new, with: patchedRecord, layout)
    cell.pointee.patched = nil
    replaceBuffer(with: new, byteCount: byteCount, heapEnd: layout.draftHeapOffset)
  }

  /// Gives the draft a buffer of its own.
  func replaceBuffer(with new: UnsafeMutableRawPointer, byteCount: Int, heapEnd: Int) {
    cell.pointee.freeBuffer()
    cell.pointee.ownsBuffer = true
    cell.pointee.buffer = new
    cell.pointee.bufferByteCount = byteCount
    cell.pointee.heapEnd = heapEnd
    becomeOwner()
  }

  /// Writes the values of a record to a buffer.
  ///
  /// - Returns: whether the buffer has entries in the record's bytes. The template of new objects
  ///   has mostly no text: all of them would count references to it.
  private static func fill(
    _ buffer: UnsafeMutableRawPointer, with source: Record?, _ layout: RecordLayout
  ) -> Bool {
    // Safety: bytes of the buffer that hold nothing else.
    let entries = (buffer + layout.draftEntriesOffset)
      .assumingMemoryBound(to: VariableBytes.self)
    guard let source else {
      layout.writeEmptyHead(to: buffer)
      entries.initialize(
        repeating: VariableBytes(start: buffer, count: 0), count: layout.variableCount)
      return false
    }
    layout.copyHead(of: source.start, to: buffer)
    var isNeeded = false
    for index in 0..<layout.variableCount {
      var bytes = layout.variableBytes(index, at: source.start)
      if bytes.count == 0 { bytes.start = UnsafeRawPointer(buffer) } else { isNeeded = true }
      (entries + index).initialize(to: bytes)
    }
    return isNeeded
  }

  func entries(_ layout: RecordLayout) -> UnsafeMutablePointer<VariableBytes> {
    // Safety: the initializer has made the entries, and this memory never holds anything else.
    (buffer + layout.draftEntriesOffset).assumingMemoryBound(to: VariableBytes.self)
  }
}

@available(*, unavailable)
extension Draft: Sendable {}

extension Draft {
  /// Room for a short text or two.
  package static var heapByteCountUsual: Int { 64 }

  var layout: RecordLayout { cell.pointee.layout.counted }

  @inlinable @inline(__always)
  var buffer: UnsafeMutableRawPointer { cell.pointee.buffer }

  @inlinable @inline(__always)
  func place(_ slot: Int) -> SlotPlace {
    cell.pointee.layout.with { $0.place(of: slot) }
  }

  /// The slots that were set to another value than they had.
  package var changed: SlotSet { cell.pointee.changedSlots }

  /// The values to which external slots were set.
  package var external: ExternalValues { cell.pointee.externalValues }

  /// Whether the bytes of some slot are not in the record. Only the object knows such a
  /// slot's value.
  @inlinable package var hasExternalSlots: Bool { cell.pointee.hasExternalSlots }

  /// How many bytes of variable values were set so far.
  package var heapByteCount: Int { cell.pointee.heapEnd - layout.draftHeapOffset }
}

// MARK: - Reading

extension Draft {
  /// The slot as it is now. An absent one reads as no value.
  @inlinable @inline(__always)
  package func slot(_ index: Int) -> _RecordSlot {
    let place = place(index)
    guard place.isPresent(in: buffer) else { return _RecordSlot(absent: place.code) }
    if place.position >= 0 {
      return _RecordSlot(start: buffer + Int(place.position), byteCount: 0, code: place.code)
    }
    return variableSlot(place)
  }

  @usableFromInline func variableSlot(_ place: SlotPlace) -> _RecordSlot {
    cell.pointee.layout.with { layout in
      if isPatch { return layout.variableSlot(place, at: buffer) }
      let entry = entries(layout)[Int(~place.position)]
      return _RecordSlot(start: entry.start, byteCount: UInt32(entry.count), code: place.code)
    }
  }

  /// The value of the slot; nil if it has none, or one of another type.
  @inlinable package func value<T: AttributeValue>(at slot: Int) -> T? {
    T(self.slot(slot))
  }

  /// The value of the slot without its static type.
  package func value(at slot: Int, store: StoreIdentity) -> PropertyValue {
    self.slot(slot).value(store: store)
  }

  /// The target of a to-one relationship, or nil.
  package func toOne(at slot: Int) -> ObjectKey? { self.slot(slot).toOne }
}

// MARK: - Setting

extension Draft {
  /// Sets the slot, which is of `T.attributeType`; setting another type stops the program.
  /// - Returns: false if an equal value was there. Equal means the same stored bytes: -0 over +0
  ///   and a string of other, canonically equivalent scalars are changes, so the value that is read
  ///   back is the one that was set; NaN over the same NaN is not a change.
  @inlinable
  @discardableResult
  package func set<T: AttributeValue>(_ value: T, at slot: Int) -> Bool {
    var writer = _SlotWriter(draft: self, slot: slot)
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
    forgetRefusal(at: slot)
    guard place.isPresent(in: buffer) else { return false }
    if isPatch, place.position < 0 { beginBuffer() }
    erase(place)
    cell.pointee.changedSlots.insert(slot)
    return true
  }

  func erase(_ place: SlotPlace) {
    cell.pointee.layout.with { place.clear(in: buffer, entries($0)) }
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
    place.markPresent(in: buffer)
    cell.pointee.changedSlots.insert(slot)
  }

  /// For sentences about mistakes of a class.
  var entityName: String { cell.pointee.layout.with { $0.entityName } }

  @usableFromInline func mismatch(_ slot: Int, _ code: SlotCode) -> Never {
    stopProgram(
      """
      Slot \(slot) of \(entityName) is described as \(place(slot).code.words), and was set to \
      \(code.words): a property of a class has the type and the slot of its description.
      """)
  }
}

// MARK: - Encoding

extension Draft {
  /// The values as a record. The draft stays as it is, except a patch: that is used up (I4).
  package func encode(into arena: inout RecordArena) -> Record {
    if let record = patchedRecord { return record }
    return cell.pointee.layout.with { layout in
      layout.assemble(head: buffer, variable: UnsafePointer(entries(layout)), into: &arena)
    }
  }
}

extension RecordLayout {
  /// Calls `body` with a draft of `base` in an arena of its own; of a new object if `base` is nil.
  ///
  /// - Parameter external: as `Draft.make` has it.
  package func withDraft<Result>(
    of base: Record?, external: ExternalValues = ExternalValues(),
    _ body: (Draft) throws -> Result
  ) rethrows -> Result {
    var drafts = DraftArena()
    defer { withExtendedLifetime(drafts) {} }
    return try body(Draft.make(self, base: base, external: external, in: &drafts))
  }

  /// `base` with the values that `edit` sets in its draft.
  package func edited(
    _ base: Record?, into arena: inout RecordArena, _ edit: (Draft) throws -> Void
  ) rethrows -> Record {
    try withDraft(of: base) { draft in
      try edit(draft)
      return draft.encode(into: &arena)
    }
  }
}
