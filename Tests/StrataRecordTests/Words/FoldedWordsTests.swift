// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataRecord
import StrataTestSupport
import Testing

private func words(_ text: String) -> [String] {
  var found: [String] = []
  var text = text
  text.withUTF8 { bytes in
    FoldedWords.visit(UnsafeRawBufferPointer(bytes)) { word, _ in
      found.append(String(decoding: word, as: UTF8.self))
      return true
    }
  }
  return found
}

private func places(_ text: String) -> [String] {
  var found: [String] = []
  var text = text
  text.withUTF8 { bytes in
    FoldedWords.visit(UnsafeRawBufferPointer(bytes)) { _, place in
      found.append(String(decoding: bytes[place], as: UTF8.self))
      return true
    }
  }
  return found
}

@Suite struct `The words of a text` {
  /// Examples of Unicode's Annex 29, section 4.
  @Test func `end where Unicode ends them`() {
    #expect(
      places("The quick (\u{201C}brown\u{201D}) fox can\u{2019}t jump 32.3 feet, right?") == [
        "The", "quick", "brown", "fox", "can\u{2019}t", "jump", "32.3", "feet", "right",
      ])
    #expect(
      places("3,456.78 a.b c. .d e:f 1:2 x_y _ __") == [
        "3,456.78", "a.b", "c", "d", "e:f", "1", "2", "x_y",
      ])
    #expect(
      places("A3 3a 'quoted' it''s 1' O'Neill-Smith") == [
        "A3", "3a", "quoted", "it", "s", "1", "O'Neill", "Smith",
      ])
  }

  @Test func `are single characters where a script has no spaces`() {
    #expect(places("東京へ") == ["東", "京", "へ"])
    #expect(places("カタカナ語") == ["カタカナ", "語"])
    #expect(places("ไทย") == ["ไ", "ท", "ย"])
    #expect(places("한국어 글") == ["한국어", "글"])
  }

  @Test func `keep the marks of their letters`() {
    #expect(places("e\u{301}te\u{301} x") == ["e\u{301}te\u{301}", "x"])
    #expect(places("שָׁלוֹם हिन्दी") == ["שָׁלוֹם", "हिन्दी"])
  }

  @Test func `are folded`() {
    #expect(words("ÉTÉ été e\u{301}te\u{301}") == ["ete", "ete", "ete"])
    #expect(
      words("Straße STRASSE ΣΊΣΥΦΟΣ σίσυφος") == ["strasse", "strasse", "σισυφοσ", "σισυφοσ"])
    #expect(words("can\u{2019}t can't co\u{AD}op") == ["can't", "can't", "coop"])
    #expect(words("Ørsted łódź") == ["ørsted", "łodz"])
  }

  @Test func `are cut at 96 bytes, between characters`() {
    #expect(words(String(repeating: "A", count: 500)) == [String(repeating: "a", count: 96)])
    #expect(
      words("a" + String(repeating: "ж", count: 200)) == ["a" + String(repeating: "ж", count: 47)])
  }

  @Test func `of bytes that are no text are those of its readable parts`() {
    let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xC3, 0x20, 0xE3, 0x81, 0x63, 0xF0, 0x9F]
    var found: [String] = []
    bytes.withUnsafeBytes { bytes in
      FoldedWords.visit(bytes) { word, _ in
        found.append(String(decoding: word, as: UTF8.self))
        return true
      }
    }
    #expect(found == ["a", "b", "c"])
  }

  @Test func `are the same for texts of any bytes when they are read again from their places`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let scalars = Array("aZ09_.,:;' é\u{301}ß\u{2019}語カก𝒳\u{200D}\u{AD}\u{FF07}".unicodeScalars)
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text.append(scalars.randomElement(using: &random)!)
      }
      let whole = String(text)
      let again = places(whole).flatMap { words($0) }
      #expect(again == words(whole), "seed \(seed): \(whole.unicodeScalars.map(\.value))")
    }
  }
}

@Suite struct `The entries of a text in an index of words` {
  private func values(_ text: String) -> [[UInt8]] {
    var words = TextWords()
    // Another text before: nothing of it remains.
    for text in ["former text of more words than that", text] {
      var text = text
      text.withUTF8 { words.read(UnsafeRawBufferPointer($0)) }
    }
    var values: [[UInt8]] = []
    words.forEachValue { values.append(Array($0)) }
    return values
  }

  /// The examples of Docs/FileFormat.md, "Words".
  @Test func `are its length and each of its words once`() {
    #expect(
      values("An object, an OBJECT, a store") == [
        [0, 0x81, 6], [0x61, 0x6E, 1], [0x6F, 0x62, 0x6A, 0x65, 0x63, 0x74, 1], [0x61, 1],
        [0x73, 0x74, 0x6F, 0x72, 0x65, 1],
      ])
    #expect(values("") == [[0, 0x80]])
  }

  @Test func `are as many as it has different words, however many these are`() {
    let text = (0..<5_000).map { "w\($0 % 1_700)" }.joined(separator: " ")
    let values = values(text)
    #expect(values.count == 1_701 && Set(values).count == 1_701)
    #expect(values[0].withUnsafeBytes { WordKey.length(of: $0) } == 5_000)
  }

  /// A long word is folded in pieces.
  @Test func `is the beginning of the whole word folded, if it is long`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let scalars: [Unicode.Scalar] = [
      "\u{301}", "\u{323}", "\u{200D}", "\u{AD}", "\u{93E}", "\u{5B0}", "\u{F73}", "\u{F71}",
      "\u{2019}", "ẞ", "\u{1F82}", "\u{FB03}", "a", "Z", "é", "か", "ガ", "\u{1100}", "\u{1161}",
      "क", "א",
    ]
    for _ in 0..<5_000 {
      // Marks come in runs that are longer than a piece.
      let bound = Bool.random(using: &random) ? 8 : scalars.count
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...400, using: &random) {
        let isAny = Int.random(in: 0..<8, using: &random) == 0
        text.append(
          scalars[Int.random(in: 0..<(isAny ? scalars.count : bound), using: &random)])
      }
      for place in places(String(text)) {
        var expected: [UInt8] = []
        for scalar in TextFolding.folded(place, case: true, diacritics: true).unicodeScalars
        where scalar.properties.generalCategory != .format {
          let bytes = String(scalar == "\u{2019}" ? "'" : scalar).utf8
          if expected.count + bytes.count > FoldedWords.byteCountMax { break }
          expected += bytes
        }
        if expected.isEmpty { continue }
        #expect(
          words(place).first.map { Array($0.utf8) } == expected, "seed \(seed)")
      }
    }
  }

  /// The cuts between pieces rest on this.
  @Test func `may be cut before any scalar that is no mark`() {
    for value in UInt32(0x300)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark, .unassigned, .privateUse: continue
      default: break
      }
      let first = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first
      #expect(first?.properties.canonicalCombiningClass == .notReordered)
    }
  }
}
