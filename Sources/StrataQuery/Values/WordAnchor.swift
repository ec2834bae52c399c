// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// The word by which a part of a query is looked for in a text: the longest one of the part that is
/// ASCII.
///
/// Most bytes of a text cannot begin that word. They are passed over 8 at a time, and the text is
/// divided into words only around the others:
///
/// ```
///  part     "the lord god"            anchor   lord
///  text     … and unto ▏the Lord▕ GOD of hosts …
///                      from      then as many words as the part has behind the anchor
/// ```
///
/// ## Invariants
/// - I1 The anchor is in `part`, and all its bytes are ASCII.
struct WordAnchor: Sendable, Hashable {
  /// The words of the part.
  let part: Range<Int>
  /// The position of the anchor.
  let word: Int

  /// - Returns: nil if no word of the part is ASCII.
  init?(ofPart part: Range<Int>, _ words: [WordQuery.Word], _ bytes: [UInt8]) {
    let ascii = part.filter { place in
      let word = words[place]
      return bytes[word.offset..<(word.offset + word.byteCount)].allSatisfy { $0 < 0x80 }
    }
    guard let longest = ascii.max(by: { words[$0].byteCount < words[$1].byteCount }) else {
      return nil
    }
    self.part = part
    word = longest
  }

  /// The number of words before and behind the anchor.
  fileprivate var countBefore: Int { word - part.lowerBound }
  fileprivate var countBehind: Int { part.upperBound - 1 - word }
}

extension WordQuery {
  /// Whether the text has the anchor's part. O(length).
  ///
  /// A word that is ASCII in the text is in the query with its letters in lower case. So the anchor
  /// is where its bytes are, or it is a word with other bytes: each run between spaces that has
  /// some is looked at.
  ///
  /// - Parameter budget: how many bytes may be divided into words; reduced by those that were.
  /// - Returns: nil if the budget is used up: then it is faster to look at all words of the text.
  func finds(
    _ anchor: WordAnchor, in text: UnsafeRawBufferPointer, _ budget: inout Int
  ) -> Bool? {
    let wanted = words[anchor.word]
    return bytes.withUnsafeBytes { bytes in
      let word = UnsafeRawBufferPointer(
        rebasing: bytes[wanted.offset..<(wanted.offset + wanted.byteCount)])
      var position = 0
      while let place = text.firstIndex(ofLetter: word[0], from: position) {
        var last = place
        if text[place] < 0x80 {
          position = place + 1
          guard text.mayHave(word, isPrefix: wanted.isPrefix, at: place),
            mayBeBeside(anchor, in: text, place..<(place + word.count))
          else { continue }
        } else {
          while last < text.count, !FoldedWords.isSpace(text[last]) { last += 1 }
          position = last
        }
        let start = text.start(ofWords: anchor.countBefore, before: place)
        let (isFound, end) = finds(anchor, in: text, from: start, through: last)
        budget -= end - start
        if isFound { return true }
        if budget < 0 { return nil }
      }
      return false
    }
  }

  /// Whether the words beside the anchor may be the ones of its part, as far as their nearest bytes
  /// say: an ASCII letter or digit next to a space is the first or the last byte of a folded word.
  @inline(__always)
  private func mayBeBeside(
    _ anchor: WordAnchor, in text: UnsafeRawBufferPointer, _ place: Range<Int>
  ) -> Bool {
    let (start, end) = (place.lowerBound, place.upperBound)
    if anchor.countBehind > 0, end + 1 < text.count, FoldedWords.isSpace(text[end]),
      let first = text.foldedLetter(at: end + 1), first != bytes[words[anchor.word + 1].offset]
    {
      return false
    }
    if anchor.countBefore > 0, start > 1, FoldedWords.isSpace(text[start - 1]),
      let last = text.foldedLetter(at: start - 2)
    {
      let former = words[anchor.word - 1]
      // A word that is cut has another last byte.
      return former.byteCount > FoldedWords.byteCountMax / 2
        || last == bytes[former.offset + former.byteCount - 1]
    }
    return true
  }

