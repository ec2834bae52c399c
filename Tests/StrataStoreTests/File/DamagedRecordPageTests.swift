// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// A store with many cities, some of them too large for a page, in a file of which the pages that
/// hold their records are damaged at random. LMDB's own calls may die of such damage by a signal.
@Suite(.enabled(if: RecordTree.readsPages)) struct `A store whose pages of records are damaged` {
  private let folder: TemporaryDirectory
  private let whole: Data
  private let records: [ObjectKey: Record]
  /// Branches and leaves of trees with keys of six bytes, and pages of long values.
  private let pages: [Int]
  private static let pageByteCount = 4096

  init() throws {
    folder = try TemporaryDirectory()
    let url = folder.file("store")
    var records: [ObjectKey: Record] = [:]
    do {
      let store = try LMDBStore.open(at: url.path, model: Atlas.model(), durability: .none)
      var edit = Edit(store)
      for number in 0..<1_000 {
        let name = String(repeating: "x", count: number % 100 == 0 ? 9_000 : number % 60)
        edit.insert(Atlas.city, ["name": .string(name), "population": .int(Int64(number))])
      }
      try edit.save()
      let snapshot = try store.snapshot()
      for key in edit.changes.keys {
        records[key] = try #require(try snapshot.record(for: key)).record
      }
    }
    self.records = records
    let bytes = try Data(contentsOf: url)
    whole = bytes
    pages = (2..<(bytes.count / Self.pageByteCount)).filter { page in
      let start = page * Self.pageByteCount
      let word = { (place: Int) in Int(bytes[start + place]) | Int(bytes[start + place + 1]) << 8 }
      if word(10) == 4 { return true }
      guard [1, 2].contains(word(10)), word(12) > 16 else { return false }
      let last = word(word(12) - 2)
      return last + 8 <= Self.pageByteCount && word(last + 6) == 6
    }
  }

  /// Two objects are beyond gaps of serials.
  @Test func `has the keys of all objects in other pages, across any gap`() throws {
    let url = folder.file("gaps")
    let serials = [UInt64](1...2_000) + [1 << 30, 1 << 39]
    var entity = EntityNumber(rawValue: 0)
    do {
      let store = try LMDBStore.open(at: url.path, model: Atlas.model(), durability: .none)
      entity = store.schema.of(Atlas.route).number
      var edit = Edit(store)
      for serial in serials {
        edit.insert(
          Atlas.route, ["name": .string("mark \(serial)")],
          key: ObjectKey(entity: entity, serial: serial))
      }
      try edit.save()
    }
    let whole = try Data(contentsOf: url)
    let place = try #require(whole.range(of: Data("mark 1000".utf8))).lowerBound
    let page = place / Self.pageByteCount * Self.pageByteCount
    let store = try LMDBStore.open(at: url.path, model: Atlas.model(), durability: .none)
    // While the store is open: before, its pages would be checked. The flags of a page follow its
    // number and two other bytes.
    var damaged = whole
    damaged.replaceSubrange(page + 10..<page + 12, with: [0, 0])
    try damaged.write(to: url)
    let view = try #require(try store.snapshot() as? StoreView)
    #expect { try view.scanKeys(of: entity) { _ in .more } } throws: {
      if case StoreError.damaged = $0 { true } else { false }
    }
    let found = Set(view.readableKeys(of: entity).map(\.serial))
    #expect(found.isSuperset(of: [1, 2_000, 1 << 30, 1 << 39]))
    #expect(!found.contains(1_000) && found.isSubset(of: serials))
    #expect(found.count > 1_800)
    try whole.write(to: url)
  }

  private func damage(_ random: inout SeededGenerator) -> Data {
    var bytes = whole
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      guard let page = pages.randomElement(using: &random) else { break }
      let inPage =
        Bool.random(using: &random)
        ? Int.random(in: 0..<80, using: &random)
        : Int.random(in: 0..<Self.pageByteCount - 4, using: &random)
      let place = page * Self.pageByteCount + inPage
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = .random(in: 0...255, using: &random)
      default: for index in 0..<4 { bytes[place + index] = 0xFF }
      }
    }
    return bytes
  }

  @Test func `gives the saved value, nothing, or an error, by each way of reading`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let keys = records.keys.sorted()
    let url = folder.file("store")
    var (errorCount, wrongCount) = (0, 0)
    let attempt = { (read: () throws -> Void) in
      do { try read() } catch is StoreError { errorCount += 1 }
    }
    let compare = { (key: ObjectKey, record: UnsafeRawBufferPointer) in
      let isRight = records[key]?.withUnsafeBytes { $0.elementsEqual(record) } ?? false
      if !isRight { wrongCount += 1 }
    }
    for _ in 0..<60 {
      try whole.write(to: url)
      do {
        let store = try LMDBStore.open(at: url.path, model: Atlas.model(), durability: .none)
        // While the store is open: before, its pages would be checked.
        try damage(&random).write(to: url)
        let snapshot = try store.snapshot()
        for key in keys.shuffled(using: &random).prefix(100) {
          try attempt { try snapshot.record(for: key)?.record.withUnsafeBytes { compare(key, $0) } }
        }
        try attempt {
          try snapshot.visitRecords(of: keys) { key, _, record in
            if let record { compare(key, record) }
          }
        }
        for key in keys.shuffled(using: &random).prefix(40) {
          let several = Array(keys.drop { $0 < key }.prefix(30))
          try attempt {
            try snapshot.visitRecords(of: several) { key, _, record in
              if let record { compare(key, record) }
            }
          }
        }
        try attempt {
          try snapshot.scanRecords(of: keys[0].entity) { key, _, record in
            compare(key, record)
            return .more
          }
        }
        try attempt { try snapshot.scanKeys(of: keys[0].entity) { _ in .more } }
      } catch is StoreError {
        // The catalog is damaged.
        errorCount += 1
      } catch {
        Issue.record("\(error), seed \(seed)")
      }
    }
    #expect(wrongCount == 0, "seed \(seed)")
    #expect(errorCount > 60, "seed \(seed)")
  }
}
