// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// With an index, links that are counted on both sides, and values that need pages of their own.
@Entity private final class Shelf: ManagedObject {
  @Attribute(.indexed) var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \Box.shelf) var boxes: ToMany<Box>
}

@Entity private final class Box: ManagedObject {
  @Attribute(.indexed) var number: Int = 0
  var content: Data = Data()
  var shelf: Shelf?
}

/// Random work on a store that is full most of the time, against the promise of Errors.md: a save
/// that adds content is done or refused as a whole, each deletion succeeds, and the room that it
/// leaves is there at once.
private struct FullStoreWork {
  let coordinator: PersistentStoreCoordinator
  let byteCountMax: Int
  /// Whether it is the store that is full, and not the disk.
  let isLimited: Bool
  var random: SeededGenerator
  /// The size of each object's content, by its number.
  var sizes: [Int: Int] = [:]
  var nextNumber = 0
  var keepsHistory = false
  /// The results so far.
  var counts = FullStoreCounts()

  init(at url: URL, byteCountMax: Int, isLimited: Bool, seed: UInt64) throws {
    coordinator = try PersistentStoreCoordinator(
      at: url, model: ManagedObjectModel(Shelf.self, Box.self), durability: .none,
      maximumByteCount: isLimited ? byteCountMax : nil)
    (self.byteCountMax, self.isLimited) = (byteCountMax, isLimited)
    random = SeededGenerator(seed: seed)
  }

