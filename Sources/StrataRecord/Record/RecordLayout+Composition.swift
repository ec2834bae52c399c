// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import StrataPrimitives

// Records out of records: all of these copy bytes, none goes through values.

// MARK: - The buffers of drafts

extension RecordLayout {
  /// The offset of the entries of a draft's variable values.
  var draftEntriesOffset: Int { (fixedEnd + 7) & ~7 }
  /// Where a draft's heap begins.
  var draftHeapOffset: Int {
    draftEntriesOffset + variableCount * MemoryLayout<VariableBytes>.stride
  }
  /// The size of a draft's buffer with this number of bytes for variable values, if there can be
  /// any.
  func draftBufferByteCount(withHeapOf byteCount: Int) -> Int {
    draftHeapOffset + (variableCount == 0 ? 0 : byteCount)
  }
}

// MARK: - Assembling

extension RecordLayout {
  /// The record of a fixed part and variable values in any memory.
  /// - Parameters:
  ///   - head: header, presence bits and fixed part: `fixedEnd` bytes. Only the version of
  ///     the header counts.
  ///   - variable: `variableCount` entries; absent slots have empty entries.
  func assemble(
    head: UnsafeRawPointer, variable: UnsafePointer<VariableBytes>, into arena: inout RecordArena
  ) -> Record {
    var byteCount = 0
    for index in 0..<variableCount { byteCount += variable[index].count }
    let isWide = byteCount > Int(UInt16.max)
    let width = isWide ? 4 : 2
    let record = arena.append(byteCount: fixedEnd + variableCount * width + byteCount) { target in
      let start = target.baseAddress!
      start.copyMemory(from: head, byteCount: fixedEnd)
      let header = isWide ? version | Self.wideBit : version
      start.storeBytes(of: header.littleEndian, as: UInt16.self)
      if isWide {
        write(variable, to: start + fixedEnd, ends: UInt32.self)
      } else {
        write(variable, to: start + fixedEnd, ends: UInt16.self)
      }
    }
    #if STRATA_CHECKS
      Self.requireNone(invariantBroken(by: record))
    #endif
    return record
  }

  /// Writes end offsets of the given width, and the variable part behind them.
  @inline(__always)
  private func write<End: FixedWidthInteger>(
    _ variable: UnsafePointer<VariableBytes>, to target: UnsafeMutableRawPointer, ends _: End.Type
  ) {
    let width = MemoryLayout<End>.size
    let start = target + variableCount &* width
    var end = 0
    var index = 0
    while index < variableCount {
      let bytes = variable[index]
      (start + end).copyMemory(from: bytes.start, byteCount: bytes.count)
      end &+= bytes.count
      let offset = End(truncatingIfNeeded: end).littleEndian
      (target + index &* width).storeBytes(of: offset, as: End.self)
      index &+= 1
    }
  }

  /// Copies header, presence bits and fixed part of a record of this layout, narrow.
  func copyHead(of record: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    target.copyMemory(from: record, byteCount: fixedEnd)
    target.storeBytes(of: version.littleEndian, as: UInt16.self)
  }

  /// Writes the head of a record without any value.
  func writeEmptyHead(to target: UnsafeMutableRawPointer) {
    UnsafeMutableRawBufferPointer(start: target, count: fixedEnd)
      .initializeMemory(as: UInt8.self, repeating: 0)
    target.storeBytes(of: version.littleEndian, as: UInt16.self)
  }

  /// Calls `edit` with a copy of the base's head and entries and assembles the result.
  private func assemble(
    from base: Record, into arena: inout RecordArena, edit: (RecordEdit) -> Void
  ) -> Record {
    withUnsafeTemporaryAllocation(byteCount: draftHeapOffset, alignment: 8) { scratch in
      let head = scratch.baseAddress!
      let entries = (head + draftEntriesOffset)
        .bindMemory(to: VariableBytes.self, capacity: variableCount)
      copyHead(of: base.start, to: head)
      for index in 0..<variableCount { entries[index] = variableBytes(index, at: base.start) }
      edit(RecordEdit(head: head, entries: entries))
      defer { withExtendedLifetime(base) {} }
      return assemble(head: head, variable: entries, into: &arena)
    }
  }
}

/// A record while it is being put together of parts of others.
private struct RecordEdit {
  let head: UnsafeMutableRawPointer
  let entries: UnsafeMutablePointer<VariableBytes>

  /// Gives `place` the value of `slot`, which is of the same kind.
  func copy(_ slot: _RecordSlot, to place: SlotPlace) {
    guard let bytes = slot.rawBytes else { return clear(place) }
    place.markPresent(in: head)
    if place.position >= 0 {
      (head + Int(place.position)).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    } else {
      entries[Int(~place.position)] = VariableBytes(start: bytes.baseAddress!, count: bytes.count)
    }
  }

  func clear(_ place: SlotPlace) { place.clear(in: head, entries) }
}

// MARK: - Composition

extension RecordLayout {
  /// `base` with the values of `slots` taken from `changes`: an update on an update, or on an
  /// insertion. Both are records of this layout. Slots without a place are skipped.
  package func splice(
    base: Record, changes: Record, slots: SlotSet, into arena: inout RecordArena
  ) -> Record {
    if base.isIdentical(to: changes) || slots.isDisjoint(with: placedSlots) { return base }
    if placedSlots.isSubset(of: slots) { return changes }
    defer { withExtendedLifetime(changes) {} }
    return assemble(from: base, into: &arena) { edit in
      for slot in slots where places[slot].isPlaced {
        edit.copy(self.slot(slot, at: changes.start), to: places[slot])
      }
    }
  }

  /// The record as it is stored: without the values of transient slots. The same record if it has
  /// none.
  package func withoutTransients(_ record: Record, into arena: inout RecordArena) -> Record {
    clearing(transientSlots, in: record, into: &arena)
  }

  /// `record` without the values of `slots`. The same record if it has none.
  package func clearing(
    _ slots: SlotSet, in record: Record, into arena: inout RecordArena
  ) -> Record {
    let start = record.start
    defer { withExtendedLifetime(record) {} }
    guard slots.contains(where: { places[$0].isPresent(in: start) }) else { return record }
    return assemble(from: record, into: &arena) { edit in
      for slot in slots where places[slot].isPresent(in: start) { edit.clear(places[slot]) }
    }
  }
}
