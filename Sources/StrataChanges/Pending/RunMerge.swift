// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// Merges the runs that segments have of one index, in steps of any length. Entries of objects that
/// a newer segment changes are left out.
///
/// The merged run shares the blocks of bytes. They are copied into a block of its own if they are
/// too many, or if most of their bytes belong to entries that were left out.
///
/// ## Isolation
/// A value of one owner.
struct RunMerge {
  /// Newest first.
  private let runs: [IndexRun]
  /// How far each run was taken.
  private var places: [Int]
  /// For each run, the changes of newer segments that may replace some of its entries.
  private let replacing: [[ChangeTable]]
  private var entries: [IndexRun.Entry] = []
  private var byteCount = 0
  private var blocks: [EntryBlock]
  /// The number of the first block of each run in the merged one.
  private let firstBlocks: [UInt16]
  /// The block into which bytes are copied; nil if the runs' blocks are shared.
  private var copy: EntryBlock?

  /// More blocks than these are made one.
  private static let blockCountMax = 32

  /// - Parameters:
  ///   - runs: newest first.
  ///   - tables: the changes of the segments that have them.
  ///   - keptCount: how many changes are left of those, of any kind.
  init(_ runs: [IndexRun], of tables: [ChangeTable], keptCount: Int) {
    let replacing = tables.indices.map { index in
      tables[..<index].filter { !$0.isApart(from: tables[index]) }
    }
    let all = runs.flatMap(\.blocks)
    let used = runs.reduce(0) { $0 + $1.byteCount }
    let kept = used * keptCount / max(tables.reduce(0) { $0 + $1.count }, 1)
    let isShared =
      all.count <= Self.blockCountMax && all.reduce(0) { $0 + $1.byteCount } <= 2 * kept
    self.init(runs, replacing, isShared: isShared)
  }

  /// - Parameter runs: without an entry in common, and not more than 65,536 blocks.
  init(joining runs: [IndexRun]) {
    self.init(runs, runs.map { _ in [] }, isShared: true)
  }

  private init(_ runs: [IndexRun], _ replacing: [[ChangeTable]], isShared: Bool) {
    self.runs = runs
    self.replacing = replacing
    places = Array(repeating: 0, count: runs.count)
    entries.reserveCapacity(runs.reduce(0) { $0 + $1.entries.count })
    let all = runs.flatMap(\.blocks)
    let used = runs.reduce(0) { $0 + $1.byteCount }
    copy =
      isShared ? nil : EntryBlock(capacity: min(used, IndexRunBuilder.blockByteCountMax))
    blocks = copy.map { [$0] } ?? all
    var first: UInt16 = 0
    firstBlocks = runs.map { run in
      defer { first += UInt16(isShared ? run.blocks.count : 0) }
      return first
    }
  }

  var isFinished: Bool { zip(places, runs).allSatisfy { $0 == $1.entries.count } }

  var finished: IndexRun { IndexRun(entries, blocks, byteCount: byteCount) }

  /// Takes or leaves out at most `budget` entries, and reduces it by their number.
  mutating func advance(_ budget: inout Int) {
    while budget > 0, let next = nextRun() {
      let entry = runs[next].entries[places[next]]
      places[next] += 1
      budget -= 1
      if replacing[next].contains(where: { $0.index(of: entry.object) != nil }) { continue }
      take(entry, of: next)
    }
  }

  /// The run that has the least entry.
  private func nextRun() -> Int? {
    var least: Int?
    for index in runs.indices where places[index] < runs[index].entries.count {
      guard let former = least else {
        least = index
        continue
      }
      if runs[index].precedes(places[index], runs[former], places[former]) { least = index }
    }
    return least
  }

  private mutating func take(_ entry: IndexRun.Entry, of run: Int) {
    byteCount += Int(entry.byteCount)
    guard let copy else {
      return entries.append(entry.moved(to: entry.offset, in: entry.block + firstBlocks[run]))
    }
    let offset = block(toCopyTo: copy).append(runs[run].bytes(of: entry))
    entries.append(entry.moved(to: offset, in: UInt16(blocks.count - 1)))
  }

  /// The block, or another one if it is full.
  @inline(__always)
  private mutating func block(toCopyTo block: EntryBlock) -> EntryBlock {
    if block.byteCount <= IndexRunBuilder.blockByteCountMax { return block }
    let next = EntryBlock(capacity: block.byteCount)
    copy = next
    blocks.append(next)
    return next
  }
}

extension IndexRun.Entry {
  /// The same entry with its bytes elsewhere.
  fileprivate func moved(to offset: UInt32, in block: UInt16) -> IndexRun.Entry {
    IndexRun.Entry(
      head: head, object: object, offset: offset, byteCount: byteCount, block: block)
  }
}
