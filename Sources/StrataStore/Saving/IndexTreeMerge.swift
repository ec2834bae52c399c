// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataPrimitives
import StrataRecord

/// Puts entries into the indexes of one tree, and takes entries out of them, by writing the whole tree
/// anew: what `PostingWriter` does one search at a time.
///
/// ```
///  the tree, from its first block ──┐
///                                   ├──► blocks in their order (TreeImage) ──► the tree, appended
///  what comes and goes, in order ───┘
/// ```
///
/// A block is copied as it is unless something of its value comes or goes. All objects of such a value
/// are cut into blocks again, which are full.
///
/// It is worth it where a large part of the blocks changes (`isWorthwhile`): in a save that sets an indexed
/// attribute of all objects, each with a value of its own, it takes a quarter of the instructions.
///
/// ## Isolation
/// The writer thread. Nothing else writes to the tree meanwhile.
struct IndexTreeMerge: ~Copyable {
  typealias Changes = (number: PropertyNumber, changes: SavePlan.IndexChanges)

  /// The tree is not what it should be. Then it is left to `PostingWriter` to find out whether what it has
  /// to change is sound, and to name what is not.
  private struct Disorder: Error {}

  private var cursor: Cursor
  /// Whether the cursor is on a block that has not been taken.
  private var isOnBlock: Bool
  private let image = TreeImage()
  /// The block that is being made; its number and value are those of the open list.
  private var block = PostingBlock(PropertyNumber(rawValue: 0))
  /// Whether `block` has objects.
  private var isMaking = false
  private var isListOpen = false
  /// The next object that the tree has in the open list.
  private var former: UInt64?
  /// Walks the block that the cursor is on, up to `former`.
  private var reader = Postings.Reader(from: 0, UnsafeRawBufferPointer(start: nil, count: 0))
  private var removedCount = 0

  // MARK: - Whether and what

  /// Fewer changes are never worth a look at a whole tree.
  static let changeCountMin = 64

  /// Whether so much of a tree changes that it is cheaper to write it anew: its blocks are walked and
  /// appended at a quarter of what it costs to search for one and change it.
  ///
  /// What only adds is added one by one: values that come last, as dates and counters do, need no search.
  ///
  /// - Parameters:
  ///   - changes: those of all indexes in the tree.
  ///   - statistics: of the tree.
  static func isWorthwhile(_ changes: [Changes], _ statistics: TreeStatistics) -> Bool {
    if statistics.entryCount == 0 || statistics.overflowPageCount > 0 { return false }
    var (removedCount, changeCount, listCount) = (0, 0, 0)
    for (_, changes) in changes {
      removedCount += changes.removed.entries.count
      changeCount += changes.removed.entries.count + changes.added.entries.count
    }
    if removedCount == 0 { return false }
    if changeCount < changeCountMin || changeCount * 2 < statistics.entryCount { return false }
    // Objects of one value share blocks, which are changed once for all.
    for (_, changes) in changes {
      listCount += changes.removed.listCountEstimate + changes.added.listCountEstimate
    }
    return listCount * 2 >= statistics.entryCount
  }

  /// Writes `tree` anew with all changes of its indexes.
  ///
  /// - Parameter changes: ascending by number.
  /// - Returns: how many entries were there of those that go; nil if the tree is not in order: nothing
  ///   has changed then.
  /// - Throws: `StoreError.damaged`, `LMDBError`.
  static func apply(
    _ changes: [Changes], to tree: Tree, of transaction: WriteTransaction, _ trees: Trees
  ) throws -> Int? {
    guard let (image, removedCount) = try merge(changes, with: tree, of: transaction) else {
      return nil
    }
    guard try image.write(into: tree, of: transaction) else {
      throw StoreError.damaged(
        tree: trees.name(of: tree), key: nil, reason: "the keys of an index are not in order")
    }
    return removedCount
  }

