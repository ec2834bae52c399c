// SPDX-License-Identifier: Apache-2.0

/// The words of a text in the form in which they are compared: without case, accents and points
/// (`TextFolding`), without soft hyphens and other format characters, with one kind of apostrophe,
/// and cut at 96 bytes. Two words with one form are the same word to every search and index.
package enum FoldedWords {
  /// The most bytes of a folded word. A longer word is cut between two scalars.
  package static var byteCountMax: Int { 96 }

  /// Whether a byte is a space or a control character. It separates words wherever it is: the words
  /// of a text are the words of its parts between such bytes.
  @inline(__always)
  package static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

  /// The number of words of a text: of the calls by `visit`. O(length).
  package static func count(in text: UnsafeRawBufferPointer) -> Int {
    var count = 0
    visit(text) { _, _ in
      count += 1
      return true
    }
    return count
  }

  /// Calls `body` with each word of a text, in order, until it returns false. O(length).
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - body: takes the folded word, which is valid during the call and not empty, and the bytes
  ///     of the word in the text.
  @inline(__always)
  package static func visit(
    _ text: UnsafeRawBufferPointer,
    _ body: (_ word: UnsafeRawBufferPointer, _ place: Range<Int>) -> Bool
  ) {
    withUnsafeTemporaryAllocation(byteCount: byteCountMax, alignment: 1) { memory in
      WordScanner.scan(text) { scanner in
        while let (place, isASCII) = scanner.next() {
          let count =
            isASCII ? fold(ascii: text, place, into: memory) : fold(text, place, into: memory)
          if count == 0 { continue }
          if !body(UnsafeRawBufferPointer(rebasing: memory[..<count]), place) { return }
        }
      }
    }
  }

  /// - Returns: the number of bytes of the folded word.
  @inline(__always)
  private static func fold(
    ascii text: UnsafeRawBufferPointer, _ place: Range<Int>,
    into memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    let count = min(place.count, byteCountMax)
    for offset in 0..<count {
      let byte = text[place.lowerBound + offset]
      let isUpper = byte &- UInt8(ascii: "A") < 26
      memory[offset] = isUpper ? byte | 0x20 : byte
    }
    return count
  }

  /// A long word is folded piece by piece, until the memory is full.
  @inline(never)
  private static func fold(
    _ text: UnsafeRawBufferPointer, _ place: Range<Int>, into memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    let word = String(decoding: UnsafeRawBufferPointer(rebasing: text[place]), as: UTF8.self)
    var rest = word.unicodeScalars[...]
    var count = 0
    while !rest.isEmpty {
      let end = endOfPiece(of: rest)
      let piece = TextFolding.folded(String(rest[..<end]), case: true, diacritics: true)
      for scalar in piece.unicodeScalars {
        if scalar.value >= 0x80, scalar.properties.generalCategory == .format { continue }
        let isApostrophe = scalar == "\u{2018}" || scalar == "\u{2019}" || scalar == "\u{FF07}"
        let bytes = UTF8.encode(isApostrophe ? "'" : scalar) ?? UTF8.encodedReplacementCharacter
        guard count + bytes.count <= byteCountMax else { return count }
        for byte in bytes {
          memory[count] = byte
          count += 1
        }
      }
      rest = rest[end...]
    }
    return count
  }

  /// Where a word can be cut so that its pieces fold to the pieces of the folded word: not before a
  /// mark. The decomposition of any other scalar does not begin with one either.
  private static func endOfPiece(
    of word: String.UnicodeScalarView.SubSequence
  ) -> String.UnicodeScalarView.Index {
    var end = word.index(word.startIndex, offsetBy: byteCountMax, limitedBy: word.endIndex)
    while let place = end, place < word.endIndex {
      switch word[place].properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark: end = word.index(after: place)
      default: return place
      }
    }
    return word.endIndex
  }
}