  private mutating func draw(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// - Returns: whether there was room.
  private static func hasRoom(for body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch StoreError.storeFull, StoreError.diskFull {
      return false
    }
  }

  /// Notes the objects of a save, or that it was refused.
  private mutating func note(_ isSaved: Bool, _ numbers: some Sequence<(number: Int, size: Int)>) {
    if isSaved {
      counts.saved += 1
      for (number, size) in numbers { sizes[number] = size }
    } else {
      counts.refused += 1
    }
  }

  mutating func step() async throws {
    switch draw(0...19) {
    case 0...8:
      let size = draw(0...draw(0...3) * 9_000)
      try insert(min(2_000, draw(1...(byteCountMax / 3)) / (size + 200) + 1), of: (size / 2)...size)
    case 9, 10: try insertBatch(draw(1...60))
    case 11...13: try update()
    case 14, 15: try delete(draw(1...draw(1...100)), byBatch: false)
    case 16, 17: try delete(draw(1...draw(1...100)), byBatch: true)
    default: try await changeHistory()
    }
    try compare()
  }

  private mutating func insert(_ count: Int, of size: ClosedRange<Int>) throws {
    let new = (0..<count).map { (number: nextNumber + $0, size: draw(size)) }
    nextNumber += count
    let isSaved = try Self.hasRoom {
      let context = ManagedObjectContext(parent: coordinator)
      let shelf = Shelf(context: context)
      shelf.name = "shelf \(new[0].number)"
      for (number, size) in new {
        let box = Box(context: context)
        (box.number, box.content, box.shelf) = (number, Data(count: size), shelf)
      }
      try context.save()
    }
    note(isSaved, new)
  }

  private mutating func insertBatch(_ count: Int) throws {
    let new = nextNumber..<(nextNumber + count)
    nextNumber += count
    let size = draw(0...6_000)
    let isSaved = try Self.hasRoom {
      try coordinator.execute(BatchInsertRequest(Box.self), rows: new) {
        $0.number = $1
        $0.content = Data(count: size)
      }
    }
    note(isSaved, new.map { ($0, size) })
  }

  /// Gives a third of the objects a size, or only those of them that are larger. Then it succeeds.
  private mutating func update() throws {
    let size = draw(0...12_000)
    let isShortening = size.isMultiple(of: 2)
    let chosen = sizes.filter { $0.key % 3 == 0 && (!isShortening || $0.value > size) }.map(\.key)
    let isSaved = try Self.hasRoom {
      let context = ManagedObjectContext(parent: coordinator)
      for box in try context.fetch(Box.where { $0.number.isIn(chosen) }) {
        box.content = Data(count: size)
      }
      try context.save()
    }
    note(isSaved, chosen.map { ($0, size) })
    if isLimited, !keepsHistory, isShortening {
      #expect(isSaved, "an update that makes nothing longer was refused")
    }
  }

  /// Deletes a part of the objects. It succeeds, if need be in parts of the number that the error
  /// names, and then so does an insertion.
  private mutating func delete(_ percent: Int, byBatch: Bool) throws {
    var chosen = sizes.keys.sorted().filter { _ in draw(1...100) <= percent }
    if chosen.isEmpty { return }
    let freed = chosen.reduce(0) { $0 + (sizes[$1] ?? 0) }
    var partCount = chosen.count
    while !chosen.isEmpty {
      let part = Array(chosen.prefix(partCount))
      do {
        if byBatch {
          try coordinator.execute(BatchDeleteRequest(Box.where { $0.number.isIn(part) }))
        } else {
          let context = ManagedObjectContext(parent: coordinator)
          for box in try context.fetch(Box.where { $0.number.isIn(part) }) { context.delete(box) }
          do { try context.save() } catch {
            // All deletions stay unsaved.
            try #require(context.deletedObjects.count == part.count)
            throw error
          }
        }
        for number in part { sizes[number] = nil }
        chosen.removeFirst(part.count)
        counts.deletions += 1
      } catch StoreError.deletionTooLarge(let count) {
        // The number becomes smaller each time.
        try #require(count < partCount, "a part of \(partCount) objects was refused")
        partCount = count
        counts.inParts += 1
      }
    }
    if freed < 1 << 17 || keepsHistory { return }
    let room = counts.saved
    try insert(4, of: 500...900)
    #expect(counts.saved == room + 1, "\(freed) bytes were freed, and four objects are refused")
  }

  private mutating func changeHistory() async throws {
    // A record that needs room may be refused.
    if keepsHistory {
      try await coordinator.deleteHistory(through: coordinator.currentHistoryToken())
      if draw(0...1) == 0 {
        try await coordinator.stopHistory()
        keepsHistory = false
      }
    } else {
      do {
        try await coordinator.keepHistory()
        keepsHistory = true
      } catch StoreError.storeFull, StoreError.diskFull {
        counts.refused += 1
      }
    }
  }

  private func compare() throws {
    let context = ManagedObjectContext(parent: coordinator)
    let found = try context.fetch(Box.all)
    let isSame =
      found.count == sizes.count && found.allSatisfy { sizes[$0.number] == $0.content.count }
    #expect(isSame, "the store has other objects than were saved")
  }
}

private struct FullStoreCounts {
  var saved = 0
  var refused = 0
  var deletions = 0
  /// Deletions that were refused, and then done in parts.
  var inParts = 0
}

/// Does one sequence.
///
/// - Parameter folder: on a disk that is full; nil if the store itself is.
private func runSequence(
  _ seed: UInt64, byteCountMax: Int, inFullFolder folder: URL?, _ counts: inout FullStoreCounts
) async throws {
  let directory = try TemporaryDirectory()
  let url = (folder ?? directory.url).appendingPathComponent("full.strata")
  defer { for path in [url.path, url.path + "-lock"] { unlink(path) } }
  var work = try FullStoreWork(
    at: url, byteCountMax: byteCountMax, isLimited: folder == nil, seed: seed)
  for _ in 0..<40 { try await work.step() }
  counts.saved += work.counts.saved
  counts.refused += work.counts.refused
  counts.deletions += work.counts.deletions
  counts.inParts += work.counts.inParts
}

@Suite struct `A full store that keeps a history` {
  /// The record of a deletion names the author, and has more bytes than the deleted object.
  @Test(arguments: [4_000, 8_000])
  func `takes deletions with long records, and has room for others when it takes no more`(
    authorByteCount: Int
  ) async throws {
    let directory = try TemporaryDirectory()
    let coordinator = try PersistentStoreCoordinator(
      at: directory.file("full.strata"), model: ManagedObjectModel(Shelf.self, Box.self),
      durability: .none, maximumByteCount: 1 << 20)
    try await coordinator.keepHistory()
    try await onOwnThread {
      let context = ManagedObjectContext(parent: coordinator)
      func requireFull(_ body: () throws -> Void) throws {
        let error = try #require(throws: StoreError.self) { while true { try body() } }
        guard case .storeFull = error else { throw error }
        context.rollback()
      }
      try requireFull { try context.saveBoxes(50, of: 1_000) }
      try requireFull { try context.saveBoxes(1, of: 0) }
      var boxes = try context.fetch(Box.all)
      var small = boxes.filter { $0.content.isEmpty }
      let count = small.count
      context.transactionAuthor = String(repeating: "a", count: authorByteCount)
      try requireFull {
        let box = small.popLast()
        context.delete(try #require(box))
        try context.save()
      }
      #expect(count - small.count > 20)
      context.transactionAuthor = nil
      // Of each three boxes of one page, one: the save writes all of their pages again.
      boxes.removeAll { $0.content.isEmpty }
      for (index, box) in boxes.enumerated() where index.isMultiple(of: 3) { context.delete(box) }
      try context.save()
    }
    try await coordinator.deleteHistory(through: coordinator.currentHistoryToken())
    try await onOwnThread {
      try ManagedObjectContext(parent: coordinator).saveBoxes(50, of: 1_000)
    }
  }
}

extension ManagedObjectContext {
  fileprivate func saveBoxes(_ count: Int, of byteCount: Int) throws {
    for _ in 0..<count { Box(context: self).content = Data(count: byteCount) }
    try save()
  }
}

@Suite struct `A store that is full most of the time` {
  private static let environment = ProcessInfo.processInfo.environment
  /// How many sequences: `STRATA_FULL_SEQUENCES`.
  private static let count = environment["STRATA_FULL_SEQUENCES"].flatMap(Int.init) ?? 12
  /// The size of the stores in MiB; the default is 1 to 8.
  private static let size = environment["STRATA_FULL_SIZE"].flatMap(Int.init)
  /// A folder on a small disk: `STRATA_FULL_FOLDER`.
  private static let folder = environment["STRATA_FULL_FOLDER"].map { URL(fileURLWithPath: $0) }

