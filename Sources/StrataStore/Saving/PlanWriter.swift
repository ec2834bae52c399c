// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Writes what a save has planned: everything in the order of its keys, through one cursor per tree.
///
/// Of records, external values and links those that go are removed first, then the others are put: no
/// cursor is open while something else deletes. Index entries come and go in one pass (`PostingWriter`).
/// A tree of which nothing stays is emptied, and one of which little stays is written anew (`TreeImage`).
///
/// ## Isolation
/// The writer thread.
struct PlanWriter {
  private let transaction: WriteTransaction
  private let trees: Trees
  private let generation: UInt64
  private var count = WriteCount()

  /// - Throws: `LMDBError`; the transaction is then good for nothing but abort.
  static func write(
    _ plan: SavePlan, in transaction: WriteTransaction, _ trees: Trees, generation: UInt64
  ) throws -> WriteCount {
    var writer = PlanWriter(transaction: transaction, trees: trees, generation: generation)
    try writer.write(plan)
    return writer.count
  }

  private init(transaction: WriteTransaction, trees: Trees, generation: UInt64) {
    self.transaction = transaction
    self.trees = trees
    self.generation = generation
  }

  private mutating func write(_ plan: SavePlan) throws {
    for tree in plan.emptied?.trees ?? [] {
      try requireOrder(of: tree)
      try transaction.clear(tree)
      count.treesEmptied += 1
    }
    for section in plan.sections {
      try write(section, plan.emptied)
      try writeExternal(section)
    }
    try writeIndexes(plan.indexes)
    try writeLinks(plan.linkEntries, plan.emptied)
  }

  /// Walks a tree that is to be emptied: LMDB frees the pages that its branches name without a look at what
  /// is in them, and in a damaged file they may be others'.
  ///
  /// - Throws: `StoreError.damaged` unless it has as many entries as it says, in order.
  private func requireOrder(of tree: Tree) throws {
    let count = try transaction.statistics(of: tree).entryCount
    var cursor = try transaction.cursor(in: tree)
    var walkedCount = 0
    try withUnsafeTemporaryAllocation(
      byteCount: Environment.keyByteCountMax, alignment: 8
    ) { room in
      var last = UnsafeRawBufferPointer(rebasing: room[..<0])
      var isThere = try cursor.first()
      while isThere, cursor.key.count <= room.count, last.isBelow(cursor.key) {
        room.copyMemory(from: cursor.key)
        last = UnsafeRawBufferPointer(rebasing: room[..<cursor.key.count])
        walkedCount += 1
        isThere = try cursor.next()
      }
    }
    guard walkedCount == count else {
      throw StoreError.damaged(
        tree: trees.name(of: tree), key: nil,
        reason: "\(walkedCount) of its \(count) entries are in order")
    }
  }

  // MARK: - Records

  private mutating func write(_ section: SavePlan.Section, _ emptied: WholeEntities?) throws {
    guard let tree = trees.records(of: section.entity.number) else { return }
    if let emptied, emptied.empties(tree) {
      count.recordsDeleted += section.items.count
      return
    }
    try removeRecords(section, from: tree)
    var cursor = try transaction.writeCursor(in: tree)
    try withUnsafeTemporaryAllocation(
      byteCount: Self.overwrittenByteCountMax, alignment: MemoryLayout<UInt64>.alignment
    ) { scratch in
      var former: UInt64 = 0
      // By pointer: a copy of each item would count references.
      try section.items.withUnsafeBufferPointer { items in
        for place in items.indices {
          guard let record = items[place].new else { continue }
          let key = items[place].key
          let byteCount = Envelope.byteCount(for: record)
          let isOverwritten =
            byteCount <= scratch.count && items[place].old?.byteCount == record.byteCount
          try RecordKey(key).withBytes { bytes in
            if isOverwritten {
              let envelope = UnsafeMutableRawBufferPointer(rebasing: scratch[..<byteCount])
              Envelope.encode(record: record, generation: generation, key: key, into: envelope)
              try cursor.overwrite(
                bytes, UnsafeRawBufferPointer(envelope),
                isNext: RecordKey.isNear(key.serial, above: former))
            } else {
              try cursor.put(bytes, byteCount: byteCount) {
                Envelope.encode(record: record, generation: generation, key: key, into: $0)
              }
            }
          }
          former = key.serial
          count.recordsPut += 1
        }
      }
    }
  }

