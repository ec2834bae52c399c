// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataPrimitives
import StrataRecord

/// Adds entries to the indexes of one tree and removes entries from them by rewriting the whole
/// tree. `PostingWriter` does the same with one search per entry.
///
/// ```
///  the tree, from its first block ──┐
///                                   ├──► blocks in their order (TreeImage) ──► the tree, appended
///  added and removed, in order  ────┘
/// ```
///
/// A block is copied unchanged unless entries of its value are added or removed. All objects of a
/// changed value are divided into full blocks again.
///
/// ## Isolation
/// The writer thread. Nothing else writes to the tree at the same time.
struct IndexTreeMerge: ~Copyable {
  private var cursor: Cursor
  /// Whether the cursor is on a block that has not been taken.
  private var isOnBlock: Bool
  private let image = TreeImage()
  /// The block under construction; it has the number and the value of the open list.
  private var block = PostingBlock(PropertyNumber(rawValue: 0))
  private var isListOpen = false
  /// The objects that the tree has in the open list, and how many of them have been taken.
  private var former: [UInt64] = []
  private var takenCount = 0
  /// The objects that the open list is to have.
  private var objects: [UInt64] = []
  private var removedCount = 0

  // MARK: - The whole

  /// The content of a tree after all changes of its indexes.
  ///
  /// - Parameter changes: ascending by number.
  /// - Returns: also the number of removed entries that existed; nil if the tree is not in order.
  ///   Then `PostingWriter` makes the changes: it finds out whether the blocks that it changes are
  ///   sound, and names those that are not.
  /// - Throws: `LMDBError`.
  static func merge(
    _ changes: [IndexChanges], with tree: Tree, of transaction: WriteTransaction
  ) throws -> (image: TreeImage, removedCount: Int)? {
    var cursor = try transaction.cursor(in: tree)
    let isOnBlock = try cursor.first()
    var merge = IndexTreeMerge(cursor, isOnBlock: isOnBlock)
    do {
      for changes in changes {
        merge.begin(changes.number)
        try IndexRun.forEachEntry(removed: changes.removed, added: changes.added) {
          isAdded, entry in
          try merge.take(entry, isAdded: isAdded)
        }
      }
      try merge.finish()
    } catch is Postings.Damage {
      return nil
    }
    return (merge.image, merge.removedCount)
  }

  /// - Parameter isOnBlock: whether the cursor is on the tree's first block; there is none
  ///   otherwise.
  private init(_ cursor: consuming Cursor, isOnBlock: Bool) {
    self.cursor = cursor
    self.isOnBlock = isOnBlock
  }

  // MARK: - Changes

  /// Goes on to an index with a higher number.
  private mutating func begin(_ number: PropertyNumber) {
    closeList()
    block = PostingBlock(number)
  }

  /// Brings an entry into the image, or leaves it out. It is not below those before it.
  private mutating func take(_ entry: UnsafeRawBufferPointer, isAdded: Bool) throws {
    let key = Postings.object(ofKey: entry)
    let value = Postings.list(ofKey: entry)
    if !isListOpen || !block.isOf(value) { try openList(value) }
    while takenCount < former.count, former[takenCount] < key {
      objects.append(former[takenCount])
      takenCount += 1
    }
    if takenCount < former.count, former[takenCount] == key {
      if !isAdded { removedCount += 1 }
      takenCount += 1
    }
    if isAdded { objects.append(key) }
  }

  /// Takes the tree's blocks behind the last change.
  private mutating func finish() throws {
    closeList()
    while isOnBlock { try copyBlock() }
  }

  // MARK: - Lists

  private mutating func openList(_ value: UnsafeRawBufferPointer) throws {
    closeList()
    block.setValue(value)
    isListOpen = true
    while isOnBlock, cursor.key.isBelow(block.list) { try copyBlock() }
    while isOnBlock, block.isOfSameList(cursor.key) {
      let count = former.count
      try Postings.append(objectsOf: cursor.key, cursor.value, to: &former)
      if count > 0, former[count] <= former[count - 1] { throw Postings.Damage() }
      try advance()
    }
  }

  private mutating func closeList() {
    guard isListOpen else { return }
    objects += former[takenCount...]
    if let first = objects.first { block.begin(first) }
    for object in objects.dropFirst() {
      if block.append(object) { continue }
      image.append(block.key, block.value)
      block.begin(object)
    }
    if !objects.isEmpty { image.append(block.key, block.value) }
    former.removeAll(keepingCapacity: true)
    objects.removeAll(keepingCapacity: true)
    (isListOpen, takenCount) = (false, 0)
  }

  // MARK: - The tree

  private mutating func copyBlock() throws {
    image.append(cursor.key, cursor.value)
    try advance()
  }

  private mutating func advance() throws {
    let key = cursor.key
    isOnBlock = try cursor.next()
    if isOnBlock, !key.isBelow(cursor.key) { throw Postings.Damage() }
  }
}

extension IndexRun {
  /// The most pairs of neighbours that are looked at.
  private static let sampleCountMax = 1_024

  /// About how many values the entries have, going by a sample of neighbours.
  var listCountEstimate: Int {
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