  private static func merge(
    _ changes: [Changes], with tree: Tree, of transaction: WriteTransaction
  ) throws -> (TreeImage, removedCount: Int)? {
    var cursor = try transaction.cursor(in: tree)
    let isOnBlock = try cursor.first()
    var merge = IndexTreeMerge(cursor, isOnBlock: isOnBlock)
    do {
      for (number, changes) in changes {
        try merge.begin(number)
        try IndexRun.forEachEntry(removed: changes.removed, added: changes.added) {
          isAdded, entry in
          try merge.take(entry, isAdded: isAdded)
        }
      }
      try merge.finish()
    } catch is Disorder {
      return nil
    }
    return (merge.image, merge.removedCount)
  }

  /// - Parameter isOnBlock: whether the cursor is on the tree's first block; there is none otherwise.
  private init(_ cursor: consuming Cursor, isOnBlock: Bool) {
    self.cursor = cursor
    self.isOnBlock = isOnBlock
  }

  // MARK: - Changes

  /// Goes on to an index with a higher number.
  private mutating func begin(_ number: PropertyNumber) throws {
    try closeList()
    block = PostingBlock(number)
  }

  /// Brings an entry into the image, or leaves it out. It is not below those before it.
  private mutating func take(_ entry: UnsafeRawBufferPointer, isAdded: Bool) throws {
    let key = Postings.object(ofKey: entry)
    let value = Postings.list(ofKey: entry)
    if !isListOpen || !block.isOf(value) { try openList(value) }
    while let object = former, object < key {
      put(object)
      try step()
    }
    if former == key {
      if !isAdded { removedCount += 1 }
      try step()
    }
    if isAdded { put(key) }
  }

  /// Takes what the tree has behind the last change.
  private mutating func finish() throws {
    try closeList()
    while isOnBlock { try copyBlock() }
  }

  // MARK: - Lists

  private mutating func openList(_ value: UnsafeRawBufferPointer) throws {
    try closeList()
    block.setValue(value)
    while isOnBlock, cursor.key.isBelow(block.list) { try copyBlock() }
    isListOpen = true
    openBlock()
  }

  private mutating func closeList() throws {
    guard isListOpen else { return }
    while let object = former {
      put(object)
      try step()
    }
    if isMaking { image.append(block.key, block.value) }
    (isListOpen, isMaking) = (false, false)
  }

  private mutating func put(_ object: UInt64) {
    if isMaking {
      if block.append(object) { return }
      image.append(block.key, block.value)
    }
    block.begin(object)
    isMaking = true
  }

  // MARK: - The tree

  private mutating func copyBlock() throws {
    image.append(cursor.key, cursor.value)
    try advance()
  }

  private mutating func advance() throws {
    let key = cursor.key
    isOnBlock = try cursor.next()
    if isOnBlock, !key.isBelow(cursor.key) { throw Disorder() }
  }

  /// Begins to read the block that the cursor is on, if it is of the open list.
  private mutating func openBlock() {
    guard isOnBlock, block.isOfSameList(cursor.key) else {
      former = nil
      return
    }
    let first = Postings.object(ofKey: cursor.key)
    reader = Postings.Reader(from: first, cursor.value)
    former = first
  }

  /// Goes on to the next object of the open list.
  private mutating func step() throws {
    do {
      if try reader.next() {
        former = reader.object
        return
      }
    } catch {
      throw Disorder()
    }
    let last = reader.object
    try advance()
    openBlock()
    if let former, former <= last { throw Disorder() }
  }
}

extension IndexRun {
  /// The most pairs of neighbours that are looked at.
  private static let sampleCountMax = 1_024

  /// About how many values the entries have, going by a sample of neighbours.
  fileprivate var listCountEstimate: Int {
    let pairCount = entries.count - 1
    if pairCount < 1 { return entries.count }
    let step = max(1, pairCount / Self.sampleCountMax)
    var (sampleCount, boundaryCount) = (0, 0)
    for place in stride(from: 0, to: pairCount, by: step) {
      sampleCount += 1
      let isSame = withBytes(at: place) { entry in
        withBytes(at: place + 1) {
          Postings.list(ofKey: entry).isEqual(to: Postings.list(ofKey: $0))
        }
      }
      if !isSame { boundaryCount += 1 }
    }
    return 1 + pairCount * boundaryCount / sampleCount
  }
}