  @Test func `takes all deletions, and then other objects`() async throws {
    let first = SeededGenerator.firstSeed()
    var counts = FullStoreCounts()
    for seed in first..<(first + UInt64(Self.count)) {
      do {
        try await runSequence(
          seed, byteCountMax: (Self.size ?? Int(1 + seed % 8)) << 20, inFullFolder: Self.folder,
          &counts)
      } catch {
        Issue.record("seed \(seed): \(error)")
        break
      }
    }
    if Self.count > 100 { print(counts) }
    #expect(counts.saved > 0 && counts.refused > 0 && counts.deletions > 0)
  }

  @Test(arguments: [false, true])
  func `is no larger than its limit, however small the saves are`(
    keepsHistory: Bool
  ) async throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("full.strata")
    let byteCountMax = 1 << 20
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: ManagedObjectModel(Shelf.self, Box.self), durability: .none,
      maximumByteCount: byteCountMax)
    if keepsHistory { try await coordinator.keepHistory() }
    try await onOwnThread {
      let context = ManagedObjectContext(parent: coordinator)
      for size in [1_000, 10, 5_000, 0] {
        let error = try #require(throws: StoreError.self) {
          while true { try context.saveBoxes(1, of: size) }
        }
        guard case .storeFull = error else { throw error }
        context.rollback()
      }
    }
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
    let byteCount = try #require(size)
    #expect(byteCount <= byteCountMax)
  }

  #if os(Linux)
    @Test func `is emptied in parts where the process may not write a larger file`() async {
      await #expect(processExitsWith: .success) {
        signal(SIGXFSZ, SIG_IGN)
        let byteCountMax = 4 << 20
        var limit = rlimit(
          rlim_cur: rlim_t(byteCountMax + 1 << 20), rlim_max: rlim_t(byteCountMax + 1 << 20))
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let folder = try TemporaryDirectory()
        var counts = FullStoreCounts()
        for seed in 0..<12 as Range<UInt64> {
          try await runSequence(
            seed, byteCountMax: byteCountMax, inFullFolder: folder.url, &counts)
        }
        try #require(counts.refused > 0 && counts.deletions > 0 && counts.inParts > 0)
      }
    }
  #endif
}