  /// Larger records are not put together beside their page and copied there.
  private static let overwrittenByteCountMax = 2_048

  private mutating func removeRecords(_ section: SavePlan.Section, from tree: Tree) throws {
    var goingCount = 0
    for place in section.items.indices where section.items[place].new == nil { goingCount += 1 }
    if goingCount == 0 { return }
    count.recordsDeleted += goingCount
    if try keepRest(besides: goingCount, of: section, in: tree) { return }
    var cursor = try transaction.editCursor(in: tree)
    for place in section.items.indices where section.items[place].new == nil {
      try RecordKey(section.items[place].key).withBytes { _ = try cursor.remove($0) }
    }
  }

  /// Writes the records anew that do not go, if they are few beside those that do.
  /// - Returns: false if nothing was done.
  private mutating func keepRest(
    besides goingCount: Int, of section: SavePlan.Section, in tree: Tree
  ) throws -> Bool {
    let statistics = try transaction.statistics(of: tree)
    guard goingCount >= Self.rewrittenCountMin, statistics.overflowPageCount == 0,
      statistics.entryCount <= goingCount + goingCount / 2
    else { return false }
    guard let rest = try rest(of: tree, without: section) else { return false }
    guard try rest.write(into: tree, of: transaction) else {
      throw StoreError.damaged(
        tree: trees.name(of: tree), key: nil, reason: "the keys of records are not in order")
    }
    count.treesRewritten += 1
    return true
  }

  /// The records that do not go; nil if the tree is not in order.
  private func rest(of tree: Tree, without section: SavePlan.Section) throws -> TreeImage? {
    let image = TreeImage()
    var place = 0
    var former: UInt64 = 0
    var cursor = try transaction.cursor(in: tree)
    var isThere = try cursor.first()
    while isThere {
      guard let serial = RecordKey.number(of: cursor.key), serial > former else { return nil }
      former = serial
      while place < section.items.count,
        section.items[place].new != nil || section.items[place].key.serial < serial
      {
        place += 1
      }
      if place == section.items.count || section.items[place].key.serial != serial {
        image.append(cursor.key, cursor.value)
      }
      isThere = try cursor.next()
    }
    return image
  }

  /// Where fewer records go, the others are not written anew.
  private static let rewrittenCountMin = 64

  // MARK: - External values

  /// Takes away the values that records have let go of, and puts the new ones.
  private mutating func writeExternal(_ section: SavePlan.Section) throws {
    guard let tree = trees.external(of: section.entity.number) else { return }
    let (layout, numbers) = (section.entity.layout, section.entity.numbers)
    // In a tree, values lie in the order of property numbers.
    let slots = Array(layout.externalSlots).sorted { numbers[$0] < numbers[$1] }
    for item in section.items {
      guard let old = item.old else { continue }
      for slot in slots where old.isPresent(slot, layout) {
        if item.new?.isPresent(slot, layout) == true { continue }
        try ExternalKey(item.key, numbers[slot]).withBytes {
          _ = try transaction.delete($0, in: tree)
        }
        count.externalDeleted += 1
      }
    }
    var cursor = try transaction.writeCursor(in: tree)
    for item in section.items {
      guard let new = item.new else { continue }
      for slot in slots {
        guard let stamp = new.stamp(at: slot, layout), item.old?.stamp(at: slot, layout) != stamp
        else { continue }
        guard let value = item.external.value(at: slot, fitting: stamp) else {
          preconditionFailure("a plan has the bytes of what it changes")
        }
        try value.data.withUnsafeBytes { bytes in
          try ExternalKey(item.key, numbers[slot]).withBytes { try cursor.put($0, bytes) }
        }
        count.externalPut += 1
      }
    }
  }

