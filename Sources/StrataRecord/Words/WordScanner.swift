// SPDX-License-Identifier: Apache-2.0

/// Finds the words of a text by the default word boundaries of Unicode (Annex 29, "Default Word
/// Boundary Specification", rules WB4 to WB13b): "can't", "3.14" and "object_store" are one word
/// each, "object-store" is two. `WordClass` has the deviations.
///
/// The scanner reads UTF-8. Bytes that are none separate words.
///
/// ## Lifetime
/// The text is borrowed, and is there as long as the scanner.
struct WordScanner {
  private let text: UnsafeRawBufferPointer
  private let ascii: UnsafePointer<WordClass>
  /// Where the search goes on.
  private var position = 0

  /// Calls `body` with a scanner of `text`.
  static func scan<R>(
    _ text: UnsafeRawBufferPointer, _ body: (inout WordScanner) throws -> R
  ) rethrows -> R {
    try WordClass.ascii.withUnsafeBufferPointer { ascii in
      var scanner = WordScanner(text: text, ascii: ascii.baseAddress!)
      return try body(&scanner)
    }
  }

  private init(text: UnsafeRawBufferPointer, ascii: UnsafePointer<WordClass>) {
    self.text = text
    self.ascii = ascii
  }

  /// The bytes of the next word, and whether all of them are ASCII; nil at the end of the text.
  mutating func next() -> (range: Range<Int>, isASCII: Bool)? {
    while position < text.count {
      let start = position
      var highest = text[start]
      let (first, width) = look(at: position)
      position += width
      switch first {
      case .letter, .numeric, .katakana, .connector:
        if goOn(after: first, &highest) { return (start..<position, highest < 0x80) }
      case .single:
        skipExtending(&highest)
        return (start..<position, false)
      default: continue
      }
    }
    return nil
  }

  /// Passes over the rest of a word.
  ///
  /// - Returns: whether it is a word: it consists of more than connectors.
  private mutating func goOn(after first: WordClass, _ highest: inout UInt8) -> Bool {
    var last = first
    var isWord = first != .connector
    while position < text.count {
      if last == .letter {
        while position < text.count, Self.isASCIILetter(text[position]) { position += 1 }
        if position == text.count { return true }
      }
      let (next, width) = look(at: position)
      switch (last, next) {
      case (_, .extending): break
      case (.letter, .letter), (.letter, .numeric), (.numeric, .letter), (.numeric, .numeric),
        (.katakana, .katakana), (.connector, .letter), (.connector, .numeric),
        (.connector, .katakana):
        last = next
        isWord = true
      case (_, .connector): last = next
      case (.letter, .midLetter), (.letter, .midBoth), (.numeric, .midNumber), (.numeric, .midBoth):
        guard let end = end(of: last, behind: position + width) else { return isWord }
        for byte in text[position..<end] { highest = max(highest, byte) }
        position = end
        continue
      default: return isWord
      }
      highest = max(highest, text[position])
      position += width
    }
    return isWord
  }

  @inline(__always)
  private static func isASCIILetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// The end of a scalar of class `wanted` at `start`, after marks; nil if there is another one.
  private func end(of wanted: WordClass, behind start: Int) -> Int? {
    var start = start
    while start < text.count {
      let (next, width) = look(at: start)
      if next == wanted { return start + width }
      guard next == .extending else { return nil }
      start += width
    }
    return nil
  }

  private mutating func skipExtending(_ highest: inout UInt8) {
    while position < text.count {
      let (next, width) = look(at: position)
      guard next == .extending else { return }
      highest = max(highest, text[position])
      position += width
    }
  }

  /// The class of the scalar at `position`, and the number of its bytes.
  @inline(__always)
  private func look(at position: Int) -> (WordClass, width: Int) {
    let lead = text[position]
    return lead < 0x80 ? (ascii[Int(lead)], 1) : lookBeyondASCII(at: position, lead)
  }

  private func lookBeyondASCII(at position: Int, _ lead: UInt8) -> (WordClass, width: Int) {
    let width = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard lead >= 0xC2, lead < 0xF5, position + width <= text.count else { return (.other, 1) }
    var value = UInt32(lead & (0x7F >> UInt8(width)))
    for byte in text[(position + 1)..<(position + width)] {
      guard byte & 0xC0 == 0x80 else { return (.other, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard let scalar = Unicode.Scalar(value) else { return (.other, 1) }
    return (WordClass(scalar), width)
  }
}
