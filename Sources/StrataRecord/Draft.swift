// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import StrataModel

/// The mutable form of a record: the values of one object, some of them set since its record was
/// encoded.
///
/// It exists so that setting a number is one store, whatever else the object holds, and setting a
/// string moves no other. Variable values that were not set stay where they are, in the record that the
/// draft began with.
///
/// ```
///  buffer ─► ┌──────┬──────────┬────────────┬─────────────────────┬─────────┬──────┐
///            │header│ presence │ fixed part │ variable entries    │ heap …  │ free │
///            └──────┴──────────┴────────────┴─────────────────────┴─────────┴──────┘
///             0     as in a record  fixedEnd  entriesOffset         heapOffset
///   entry = {start, count} of a value: in the source's bytes, or in the heap
/// ```
///
/// Most changes of an object that there is already are of values in the fixed part. So a draft may begin
/// as a *patch*: its buffer is a copy of the record, in the arena into which it would be encoded, and that
/// copy with its new values is what it is encoded to. The first change of a variable value gives it a
/// buffer of its own. Drafts of new objects share blocks for their buffers; one that outgrows its own
/// gets another from the heap.
///
/// ## Invariants
/// - I1: an absent slot's fixed bytes are zero and its entry is empty (RecordLayout, I1).
/// - I2: `changedSlots` holds every slot that was given a value which it did not have.
/// - I3: each entry lies in `source` or below `heapEnd`.
/// - I4: nobody else has the record of a patch before it is encoded, and nothing is set after that.
///
/// ## States
/// - patch → with a buffer: a variable value is set or cleared.
///
/// ## Lifetime and isolation
/// A draft is private to its object's context, as the object is. Slots read from it are valid until
/// the next change.
@usableFromInline
package final class Draft {
  @usableFromInline package let layout: RecordLayout
  /// The record that has the variable values that were not set: the one that the draft began with, or the
  /// patched copy of it; nil if all slots were absent.
  @usableFromInline let source: Record?
  // Safety: `@exclusivity(unchecked)` spares each set two run-time checks, most of what it costs. A
  // draft is of one isolation, and no access to these runs code that could reach the draft again.
  // Other modules, where the attribute has no effect, read `changed` and `external`.
  @exclusivity(unchecked)
  @usableFromInline var changedSlots = SlotSet()
  @exclusivity(unchecked)
  var externalValues = ExternalValues()
  /// Whether some slot's bytes do not lie in the record. What such a slot of an object shows, the object
  /// alone knows.
  @usableFromInline package let hasExternalSlots: Bool

  @exclusivity(unchecked)
  @usableFromInline var buffer: UnsafeMutableRawPointer
  /// 0 in a patch.
  @exclusivity(unchecked)
  private var bufferByteCount: Int
  /// What keeps a buffer that it shares with others.
  private let block: RecordBlock?
  /// Whether the buffer is the draft's alone.
  @exclusivity(unchecked)
  private var ownsBuffer: Bool
  /// Where the heap's free bytes begin.
  @exclusivity(unchecked)
  private var heapEnd: Int

  /// A draft of `base`, which is a record of `layout`; of a new object if it is nil.
  ///
  /// - Parameters:
  ///   - external: the bytes that the base's external slots stand for, where those are not in the
  ///     store.
  ///   - heapByteCount: how many bytes of variable values are likely to be set.
  package init(
    layout: RecordLayout, base: Record?, external: ExternalValues = ExternalValues(),
    heapByteCount: Int = Draft.heapByteCountUsual
  ) {
    self.layout = layout
    source = base
    externalValues = external
    hasExternalSlots = !layout.externalSlots.isEmpty
    bufferByteCount = layout.draftBufferByteCount(withHeapOf: heapByteCount)
    heapEnd = layout.draftHeapOffset
    buffer = .allocate(byteCount: bufferByteCount, alignment: 8)
    block = nil
    ownsBuffer = true
    fillBuffer()
  }

  /// The same for one of many drafts that go together.
  ///
  /// - Parameter arena: where the buffer is made; nothing else than buffers is.
  package init(
    layout: RecordLayout, base: Record?, external: ExternalValues, heapByteCount: Int,
    in arena: inout RecordArena
  ) {
    self.layout = layout
    source = base
    externalValues = external
    hasExternalSlots = !layout.externalSlots.isEmpty
    bufferByteCount = layout.draftBufferByteCount(withHeapOf: heapByteCount)
    heapEnd = layout.draftHeapOffset
    (block, buffer) = arena.room(byteCount: bufferByteCount)
    ownsBuffer = false
    fillBuffer()
  }

  /// A draft that patches a copy of `base`.
  ///
  /// - Parameter arena: where the copy is made, and stays whatever becomes of the draft.
  /// - Important: once it is encoded, nothing is set in it any more.
  package init(patching base: Record, of layout: RecordLayout, in arena: inout RecordArena) {
    self.layout = layout
    hasExternalSlots = !layout.externalSlots.isEmpty
    let copy = base.withUnsafeBytes { arena.append(copying: $0) }
    source = copy
    buffer = UnsafeMutableRawPointer(mutating: copy.start)
    bufferByteCount = 0
    heapEnd = 0
    block = nil
    ownsBuffer = false
  }

  deinit { if ownsBuffer { buffer.deallocate() } }

  private var isPatch: Bool { bufferByteCount == 0 }

  /// Gives a patch a buffer of its own.
  private func beginBuffer() {
    bufferByteCount = layout.draftBufferByteCount(withHeapOf: Self.heapByteCountUsual)
    heapEnd = layout.draftHeapOffset
    buffer = .allocate(byteCount: bufferByteCount, alignment: 8)
    ownsBuffer = true
    fillBuffer()
  }

  /// Writes what the source has to the buffer.
  private func fillBuffer() {
    if let source {
      layout.copyHead(of: source.start, to: buffer)
    } else {
      layout.writeEmptyHead(to: buffer)
    }
    for index in 0..<layout.variableCount {
      (entries + index).initialize(
        to: source.map { layout.variableBytes(index, at: $0.start) }
          ?? VariableBytes(start: buffer, count: 0))
    }
  }

  private var entries: UnsafeMutablePointer<VariableBytes> {
    // Safety: the initializer has put the entries there, and nothing else ever lies there.
    (buffer + layout.draftEntriesOffset).assumingMemoryBound(to: VariableBytes.self)
  }
}

