// SPDX-License-Identifier: Apache-2.0

/// The different words of one text, and how many words it has: the values of the entries that an
/// index of words has for an object.
///
/// Reading the next text reuses the memory.
///
/// ## Invariants
/// - I1 No two words are equal.
/// - I2 Each word has a place in `table`, which is at most half full.
package struct TextWords {
  /// A word: where its value begins in `bytes`, and the hash of the word.
  private struct Word {
    /// The offset times 256, plus the number of bytes: the values may have more than 4 GiB.
    private let place: UInt64
    let hash: UInt64

    var offset: Int { Int(place >> 8) }
    var byteCount: Int { Int(place & 0xFF) }

    init(offset: Int, byteCount: Int, hash: UInt64) {
      place = UInt64(offset) << 8 | UInt64(byteCount)
      self.hash = hash
    }
  }

  /// The values, one after the other.
  private var bytes: [UInt8] = []
  private var words: [Word] = []
  /// The words by their hashes: their positions in `words` plus 1; 0 for none.
  private var table: [UInt32] = []
  /// How many words the text has, repeated ones included.
  package private(set) var length = 0

  package init() {}

  /// How many different words the text has.
  package var count: Int { words.count }

  /// Takes the words of a text in the place of the former ones. O(length).
  ///
  /// - Parameter text: UTF-8.
  package mutating func read(_ text: UnsafeRawBufferPointer) {
    bytes.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    length = 0
    resetTable(64)
    FoldedWords.visit(text) { word, _ in
      length += 1
      insert(word)
      return true
    }
  }

  private mutating func insert(_ word: UnsafeRawBufferPointer) {
    // Seeded by the process: with a known hash, a text could be made all of whose words collide.
    var hasher = Hasher()
    hasher.combine(bytes: word)
    let hash = UInt64(bitPattern: Int64(hasher.finalize()))
    let place = place(of: word, hash)
    if table[place] != 0 { return }
    words.append(Word(offset: bytes.count, byteCount: word.count + 1, hash: hash))
    bytes.append(contentsOf: word)
    bytes.append(WordKey.end)
    table[place] = UInt32(words.count)
    if words.count * 2 > table.count { grow() }
  }

  /// The place of a word in the table, or the empty place where it belongs.
  private func place(of word: UnsafeRawBufferPointer, _ hash: UInt64) -> Int {
    let mask = table.count - 1
    var place = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
    while table[place] != 0 {
      let known = words[Int(table[place]) - 1]
      if known.hash == hash, known.byteCount == word.count + 1,
        bytes[known.offset..<(known.offset + word.count)].elementsEqual(word)
      {
        return place
      }
      place = (place + 1) & mask
    }
    return place
  }

  private mutating func grow() {
    resetTable(table.count * 2)
    let mask = table.count - 1
    for (position, word) in words.enumerated() {
      var place = Int(truncatingIfNeeded: word.hash ^ word.hash >> 32) & mask
      while table[place] != 0 { place = (place + 1) & mask }
      table[place] = UInt32(position + 1)
    }
  }

  private mutating func resetTable(_ count: Int) {
    table.removeAll(keepingCapacity: true)
    table.append(contentsOf: repeatElement(0, count: count))
  }

  /// Calls `body` with the value of each entry that an index of words has for the text: its words,
  /// and its length.
  package func forEachValue(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    var length: [UInt8] = []
    WordKey.append(length: self.length, to: &length)
    try length.withUnsafeBytes(body)
    try bytes.withUnsafeBytes { bytes in
      for word in words {
        let end = word.offset + word.byteCount
        try body(UnsafeRawBufferPointer(rebasing: bytes[word.offset..<end]))
      }
    }
  }
}
