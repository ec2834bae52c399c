// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
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
/// ## Isolation
/// The writer thread. Nothing else writes to the tree meanwhile.
struct IndexTreeMerge: ~Copyable {
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

  // MARK: - The whole

  /// What a tree is to hold after all changes of its indexes.
  ///
  /// - Parameter changes: ascending by number.
  /// - Returns: also how many entries were there of those that go; nil if the tree is not in order.
  /// - Throws: `LMDBError`.
  static func merge(
    _ changes: [IndexChanges], with tree: Tree, of transaction: WriteTransaction
  ) throws -> (image: TreeImage, removedCount: Int)? {
    var cursor = try transaction.cursor(in: tree)
    let isOnBlock = try cursor.first()
    var merge = IndexTreeMerge(cursor, isOnBlock: isOnBlock)
    do {
      for changes in changes {
        try merge.begin(changes.number)
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
