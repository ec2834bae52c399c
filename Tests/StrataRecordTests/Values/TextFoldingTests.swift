// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataRecord
import Testing

private func folded(_ text: String, diacritics: Bool = false) -> String {
  TextFolding.folded(text, case: true, diacritics: diacritics)
}

/// Every scalar that has a case, with the texts that differ from it in nothing else: by Unicode's
/// tables, these are the classes of its case folding (CaseFolding.txt, C and F).
private let variants: [(scalar: Unicode.Scalar, texts: [String])] = (0 as UInt32..<0x110000)
  .compactMap { value in
    guard let scalar = Unicode.Scalar(value) else { return nil }
    let properties = scalar.properties
    let texts = [
      properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
    ]
    if texts.allSatisfy({ $0 == String(scalar) }) { return nil }
    return (scalar, texts + texts.flatMap { [$0.lowercased(), $0.uppercased()] })
  }

@Suite struct `The folding of a text` {
  @Test func `makes a scalar equal to what each of Unicode's case foldings makes of it`() {
    #expect(CaseFolding.all.count == 1_530 && !CaseFolding.all.contains { $0.scalar == "\u{FFFD}" })
    for folding in CaseFolding.all {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: folding.folded)
      #expect(folded(String(folding.scalar)) == folded(String(text)), "\(folding)")
      #expect(
        Array(folded(String(folding.scalar)).utf8) == Array(folded(String(text)).utf8), "\(folding)"
      )
    }
  }

  @Test func `makes all texts equal that Unicode's case folding makes equal`() {
    // From both sides: 1,530 scalars have a folding, and most of them are the only one with theirs.
    #expect(variants.count >= 2 * 1_400)
    #expect(variants.contains { $0.scalar == "ẞ" })
    for (scalar, texts) in variants {
      for text in texts {
        #expect(folded(text) == folded(String(scalar)), "U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func `makes them equal without their accents and points, too`() {
    for (scalar, texts) in variants {
      // In capitals the iota below a letter is a letter beside it, and else it is a mark.
      if "\(scalar)".decomposedScalars.contains("\u{345}") { continue }
      for text in texts where !text.decomposedScalars.contains("\u{345}") {
        #expect(
          folded(text, diacritics: true) == folded(String(scalar), diacritics: true),
          "U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func `changes nothing in a text that is folded`() {
    for (scalar, _) in variants {
      for diacritics in [false, true] {
        let once = folded(String(scalar), diacritics: diacritics)
        #expect(
          Array(folded(once, diacritics: diacritics).utf8) == Array(once.utf8),
          "U+\(String(scalar.value, radix: 16))")
      }
    }
  }

  @Test func `keeps the words of different letters apart`() {
    for (one, two) in [("がく", "かく"), ("पुल", "पल"), ("ø", "o"), ("ł", "l"), ("คุ", "ค")] {
      #expect(folded(one, diacritics: true) != folded(two, diacritics: true), "\(one) \(two)")
    }
  }

  @Test func `is the same for a word and for a text of the word`() {
    for (scalar, _) in variants where scalar.properties.isAlphabetic {
      var word = String(scalar)
      let words: [[UInt8]] = word.withUTF8 { text in
        var words: [[UInt8]] = []
        FoldedWords.visit(UnsafeRawBufferPointer(text)) { word, _ in
          words.append(Array(word))
          return true
        }
        return words
      }
      let text = Array(folded(String(scalar), diacritics: true).utf8)
      #expect(words == (text.isEmpty ? [] : [text]), "U+\(String(scalar.value, radix: 16))")
    }
  }
}

extension String {
  fileprivate var decomposedScalars: [Unicode.Scalar] {
    Array(decomposedStringWithCanonicalMapping.unicodeScalars)
  }
}
