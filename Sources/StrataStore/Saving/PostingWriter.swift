// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataRecord

/// Puts entries into one index and takes entries out of it, in the order of their bytes.
///
/// It holds one block in memory: all that a save does to neighbours in it is written once.
///
/// ```
///   entry ──► open: the block that it belongs to ──► put, remove: in memory
///                 │ another value, or another block's object
///                 └──► close: what has changed is written, in as many blocks as it needs
/// ```
///
/// ## Invariants
/// - I1 `keys` ascend, none twice. All are below the next block of the same value.
/// - I2 While `isAtEnd`, no key of the tree is above what this has written.
///
/// ## Isolation
/// The writer thread. Nothing else writes to the tree meanwhile.
struct PostingWriter: ~Copyable {
  private var cursor: EditCursor
  private let treeName: String
  /// The number of the index, the value of the open block, and room for an object.
  private var head: [UInt8]
  /// The bytes of number and value.
  private var listByteCount = EntryKey.prefixByteCount
  private var isOpen = false
  /// The objects of the open block.
  private var keys: [UInt64] = []
  /// The object under which the block lies in the tree; nil for one that does not.
  private var stored: UInt64?
  /// The last object that the block has in the tree.
  private var storedLast: UInt64 = 0
  /// Whether the cursor is on the block.
  private var isAtStored = false
  /// The first object of the next block of the same value; nil if there is none. It is looked for when
  /// an object comes that is above all of the block.
  private var bound: UInt64?
  private var isBoundKnown = false
  private var hasChanged = false
  /// Whether an object came between others.
  private var hasGrownWithin = false
  private var isAtEnd = false
  private var bytes: [UInt8] = []

  init(
    _ number: PropertyNumber, in tree: Tree, of transaction: WriteTransaction, _ trees: Trees
  ) throws(LMDBError) {
    cursor = try transaction.editCursor(in: tree)
    treeName = trees.name(of: tree)
    head = EntryKey.prefix(number)
    let room = KeyEncoder.valueByteCountMax + KeyEncoder.objectKeyByteCount
    head.append(contentsOf: repeatElement(0, count: room))
  }

  // MARK: - Entries

  /// Puts an entry, which is above those before it; if it is there, nothing changes.
  ///
  /// - Parameter entry: value and object, without the number of the index.
  /// - Throws: `StoreError.damaged`, `LMDBError`; so do all.
  mutating func put(_ entry: UnsafeRawBufferPointer) throws {
    let key = try open(entry)
    if let last = keys.last, last >= key {
      let place = place(of: key)
      if keys[place] == key { return }
      keys.insert(key, at: place)
      hasGrownWithin = true
    } else {
      keys.append(key)
    }
    hasChanged = true
  }

  /// Takes an entry out, which is not below those before it.
  ///
  /// - Returns: whether it was there.
  mutating func remove(_ entry: UnsafeRawBufferPointer) throws -> Bool {
    let key = try open(entry)
    let place = place(of: key)
    guard place < keys.count, keys[place] == key else { return false }
    keys.remove(at: place)
    hasChanged = true
    return true
  }

  /// Writes what has not been written yet.
  mutating func finish() throws { try close() }

  /// Where `key` is among the keys of the block, or would be.
  private func place(of key: UInt64) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: - Opening

  /// Has the block be open that `entry` belongs to.
  /// - Returns: the entry's object.
  private mutating func open(_ entry: UnsafeRawBufferPointer) throws -> UInt64 {
    let key = Postings.object(ofKey: entry)
    let value = Postings.list(ofKey: entry)
    if isOpen, isOfOpenValue(value), try holds(key) { return key }
    try close()
    listByteCount = EntryKey.prefixByteCount + value.count
    head.withUnsafeMutableBytes { [listByteCount] head in
      UnsafeMutableRawBufferPointer(
        rebasing: head[EntryKey.prefixByteCount..<listByteCount]
      ).copyMemory(from: value)
    }
    try load(for: key)
    isOpen = true
    return key
  }

