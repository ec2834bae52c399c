// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// A query for words in texts, as `contains(words:)` and `relevance(to:)` take it, for programs
/// that also need it without a store: to mark the places in a text that a search has found.
///
/// ```swift
/// let query = try WordQuery("swift sto* \"object store\"")
/// let marked = query.highlights(in: article.text)
/// ```
///
/// | in the query | finds texts with |
/// | --- | --- |
/// | `swift store` | both words, anywhere |
/// | `sto*` | a word that begins so |
/// | `"object store"` | these words one after the other |
/// | `"object sto*"` | the same, the last word by its beginning |
/// | `object-store` | as a phrase: one piece between spaces that is several words |
///
/// All parts must be found, in any order. Other operators are the predicate's: `&&`, `||`, `!`.
///
/// Words are between Unicode's default word boundaries, without differences of case, accents and
/// points, as for the options `[cd]` (`TextOptions`). The guide FullText has the details.
public struct WordQuery: Sendable, Hashable {
  /// The query as it was given.
  public let text: String
  /// The folded words of all parts, one after the other.
  let bytes: [UInt8]
  let words: [Word]
  /// The bits of the first and of the last words of the parts.
  private let firsts: UInt64
  private let lasts: UInt64
  /// For each part, the word by which it is looked for; empty if a part has no such word.
  private let anchors: [WordAnchor]

  /// A word of the query. Its bit is its position.
  struct Word: Sendable, Hashable {
    let offset: Int
    let byteCount: Int
    let isPrefix: Bool
  }

  /// The maximum number of words in a query.
  private static let wordCountMax = 64

  /// - Parameter text: the query.
  /// - Throws: `QueryError.invalidWords` if the query has no word, more than 64 words, an open
  ///   quotation mark, a phrase without words, or a star that is not at the end of a word.
  /// - Complexity: O(length).
  public init(_ text: String) throws(QueryError) {
    var bytes: [UInt8] = []
    var words: [Word] = []
    var (firsts, lasts): (UInt64, UInt64) = (0, 0)
    var anchors: [WordAnchor?] = []
    for piece in try Self.pieces(of: text) {
      let first = words.count
      try Self.append(piece, to: &words, &bytes)
      if words.count == first {
        if piece.isQuoted { throw .invalidWords(reason: "a phrase has no word") }
        continue
      }
      guard words.count <= Self.wordCountMax else {
        throw .invalidWords(reason: "it has more than \(Self.wordCountMax) words")
      }
      firsts |= 1 << UInt64(first)
      lasts |= 1 << UInt64(words.count - 1)
      anchors.append(WordAnchor(ofPart: first..<words.count, words, bytes))
    }
    if words.isEmpty { throw .invalidWords(reason: "it has no word") }
    self.text = text
    self.bytes = bytes
    self.words = words
    self.firsts = firsts
    self.lasts = lasts
    self.anchors = anchors.contains(nil) ? [] : anchors.compactMap { $0 }
  }

  // MARK: - Parsing

  /// A part of the query between spaces, or between quotation marks.
  private struct Piece {
    var text = ""
    var isQuoted = false
  }

  private static let misplacedStar = QueryError.invalidWords(
    reason: "a star is not at the end of a word")

  private static func pieces(of text: String) throws(QueryError) -> [Piece] {
    var pieces: [Piece] = []
    var piece = Piece()
    func isQuotationMark(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}"
    }
    for scalar in text.unicodeScalars {
      if isQuotationMark(scalar) {
        if piece.isQuoted || !piece.text.isEmpty { pieces.append(piece) }
        piece = Piece(isQuoted: !piece.isQuoted)
      } else if !piece.isQuoted, scalar.properties.isWhitespace {
        if !piece.text.isEmpty { pieces.append(piece) }
        piece = Piece()
      } else {
        piece.text.unicodeScalars.append(scalar)
      }
    }
    if piece.isQuoted { throw .invalidWords(reason: "a quotation mark is not closed") }
    if !piece.text.isEmpty { pieces.append(piece) }
    return pieces
  }

  /// Appends the words of a piece. The last one of a piece with a star is a prefix.
  private static func append(
    _ piece: Piece, to words: inout [Word], _ bytes: inout [UInt8]
  ) throws(QueryError) {
    let text = Array(piece.text.utf8)
    let star = text.firstIndex(of: UInt8(ascii: "*"))
    var lastEnd: Int?
    let first = words.count
    var added: [Word] = []
    text.withUnsafeBytes { text in
      FoldedWords.visit(text) { word, place in
        added.append(Word(offset: bytes.count, byteCount: word.count, isPrefix: false))
        bytes.append(contentsOf: word)
        lastEnd = place.upperBound
        return first + added.count <= wordCountMax
      }
    }
    if let star {
      let isAtEnd = text[(star + 1)...].allSatisfy { $0 == UInt8(ascii: " ") }
      guard star == lastEnd, isAtEnd, let last = added.popLast() else { throw misplacedStar }
      added.append(Word(offset: last.offset, byteCount: last.byteCount, isPrefix: true))
    }
    words += added
  }
}

