// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

@Suite struct `A damaged history` {
  @Test func `says so of each flipped bit, and of each that is missing`() async throws {
    let recorded = try await Recorded()
    #expect(!recorded.isDamaged())
    for (key, value) in try recorded.file.entries() {
      for bit in 0..<(value.count * 8) {
        var flipped = value
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        try recorded.file.put(flipped, under: key)
        #expect(recorded.isDamaged(), "bit \(bit) of \(key)")
      }
      try recorded.file.put(nil, under: key)
      #expect(recorded.isDamaged(), "\(key)")
      try recorded.file.put(value, under: key)
      #expect(!recorded.isDamaged())
    }
  }

  @Test func `says so of a note that cannot be, and never traps`() async throws {
    let recorded = try await Recorded()
    let note = try recorded.file.note()
    var (floor, size, flag) = (note, note, note)
    for index in 2..<8 { floor[index] = 0xFF }
    for index in 8..<16 { size[index] = 0xFF }
    flag[0] = 7
    for bytes in [floor, size, flag, Array(note.dropLast()), []] {
      try recorded.file.setNote(bytes)
      #expect(recorded.isDamaged(), "\(bytes)")
      var edit = Edit(recorded.store)
      edit.insert(Atlas.city, ["name": .string("d")])
      _ = try? edit.save()
      try recorded.file.setNote(note)
    }
  }

  @Test func `says so of a mark that cannot be, under a checksum that fits`() async throws {
    let recorded = try await Recorded()
    for mark in [UInt8](2...255) {
      try recorded.file.setMark(mark, of: 1)
      #expect(recorded.isDamaged(), "\(mark)")
    }
    try recorded.file.setMark(1, of: 1)
    #expect(!recorded.isDamaged())
  }

  @Test func `is refused under another transaction's key, whatever its length`() async throws {
    let recorded = try await Recorded()
    let entries = try recorded.file.entries()
    try recorded.file.put(entries[1].value, under: entries[0].key)
    #expect(recorded.isDamaged())
    for length in 0..<entries[0].value.count {
      try recorded.file.put(Array(entries[0].value.prefix(length)), under: entries[0].key)
      #expect(recorded.isDamaged(), "\(length) bytes")
    }
  }
}

@Suite struct `A history with a gap` {
  /// Removes the third of six transactions.
  private func makeGap() async throws -> Recorded {
    let recorded = try await Recorded()
    try recorded.file.put(nil, under: recorded.file.entries()[2].key)
    return recorded
  }

  @Test func `lets saves go on, and raises the floor above the gap`() async throws {
    let recorded = try await makeGap()
    let start = try #require(try recorded.store.historyStatus()).oldestToken
    try await recorded.store.edit(.keep(HistoryRetention(maximumByteCount: 0)))
    var edit = Edit(recorded.store)
    edit.insert(Atlas.city, ["name": .string("d")])
    try edit.save()
    #expect(try recorded.file.entries().count == 1)
    #expect {
      try recorded.store.history(after: start, countMax: 100, byteCountMax: 1 << 20)
    } throws: { error in
      guard case StoreError.historyTooOld = error else { return false }
      return true
    }
    #expect(try recorded.store.history(after: nil, countMax: 9, byteCountMax: 1 << 20).count == 1)
  }

  @Test func `is fetched from above the gap once that is the oldest`() async throws {
    let recorded = try await makeGap()
    try await recorded.store.edit(.delete(through: recorded.token(of: 2)))
    #expect(recorded.isDamaged())
    var edit = Edit(recorded.store)
    edit.insert(Atlas.city, ["name": .string("d")])
    try edit.save()
    let kept = try recorded.store.history(after: nil, countMax: 9, byteCountMax: 1 << 20)
    #expect(kept.map(\.generation) == [4, 5, 6, 7])
  }

  @Test func `is deleted as any other`() async throws {
    let recorded = try await makeGap()
    try await recorded.store.edit(.delete(through: recorded.token(of: 6)))
    #expect(try recorded.file.entries().isEmpty)
    #expect(try #require(try recorded.store.historyStatus()).byteCount < 100)
    #expect(try recorded.store.history(after: nil, countMax: 9, byteCountMax: 1 << 20).isEmpty)
  }
}

@Suite struct `A history in a file` {
  @Test func `is damaged if the file says that it is there and it is not`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    // Docs/FileFormat.md: kept since the beginning, without limits.
    try StoreFile(path).setNote(
      [1] + Array(repeating: 0, count: 15) + Array(repeating: 0xFF, count: 16)
        + Array(repeating: 7, count: 16))
    #expect {
      try store.historyStatus()
    } throws: { error in
      guard case StoreError.damaged = error else { return false }
      return true
    }
  }

  @Test func `has the bytes that the format says`() async throws {
    let recorded = try await Recorded()
    let entries = try recorded.file.entries()
    #expect(entries.count == 6)
    let number = UInt8(recorded.store.schema.of(Atlas.city).number.rawValue)
    // Generation 1, chunk 0.
    #expect(entries[0].key == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    // The checksum and the date are left out: last; no author, no context; one insert of serial 1.
    let insert = entries[0].value
    #expect(insert[4] == 1 && Array(insert[13...]) == [0, 0, 1, number, 1, 1])
    let slot = try #require(Atlas.city.slot(named: "name"))
    let property = recorded.store.schema.of(Atlas.city).numbers[slot].rawValue
    #expect(Array(entries[1].value[13...]) == [0, 0, 2, number, 1, UInt8(property), 1, 1])
  }
}