  private func isOfOpenValue(_ value: UnsafeRawBufferPointer) -> Bool {
    head.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: $0[EntryKey.prefixByteCount..<listByteCount])
        .isEqual(to: value)
    }
  }

  /// Whether the open block is the one for an object of its value.
  private mutating func holds(_ key: UInt64) throws -> Bool {
    if !isBoundKnown {
      if key <= storedLast { return true }
      isBoundKnown = true
      if storedLast < .max, try seek(storedLast + 1), isAtBlockOfValue() {
        bound = Postings.object(ofKey: cursor.key)
      }
    }
    return bound.map { key < $0 } ?? true
  }

  /// Reads the block that `key` belongs to: the last that begins at or below it, else the first.
  private mutating func load(for key: UInt64) throws {
    (stored, bound, isBoundKnown, isAtStored) = (nil, nil, true, false)
    keys.removeAll(keepingCapacity: true)
    (hasChanged, hasGrownWithin) = (false, false)
    // What was written before is of other values.
    if isAtEnd { return }
    if try seek(key) {
      let above = isAtBlockOfValue() ? Postings.object(ofKey: cursor.key) : nil
      if above != key {
        if try cursor.previous(), isAtBlockOfValue() {
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
      if try cursor.last(), isAtBlockOfValue() { try decode() }
    }
  }

  private mutating func seek(_ key: UInt64) throws -> Bool {
    isAtStored = false
    return try withKey(of: key) { cursor, key in try cursor.seek(atOrAbove: key) }
  }

  private func isAtBlockOfValue() -> Bool {
    let key = cursor.key
    guard key.count == listByteCount + KeyEncoder.objectKeyByteCount else { return false }
    return head.withUnsafeBytes {
      UnsafeRawBufferPointer(rebasing: $0[..<listByteCount]).isEqual(
        to: Postings.list(ofKey: key))
    }
  }

  /// Reads the block that the cursor is on.
  private mutating func decode() throws {
    let first = Postings.object(ofKey: cursor.key)
    stored = first
    isAtStored = true
    keys.append(first)
    var reader = Postings.Reader(from: first, cursor.value)
    do {
      while try reader.next() { keys.append(reader.object) }
    } catch {
      throw StoreError.damaged(tree: treeName, key: nil, reason: "a block of an index is broken")
    }
    storedLast = reader.object
  }

  // MARK: - Closing

  private mutating func close() throws {
    guard isOpen else { return }
    isOpen = false
    guard hasChanged else { return }
    if let stored, keys.first != stored {
      if isAtStored {
        try cursor.removeCurrent()
      } else {
        _ = try withKey(of: stored) { cursor, key in try cursor.remove(key) }
      }
    }
    guard var first = keys.first else { return }
    let limit = blockByteCount
    bytes.removeAll(keepingCapacity: true)
    for index in keys.indices.dropFirst() {
      let delta = keys[index] - keys[index - 1]
      if bytes.count + Postings.byteCount(of: delta) > limit {
        try write(first)
        bytes.removeAll(keepingCapacity: true)
        first = keys[index]
      } else {
        Postings.append(delta, to: &bytes)
      }
    }
    try write(first)
  }

  /// How many bytes the blocks get. New objects come at the end, mostly: there blocks stay full. One
  /// that has grown within is cut into equal parts, which have room for more.
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

  private mutating func write(_ first: UInt64) throws {
    let isLast = isAtEnd && first != stored
    try withKey(of: first) { [bytes] cursor, key in
      try bytes.withUnsafeBytes { try cursor.put(key, $0, isLast: isLast) }
    }
  }

  private mutating func withKey<Result>(
    of object: UInt64, _ body: (inout EditCursor, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    try head.withUnsafeMutableBytes { [listByteCount] head in
      head.storeBytes(of: object.bigEndian, toByteOffset: listByteCount, as: UInt64.self)
      let end = listByteCount + KeyEncoder.objectKeyByteCount
      return try body(&cursor, UnsafeRawBufferPointer(rebasing: head[..<end]))
    }
  }
}