@available(*, unavailable)
extension Draft: Sendable {}

extension Draft {
  /// Room for a short text or two.
  package static var heapByteCountUsual: Int { 64 }

  /// The slots that were set to another value than they had.
  package var changed: SlotSet { changedSlots }

  /// What external slots were set to.
  package var external: ExternalValues { externalValues }

  /// How many bytes of variable values were set so far.
  package var heapByteCount: Int { heapEnd - layout.draftHeapOffset }
}

// MARK: - Reading

extension Draft {
  /// The slot as it is now. An absent one reads as no value.
  @inlinable @inline(__always)
  package func slot(_ index: Int) -> RecordSlot {
    let place = layout.places[index]
    guard place.isPresent(in: buffer) else { return RecordSlot(absent: place.code) }
    if place.position >= 0 {
      return RecordSlot(start: buffer + Int(place.position), byteCount: 0, code: place.code)
    }
    return variableSlot(place)
  }

  @usableFromInline func variableSlot(_ place: SlotPlace) -> RecordSlot {
    if isPatch { return layout.variableSlot(place, at: buffer) }
    let entry = entries[Int(~place.position)]
    return RecordSlot(start: entry.start, byteCount: UInt32(entry.count), code: place.code)
  }

  /// Whether the slot has a value.
  @inlinable package func isPresent(_ slot: Int) -> Bool {
    layout.places[slot].isPresent(in: buffer)
  }

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

extension Draft {
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
    let place = layout.places[slot]
    if place.code == .external { return setExternal(nil, at: slot) }
    guard place.isPresent(in: buffer) else { return false }
    if isPatch, place.position < 0 { beginBuffer() }
    erase(place)
    changedSlots.insert(slot)
    return true
  }

  func erase(_ place: SlotPlace) {
    buffer.storeBytes(
      of: buffer.load(fromByteOffset: Int(place.presenceOffset), as: UInt8.self)
        & ~place.presenceMask,
      toByteOffset: Int(place.presenceOffset), as: UInt8.self)
    if place.position >= 0 {
      UnsafeMutableRawBufferPointer(
        start: buffer + Int(place.position), count: place.code.fixedByteCount
      ).initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      entries[Int(~place.position)] = VariableBytes(start: buffer, count: 0)
    }
  }