  // MARK: - Index entries

  private mutating func writeIndexes(_ changes: [PropertyNumber: SavePlan.IndexChanges]) throws {
    var entryCount = 0
    var sorted: [IndexTreeMerge.Changes] = []
    for (number, changes) in changes where !changes.isEmpty {
      sorted.append((number, changes))
      entryCount += changes.removed.entries.count + changes.added.entries.count
    }
    sorted.sort { $0.number < $1.number }
    if entryCount >= IndexTreeMerge.changeCountMin { sorted = try rewriteTrees(sorted) }
    for (number, changes) in sorted {
      guard let tree = trees.entries(of: number) else { continue }
      var writer = try PostingWriter(number, in: tree, of: transaction, trees)
      var deletedCount = 0
      try IndexRun.forEachEntry(removed: changes.removed, added: changes.added) { isAdded, entry in
        if isAdded {
          try writer.put(entry)
        } else if try writer.remove(entry) {
          deletedCount += 1
        }
      }
      try writer.finish()
      count.entriesPut += changes.added.entries.count
      count.entriesDeleted += deletedCount
    }
  }

  /// Writes those trees anew of which much changes.
  /// - Parameter sorted: ascending by number.
  /// - Returns: the changes of the others.
  private mutating func rewriteTrees(
    _ sorted: [IndexTreeMerge.Changes]
  ) throws -> [IndexTreeMerge.Changes] {
    var byTree: [Tree: [IndexTreeMerge.Changes]] = [:]
    for changes in sorted {
      guard let tree = trees.entries(of: changes.number) else { continue }
      byTree[tree, default: []].append(changes)
    }
    var written: Set<Tree> = []
    for (tree, changes) in byTree {
      let statistics = try transaction.statistics(of: tree)
      guard IndexTreeMerge.isWorthwhile(changes, statistics),
        let removedCount = try IndexTreeMerge.apply(changes, to: tree, of: transaction, trees)
      else { continue }
      written.insert(tree)
      count.treesRewritten += 1
      count.entriesDeleted += removedCount
      for (_, changes) in changes { count.entriesPut += changes.added.entries.count }
    }
    if written.isEmpty { return sorted }
    return sorted.filter { trees.entries(of: $0.number).map { !written.contains($0) } ?? true }
  }

  // MARK: - Links

  private mutating func writeLinks(
    _ changes: [PropertyNumber: SavePlan.EntryChanges], _ emptied: WholeEntities?
  ) throws {
    let sorted = changes.sorted { $0.key < $1.key }
    for (number, changes) in sorted where !changes.removed.isEmpty {
      guard let tree = trees.entries(of: number) else { continue }
      if let emptied, emptied.empties(tree) { continue }
      var key = LinkBuffer(number)
      try changes.removed.walk { entry, _ in
        if try key.with(entry, { try transaction.delete($0, in: tree) }) {
          count.entriesDeleted += 1
        }
      }
    }
    for (number, changes) in sorted where !changes.added.isEmpty {
      guard let tree = trees.entries(of: number) else { continue }
      var key = LinkBuffer(number)
      var cursor = try transaction.writeCursor(in: tree)
      try changes.added.walk { entry, value in
        try key.with(entry) { try cursor.put($0, value) }
        count.entriesPut += 1
      }
    }
  }
}

/// Where a link gets its property's number in front.
private struct LinkBuffer {
  private var bytes: [UInt8]

  init(_ number: PropertyNumber) {
    bytes = [UInt8](
      repeating: 0, count: EntryKey.prefixByteCount + EntryKey.linkByteCount)
    bytes.replaceSubrange(..<EntryKey.prefixByteCount, with: EntryKey.prefix(number))
  }

  mutating func with<Result>(
    _ entry: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeMutableBytes { bytes in
      let end = EntryKey.prefixByteCount + entry.count
      UnsafeMutableRawBufferPointer(rebasing: bytes[EntryKey.prefixByteCount..<end])
        .copyMemory(from: entry)
      return try body(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }
  }
}
