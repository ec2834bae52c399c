// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import StrataPrimitives

// Texts and data in a draft: an entry each. Bytes that were set are in the draft's heap.

extension Draft {
  /// Sets a variable slot, or refuses a value that is too large.
  /// - Returns: false if equal bytes were there, or if the value was refused.
  @usableFromInline func store(
    bytes: UnsafeRawBufferPointer, at slot: Int, as code: SlotCode
  ) -> Bool {
    let place = place(slot)
    guard place.code == code else { mismatch(slot, code) }
    if let refusal = refusal(ofByteCount: bytes.count, at: place) {
      refuse(refusal, at: slot)
      return false
    }
    forgetRefusal(at: slot)
    if let current = self.slot(slot).bytes(code), current.count == bytes.count,
      bytes.isEmpty || memcmp(current.baseAddress!, bytes.baseAddress!, bytes.count) == 0
    {
      return false
    }
    if isPatch { beginBuffer() }
    cell.pointee.layout.with { layout in
      let index = Int(~place.position)
      if let first = bytes.baseAddress, !bytes.isEmpty {
        let start = room(for: bytes.count, replacing: index, layout)
        start.copyMemory(from: first, byteCount: bytes.count)
        entries(layout)[index] = VariableBytes(start: start, count: bytes.count)
      } else {
        entries(layout)[index] = VariableBytes(start: buffer, count: 0)
      }
    }
    markPresent(place, slot)
    return true
  }

  /// Memory for the new value of a variable slot: the old one's memory if the value fits, else the
  /// end of the heap.
  private func room(
    for byteCount: Int, replacing index: Int, _ layout: RecordLayout
  ) -> UnsafeMutableRawPointer {
    let old = entries(layout)[index]
    if old.count >= byteCount, isInHeap(old, layout) {
      return buffer + (old.start - UnsafeRawPointer(buffer))
    }
    if cell.pointee.bufferByteCount - cell.pointee.heapEnd < byteCount {
      entries(layout)[index] = VariableBytes(start: buffer, count: 0)
      grow(for: byteCount, layout)
    }
    let start = buffer + cell.pointee.heapEnd
    cell.pointee.heapEnd += byteCount
    return start
  }

  private func isInHeap(_ entry: VariableBytes, _ layout: RecordLayout) -> Bool {
    entry.count > 0 && entry.start >= UnsafeRawPointer(buffer + layout.draftHeapOffset)
      && entry.start < UnsafeRawPointer(buffer + cell.pointee.heapEnd)
  }

  /// Moves to a larger buffer, taking along only the values of the heap that are still in use.
  private func grow(for byteCount: Int, _ layout: RecordLayout) {
    let (entryCount, heapOffset) = (layout.variableCount, layout.draftHeapOffset)
    let entries = entries(layout)
    var liveByteCount = 0
    for index in 0..<entryCount where isInHeap(entries[index], layout) {
      liveByteCount += entries[index].count
    }
    let newByteCount = heapOffset + (liveByteCount + byteCount) * 3 / 2 + 64
    let new = UnsafeMutableRawPointer.allocate(byteCount: newByteCount, alignment: 8)
    new.copyMemory(from: buffer, byteCount: heapOffset)
    // Safety: a copy of the entries that the initializer has made.
    let newEntries = (new + layout.draftEntriesOffset)
      .assumingMemoryBound(to: VariableBytes.self)
    var end = heapOffset
    for index in 0..<entryCount {
      let entry = newEntries[index]
      if entry.count == 0 {
        newEntries[index] = VariableBytes(start: new, count: 0)
      } else if isInHeap(entry, layout) {
        (new + end).copyMemory(from: entry.start, byteCount: entry.count)
        newEntries[index] = VariableBytes(start: new + end, count: entry.count)
        end += entry.count
      }
    }
    replaceBuffer(with: new, byteCount: newByteCount, heapEnd: end)
  }
}