  @inlinable func store<Integer: FixedWidthInteger>(
    integer: Integer, at slot: Int, as code: SlotCode
  ) -> Bool {
    let place = layout.places[slot]
    guard place.code == code else { mismatch(slot, code) }
    let target = buffer + Int(place.position)
    let bits = integer.littleEndian
    if place.isPresent(in: buffer), target.loadUnaligned(as: Integer.self) == bits { return false }
    target.storeBytes(of: bits, as: Integer.self)
    markPresent(place, slot)
    return true
  }

  func store(fixed bytes: UnsafeRawBufferPointer, at slot: Int, as code: SlotCode) -> Bool {
    let place = layout.places[slot]
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
    buffer.storeBytes(
      of: buffer.load(fromByteOffset: Int(place.presenceOffset), as: UInt8.self)
        | place.presenceMask,
      toByteOffset: Int(place.presenceOffset), as: UInt8.self)
    changedSlots.insert(slot)
  }

  @usableFromInline func mismatch(_ slot: Int, _ code: SlotCode) -> Never {
    preconditionFailure(
      """
      slot \(slot) holds \(String(describing: layout.places[slot].code.kind)), \
      it cannot be set to \(String(describing: code.kind))
      """)
  }
}

// MARK: - Variable values

extension Draft {
  @usableFromInline func store(
    bytes: UnsafeRawBufferPointer, at slot: Int, as code: SlotCode
  ) -> Bool {
    let place = layout.places[slot]
    guard place.code == code else { mismatch(slot, code) }
    precondition(bytes.count <= Record.byteCountMax / 4, "a value has at most 512 MiB")
    if let current = self.slot(slot).bytes(code), current.count == bytes.count,
      bytes.isEmpty || memcmp(current.baseAddress!, bytes.baseAddress!, bytes.count) == 0
    {
      return false
    }
    if isPatch { beginBuffer() }
    let index = Int(~place.position)
    if !bytes.isEmpty {
      let start = room(for: bytes.count, replacing: index)
      start.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      entries[index] = VariableBytes(start: start, count: bytes.count)
    } else {
      entries[index] = VariableBytes(start: buffer, count: 0)
    }
    markPresent(place, slot)
    return true
  }

  /// Room for the new value of a variable slot: where its old one lies if it fits there, else at
  /// the end of the heap.
  private func room(for byteCount: Int, replacing index: Int) -> UnsafeMutableRawPointer {
    let old = entries[index]
    if old.count >= byteCount, isInHeap(old) {
      return buffer + (old.start - UnsafeRawPointer(buffer))
    }
    if bufferByteCount - heapEnd < byteCount {
      entries[index] = VariableBytes(start: buffer, count: 0)
      grow(for: byteCount)
    }
    defer { heapEnd += byteCount }
    return buffer + heapEnd
  }

  private func isInHeap(_ entry: VariableBytes) -> Bool {
    entry.count > 0 && entry.start >= UnsafeRawPointer(buffer + layout.draftHeapOffset)
      && entry.start < UnsafeRawPointer(buffer + heapEnd)
  }

  /// Moves to a larger buffer, taking along only those of the heap's values that are still in use.
  private func grow(for byteCount: Int) {
    let (entryCount, heapOffset) = (layout.variableCount, layout.draftHeapOffset)
    var liveByteCount = 0
    for index in 0..<entryCount where isInHeap(entries[index]) {
      liveByteCount += entries[index].count
    }
    let newByteCount = heapOffset + (liveByteCount + byteCount) * 3 / 2 + 64
    let new = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 8)
    new.copyMemory(from: buffer, byteCount: heapOffset)
    // Safety: a copy of what the initializer has put there.
    let newEntries = (new + layout.draftEntriesOffset)
      .assumingMemoryBound(to: VariableBytes.self)
    var end = heapOffset
    for index in 0..<entryCount {
      let entry = newEntries[index]
      if entry.count == 0 {
        newEntries[index] = VariableBytes(start: new, count: 0)
      } else if isInHeap(entry) {
        (new + end).copyMemory(from: entry.start, byteCount: entry.count)
        newEntries[index] = VariableBytes(start: new + end, count: entry.count)
        end += entry.count
      }
    }
    if ownsBuffer { buffer.deallocate() }
    ownsBuffer = true
    buffer = new
    heapEnd = end
    bufferByteCount = newByteCount
  }
}

// MARK: - Encoding

extension Draft {
  /// The values as a record. The draft stays as it is, but for a patch: that is used up (I4).
  package func encode(into arena: inout RecordArena) -> Record {
    if isPatch, let source { return source }
    return layout.assemble(head: buffer, variable: UnsafePointer(entries), into: &arena)
  }
}
