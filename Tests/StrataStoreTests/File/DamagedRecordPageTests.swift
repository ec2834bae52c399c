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