extension WordQuery: CustomStringConvertible {
  public var description: String { text }
}

// MARK: - In an index

extension WordQuery {
  /// The folded words of all parts. A text that satisfies the query has each of them.
  var folded: [(word: [UInt8], isPrefix: Bool)] {
    words.map { (Array(bytes[$0.offset..<($0.offset + $0.byteCount)]), $0.isPrefix) }
  }

  /// Whether it is not enough that a text has all words.
  var hasPhrases: Bool { firsts != lasts }
}

// MARK: - In a text

extension WordQuery {
  /// Whether the text has all parts of the query.
  ///
  /// - Complexity: O(length).
  public func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The parts of a text that the query finds, in order, without overlaps: words, and whole phrases
  /// from their first to their last word. They are found whether or not the text has all that the
  /// query asks for.
  ///
  /// - Complexity: O(length).
  public func highlights(in text: String) -> [Range<String.Index>] {
    var text = text
    let found = text.withUTF8 { places(inBytes: UnsafeRawBufferPointer($0)) }
    return found.map { place in
      let start = text.utf8.index(text.startIndex, offsetBy: place.lowerBound)
      return start..<text.utf8.index(text.startIndex, offsetBy: place.upperBound)
    }
  }

  func matches(bytes text: UnsafeRawBufferPointer) -> Bool {
    if anchors.isEmpty { return hasAllParts(text) }
    var budget = text.count
    for anchor in anchors {
      guard let isFound = finds(anchor, in: text, &budget) else { return hasAllParts(text) }
      if !isFound { return false }
    }
    return true
  }

  /// Whether the text has all parts, by a look at each of its words.
  private func hasAllParts(_ text: UnsafeRawBufferPointer) -> Bool {
    var found: UInt64 = 0
    scan(text) { _, completed, _ in
      found |= completed
      return found != lasts
    }
    return found == lasts
  }

  private func places(inBytes text: UnsafeRawBufferPointer) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var starts: [Int] = []
    scan(text) { _, completed, place in
      starts.append(place.lowerBound)
      var rest = completed
      while rest != 0 {
        let last = rest.trailingZeroBitCount
        rest &= rest - 1
        // The part begins at the highest first bit that is not above its last one.
        let first = 63 - (firsts & (UInt64.max >> UInt64(63 - last))).leadingZeroBitCount
        found.append(starts[starts.count - 1 - (last - first)]..<place.upperBound)
      }
      return true
    }
    found.sort { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    return found.reduce(into: []) { joined, place in
      if let last = joined.last, place.lowerBound < last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
      } else {
        joined.append(place)
      }
    }
  }

  /// How often each word of the query is in a text, and how many words the text has. O(length).
  ///
  /// - Parameter counts: has a place for each word of the query.
  func count(in text: UnsafeRawBufferPointer, _ counts: inout [Int]) -> Int {
    for place in counts.indices { counts[place] = 0 }
    var length = 0
    scan(text) { matched, _, _ in
      length += 1
      var rest = matched
      while rest != 0 {
        counts[rest.trailingZeroBitCount] += 1
        rest &= rest - 1
      }
      return true
    }
    return length
  }

  /// Calls `body` for each word of a text with the words of the query that it is, and with the last
  /// words of the parts that it completes, as bits.
  ///
  /// The parts that have begun are one number, in which each word of the text moves the bits by one
  /// (Baeza-Yates and Gonnet, "A New Approach to Text Searching", 1992).
  ///
  /// - Parameter wanted: the words of the query to look for; nil for all.
  @inline(__always)
  func scan(
    _ text: UnsafeRawBufferPointer, for wanted: Range<Int>? = nil,
    _ body: (_ matched: UInt64, _ completed: UInt64, _ place: Range<Int>) -> Bool
  ) {
    bytes.withUnsafeBytes { bytes in
      words.withUnsafeBufferPointer { words in
        var state: UInt64 = 0
        let wanted = wanted ?? 0..<words.count
        FoldedWords.visit(text) { word, place in
          var matched: UInt64 = 0
          for position in wanted {
            let known = words[position]
            let isFit =
              known.isPrefix ? known.byteCount <= word.count : known.byteCount == word.count
            if isFit, word[0] == bytes[known.offset],
              word.prefix(known.byteCount).elementsEqual(
                bytes[known.offset..<(known.offset + known.byteCount)])
            {
              matched |= 1 << UInt64(position)
            }
          }
          state = (state << 1 | firsts) & matched
          return body(matched, state & lasts, place)
        }
      }
    }
  }
}
