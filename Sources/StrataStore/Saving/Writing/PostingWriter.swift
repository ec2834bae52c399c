// SPDX-License-Identifier: Apache-2.0
package import StrataLMDB
import StrataPrimitives
package import StrataRecord

/// Adds entries to one index and removes entries from it, in the order of their bytes.
///
/// It holds one block in memory: all changes of a save to neighbours in it are written once. Behind
/// the end of the tree there is nothing to read or change, so each block is built in one pass
/// there.
///
/// ```
///   entry ──► open: the block that it belongs to ──► put, remove: in memory
///     │             │ another value, or another block's object
///     │             └──► close: changes are written, in as many blocks as they need
///     └── behind the tree's end ──► append: to the block that is built, or to the next
/// ```
///
/// ## Invariants
/// - I1 `keys` ascend without repetition. All are below the next block of the same value.
/// - I2 While `isAtEnd`, no key of the tree is above the last key that this writer wrote.
///
/// ## Isolation
/// The writer thread. Nothing else writes to the tree at the same time.
package struct PostingWriter: ~Copyable {
  private var editor: EditCursor
  private let treeName: String
  /// The block that is being made. Its value is the open one.
  private var block: PostingBlock
  private var isOpen = false
  /// The objects of the open block.
  private var keys: [UInt64] = []
  /// The object in the block's stored key; nil for a block that is not stored yet.
  private var stored: UInt64?
  /// The last object that the block has in the tree.
  private var storedLast: UInt64 = 0
  /// Whether the cursor is on the block.
  private var isAtStored = false
  /// The first object of the next block of the same value, or nil. The search for it is made when
  /// an added object is above all objects of the block.
  private var bound: UInt64?
  private var isBoundKnown = false
  private var hasChanged = false
  /// Whether an object came between others.
  private var hasGrownWithin = false
  private var isAtEnd = false
  /// Whether `block` holds objects that are above all keys of the tree and not in it yet.
  private var isAppending = false

  package init(
    _ number: PropertyNumber, in tree: Tree, named treeName: String,
    of transaction: WriteTransaction
  ) throws(LMDBError) {
    editor = try transaction.editCursor(in: tree)
    self.treeName = treeName
    block = PostingBlock(number)
  }

  // MARK: - Entries

  /// Adds an entry, which is above all entries before it. If it is there, nothing changes.
  ///
  /// - Parameter entry: value and object, without the number of the index.
  /// - Throws: `StoreError.damaged`, `LMDBError`, as all methods do.
  package mutating func put(_ entry: UnsafeRawBufferPointer) throws {
    let (value, key) = (Postings.list(ofKey: entry), Postings.object(ofKey: entry))
    if isAppending { return try append(value, key) }
    try open(value, key)
    if isAtEnd, stored == nil {
      isAppending = true
      return block.begin(key)
    }
    if let last = keys.last, last >= key {
      let place = keys.partitioningIndex { $0 >= key }
      if keys[place] == key { return }
      keys.insert(key, at: place)
      hasGrownWithin = true
    } else {
      keys.append(key)
    }
    hasChanged = true
  }

  /// Removes an entry, which is not below the entries before it.
  ///
  /// - Returns: whether it was there.
  package mutating func remove(_ entry: UnsafeRawBufferPointer) throws -> Bool {
    if isAppending { return false }
    let key = Postings.object(ofKey: entry)
    try open(Postings.list(ofKey: entry), key)
    let place = keys.partitioningIndex { $0 >= key }
    guard place < keys.count, keys[place] == key else { return false }
    keys.remove(at: place)
    hasChanged = true
    return true
  }

  /// Writes the changes that are not written yet.
  package mutating func finish() throws {
    if isAppending { try appendBlock() } else { try close() }
  }

  // MARK: - Behind the end

  private mutating func append(_ value: UnsafeRawBufferPointer, _ key: UInt64) throws {
    let isOfSameValue = block.isOf(value)
    if isOfSameValue, block.append(key) { return }
    try appendBlock()
    if !isOfSameValue { block.setValue(value) }
    block.begin(key)
  }

  private mutating func appendBlock() throws {
    guard try editor.append(block.key, block.value) else { throw damage(Self.disorder) }
  }

  // MARK: - Opening

  /// Opens the block that an entry belongs to.
  private mutating func open(_ value: UnsafeRawBufferPointer, _ key: UInt64) throws {
    if isOpen, block.isOf(value), try holds(key) { return }
    try close()
    block.setValue(value)
    try load(for: key)
    isOpen = true
  }

  /// Whether the open block is the one for an object of its value.
  private mutating func holds(_ key: UInt64) throws -> Bool {
    if !isBoundKnown {
      if key <= storedLast { return true }
      isBoundKnown = true
      if storedLast < .max, try seek(storedLast + 1), isAtBlockOfValue {
        bound = Postings.object(ofKey: editor.cursor.key)
      }
    }
    return bound.map { key < $0 } ?? true
  }

  /// Reads the block that `key` belongs to: the last that begins at or below it, else the first.
  private mutating func load(for key: UInt64) throws {
    (stored, bound, isBoundKnown, isAtStored) = (nil, nil, true, false)
    keys.removeAll(keepingCapacity: true)
    (hasChanged, hasGrownWithin) = (false, false)
    // The blocks before are of other values.
    if isAtEnd { return }
    if try seek(key) {
      let above = isAtBlockOfValue ? Postings.object(ofKey: editor.cursor.key) : nil
      if above != key {
        if try stepBack(), isAtBlockOfValue {
          try decode()
          bound = above
          return
        }
        guard above != nil, try seek(key) else { return }
      }
      try decode()
      isBoundKnown = false
    } else {
      isAtEnd = true
      if try editor.cursor.last(), isAtBlockOfValue { try decode() }
    }
  }

  private var isAtBlockOfValue: Bool { block.isOfSameList(editor.cursor.key) }

  // A damaged tree may return any entry. The result, or the tree's last key if nothing was found,
  // is compared with the searched key: otherwise entries would be stored where no reader looks for
  // them.

  /// Moves to the first block that is not below an object of the open value.
  /// - Returns: false if there is no such entry.
  private mutating func seek(_ key: UInt64) throws -> Bool {
    isAtStored = false
    block.begin(key)
    if try editor.cursor.seek(atOrAbove: block.key) {
      if editor.cursor.key.isBelow(block.key) { throw damage(Self.disorder) }
      return true
    }
    if try editor.cursor.last(), !editor.cursor.key.isBelow(block.key) {
      throw damage(Self.disorder)
    }
    return false
  }

  /// Moves to the block before the one that `seek` has found.
  /// - Returns: false if there is no such entry.
  private mutating func stepBack() throws -> Bool {
    guard try editor.cursor.previous() else { return false }
    guard editor.cursor.key.isBelow(block.key) else { throw damage(Self.disorder) }
    return true
  }

  /// Reads the block that the cursor is on.
  private mutating func decode() throws {
    let first = Postings.object(ofKey: editor.cursor.key)
    stored = first
    isAtStored = true
    do {
      try Postings.append(objectsOf: editor.cursor.key, editor.cursor.value, to: &keys)
    } catch {
      throw damage("a block of an index is broken")
    }
    storedLast = keys.last ?? first
  }

  private static let disorder = "the keys of an index are not in order"

  private func damage(_ reason: String) -> StoreError {
    .damaged(tree: treeName, key: nil, reason: reason)
  }

  // MARK: - Closing

  private mutating func close() throws {
    guard isOpen else { return }
    isOpen = false
    guard hasChanged else { return }
    if let stored, keys.first != stored {
      if isAtStored {
        try editor.removeCurrent()
      } else {
        block.begin(stored)
        try editor.remove(block.key)
      }
    }
    guard let first = keys.first else { return }
    let byteCount = blockByteCount
    block.begin(first)
    for key in keys.dropFirst() {
      if block.append(key, upTo: byteCount) { continue }
      try write()
      block.begin(key)
    }
    try write()
  }

  /// How many bytes the blocks get. Most new objects come at the end, where blocks stay full. A
  /// block that has grown within is cut into equal parts, which have room for more.
  private var blockByteCount: Int {
    guard hasGrownWithin, stored != nil else { return Postings.byteCountMax }
    var byteCount = 0
    for index in keys.indices.dropFirst() {
      byteCount += Postings.byteCount(of: keys[index] - keys[index - 1])
    }
    let count = (byteCount + Postings.byteCountMax - 1) / Postings.byteCountMax
    return count < 2
      ? Postings.byteCountMax : min(byteCount / count + 8, Postings.byteCountMax)
  }

  private mutating func write() throws {
    if isAtEnd, Postings.object(ofKey: block.key) != stored { return try appendBlock() }
    try editor.put(block.key, block.value)
  }
}