  /// Whether a part is in the words from `start` on, with its anchor at or before `last`; and how
  /// far the text was read.
  private func finds(
    _ anchor: WordAnchor, in text: UnsafeRawBufferPointer, from start: Int, through last: Int
  ) -> (Bool, end: Int) {
    var isFound = false
    var end = text.count
    var behindCount = 0
    let rest = UnsafeRawBufferPointer(rebasing: text[start...])
    scan(rest, for: anchor.part) { _, completed, place in
      isFound = completed != 0
      if start + place.lowerBound > last { behindCount += 1 }
      guard isFound || behindCount > anchor.countBehind else { return true }
      end = start + place.upperBound
      return false
    }
    return (isFound, end)
  }
}

// MARK: - Bytes of a text

extension UnsafeRawBufferPointer {
  /// The index of the first byte from `position` on that is the letter, in upper or lower case, or
  /// that is not ASCII; nil if there is none. Some other ASCII bytes may pass for the letter.
  @inline(__always)
  fileprivate func firstIndex(ofLetter letter: UInt8, from position: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones << 7
    let lowerCase = ones << 5
    let letter = letter | 0x20
    let letters = UInt64(letter) &* ones
    var position = position
    while position + 8 <= count {
      let bytes = UInt64(littleEndian: loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let difference = (bytes | lowerCase) ^ letters
      // The high bit of each byte in which the difference is 0, and of each byte beyond ASCII. Of
      // these bits, a borrow can make wrong all but the lowest.
      let hits = ((difference &- ones) & ~difference | bytes) & highs
      if hits != 0 { return position + hits.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < count {
      if self[position] >= 0x80 || self[position] | 0x20 == letter { return position }
      position += 1
    }
    return nil
  }

  /// Whether the bytes at `place` are a word, or its beginning, that may begin and end there: the
  /// bytes around it decide only whether they continue it.
  @inline(__always)
  fileprivate func mayHave(_ word: UnsafeRawBufferPointer, isPrefix: Bool, at place: Int) -> Bool {
    let end = place + word.count
    if end > count || (place > 0 && Self.continuesWords(self[place - 1])) { return false }
    for offset in 0..<word.count {
      let byte = self[place + offset]
      let isUpper = byte &- UInt8(ascii: "A") < 26
      if (isUpper ? byte | 0x20 : byte) != word[offset] { return false }
    }
    // A longer word is another one, unless both are cut there.
    return isPrefix || word.count == FoldedWords.byteCountMax || end == count
      || !Self.continuesWords(self[end])
  }

  /// Where the words begin among which are the last `count` words before the one at `place`: behind
  /// a space.
  @inline(__always)
  fileprivate func start(ofWords count: Int, before place: Int) -> Int {
    var start = place
    var rest = count
    // The word at `place` is in the first run between spaces.
    var hasWord = true
    while start > 0 {
      if FoldedWords.isSpace(self[start - 1]) {
        if hasWord {
          if rest == 0 { return start }
          rest -= 1
          hasWord = false
        }
      } else if foldedLetter(at: start - 1) != nil {
        hasWord = true
      }
      start -= 1
    }
    return 0
  }

  /// The ASCII letter, in lower case, or the digit at `place`; nil if there is another byte.
  @inline(__always)
  fileprivate func foldedLetter(at place: Int) -> UInt8? {
    let byte = self[place]
    if (byte | 0x20) &- UInt8(ascii: "a") < 26 { return byte | 0x20 }
    return byte &- UInt8(ascii: "0") < 10 ? byte : nil
  }

  /// Whether a byte, an ASCII letter, a digit or the low line, belongs to a word, and to the same
  /// one as another such byte beside it.
  @inline(__always)
  private static func continuesWords(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
      || byte == UInt8(ascii: "_")
  }
}
