// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Writes the plan of a save: everything in the order of its keys, through one cursor per tree.
///
/// Of records, external values and links, the removals are written first, then the others: no
/// cursor is open during another's deletion. Index entries are added and removed in one pass.
/// `TreeWriter` chooses how a tree is written.
///
/// ## Isolation
/// The writer thread.
struct PlanWriter {
  private let transaction: WriteTransaction
  private let trees: Trees
  private let generation: UInt64
  private var count = WriteCount()

  /// - Throws: `LMDBError`; the transaction can then only be aborted.
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
      try writer(of: tree).empty()
      count.treesEmptied += 1
    }
    for section in plan.sections {
      try write(section, plan.emptied)
      try writeExternal(section)
    }
    try writeIndexes(plan.indexes)
    try writeLinks(plan.linkEntries, plan.emptied)
  }

  private func writer(of tree: Tree) -> TreeWriter {
    TreeWriter(tree, named: trees.name(of: tree), in: transaction)
  }

  // MARK: - Records

  private mutating func write(_ section: SavePlan.Section, _ emptied: EmptiedEntities?) throws {
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
      // By pointer: a copy of each item would count references.
      try section.items.withUnsafeBufferPointer { items in
        try putRecords(items, with: &cursor, scratch)
      }
    }
  }

  /// Puts the records of items, ascending by key.
  ///
  /// - Parameter scratch: memory for a record that overwrites another one.
  private mutating func putRecords(
    _ items: UnsafeBufferPointer<SavePlan.Item>, with cursor: inout WriteCursor,
    _ scratch: UnsafeMutableRawBufferPointer
  ) throws {
    var former: UInt64 = 0
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

  /// Larger records are not put together beside their page and copied there.
  private static let overwrittenByteCountMax = 2_048

  private mutating func removeRecords(_ section: SavePlan.Section, from tree: Tree) throws {
    var going: [UInt64] = []
    for place in section.items.indices where section.items[place].new == nil {
      going.append(section.items[place].key.serial)
    }
    if going.isEmpty { return }
    count.recordsDeleted += going.count
    if try writer(of: tree).removeRecords(going) { count.treesRewritten += 1 }
  }

  // MARK: - External values

  /// Removes the values that records no longer have, and puts the new ones.
  private mutating func writeExternal(_ section: SavePlan.Section) throws {
    guard let tree = trees.external(of: section.entity.number) else { return }
    let (layout, numbers) = (section.entity.layout, section.entity.numbers)
    // A tree stores values in the order of property numbers.
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
          stopProgram("a plan has the bytes of its changes")
        }
        try value.data.withUnsafeBytes { bytes in
          try ExternalKey(item.key, numbers[slot]).withBytes { try cursor.put($0, bytes) }
        }
        count.externalPut += 1
      }
    }
  }

  // MARK: - Index entries

  private mutating func writeIndexes(_ changes: [IndexChanges]) throws {
    // Sorted without the changes, which count references.
    var places: [(tree: Tree, number: PropertyNumber, offset: Int)] = []
    for offset in changes.indices where !changes[offset].isEmpty {
      let number = changes[offset].number
      if let tree = trees.entries(of: number) { places.append((tree, number, offset)) }
    }
    places.sort { ($0.tree.index, $0.number) < ($1.tree.index, $1.number) }
    var rest = places[...]
    while let tree = rest.first?.tree {
      let group = rest.prefix { $0.tree == tree }
      rest = rest.dropFirst(group.count)
      let changes = group.map { changes[$0.offset] }
      let (removedCount, isRewritten) = try writer(of: tree).apply(changes)
      count.entriesDeleted += removedCount
      count.entriesPut += changes.reduce(0) { $0 + $1.added.entries.count }
      if isRewritten { count.treesRewritten += 1 }
    }
  }

  // MARK: - Links

  private mutating func writeLinks(
    _ changes: [PropertyNumber: SavePlan.LinkEntryChanges], _ emptied: EmptiedEntities?
  ) throws {
    let sorted = changes.sorted { $0.key < $1.key }
    for (number, changes) in sorted where !changes.removed.isEmpty {
      guard let tree = trees.entries(of: number) else { continue }
      if let emptied, emptied.empties(tree) { continue }
      for link in changes.removed {
        let wasThere = try EntryKey.withLink(number, link.owner, link.target) {
          try transaction.delete($0, in: tree)
        }
        if wasThere { count.entriesDeleted += 1 }
      }
    }
    for (number, changes) in sorted where !changes.added.isEmpty {
      guard let tree = trees.entries(of: number) else { continue }
      var cursor = try transaction.writeCursor(in: tree)
      for link in changes.added {
        try EntryKey.withLink(number, link.owner, link.target) { key in
          try withUnsafeBytes(of: link.position.littleEndian) { position in
            try cursor.put(
              key, link.position == 0 ? UnsafeRawBufferPointer(rebasing: position[..<0]) : position)
          }
        }
        count.entriesPut += 1
      }
    }
  }
}
