// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataQuery
import StrataTestSupport
import Testing

@Suite struct `A text, folded` {
  private let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

  @Test func `has lost its case, by Unicode's tables`() {
    let options = TextOptions.caseInsensitive
    for (one, two) in [
      ("Bam", "bAM"), ("ÉCOLE", "e\u{301}cole"), ("Straße", "STRASSE"), ("ΣΟΦΟΣ", "σοφος"),
      ("σοφος", "σοφοσ"), ("\u{212A}", "k"), ("ᾼ", "ᾳ"), ("ǆ", "ǅ"),
    ] {
      #expect(options.folded(one) == options.folded(two), "\(one) \(two)")
    }
    #expect(options.folded("é") != options.folded("E"))
  }

  @Test func `has lost its accents and points, not its letters`() {
    let options = TextOptions.diacriticInsensitive
    for (one, two) in [
      ("Zürich", "Zurich"), ("Lavāsān", "Lavasan"), ("Việt", "Viet"), ("Й", "И"),
      ("άνθρωπος", "ανθρωπος"),
      ("שָׁלוֹם", "שלום"), ("كِتَاب", "كتاب"),
    ] {
      #expect(options.folded(one) == options.folded(two), "\(one) \(two)")
    }
    for text in ["ø", "ł", "が", "कि", "क्", "คุ"] {
      #expect(options.folded(text) == text, "\(text)")
    }
    #expect(options.folded("É") != options.folded("e"))
    #expect(both.folded("É") == both.folded("e"))
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `is the same for canonically equivalent texts`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet: [Unicode.Scalar] = [
      "a", "A", "e", "é", "\u{301}", "\u{323}", "\u{345}", "α", "ᾳ", "ΐ", "ß", "İ", "ı", "ŉ", "ﬁ",
      "Å", "\u{212B}", "가", "\u{1100}", "\u{1161}", "が", "\u{3099}", "\u{5D1}", "\u{5BC}", "ﬃ",
    ]
    for _ in 0..<300 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        scalars.append(alphabet.randomElement(using: &random) ?? "a")
      }
      let text = String(scalars)
      for options in [both, .caseInsensitive, .diacriticInsensitive] {
        let folded = options.folded(text)
        #expect(
          folded == options.folded(text.precomposedStringWithCanonicalMapping), "seed \(seed)")
        #expect(folded == options.folded(text.decomposedStringWithCanonicalMapping), "seed \(seed)")
      }
    }
  }
}

@Suite struct `A pattern with wildcards` {
  private func matches(_ text: String, _ pattern: String, _ options: TextOptions = []) -> Bool {
    TextPattern(pattern, options).matches(text)
  }

  @Test func `takes a question mark for one character and a star for any number`() {
    #expect(matches("Bam", "B?m"))
    #expect(!matches("Bm", "B?m"))
    #expect(matches("Be\u{301}m", "B?m"))
    #expect(matches("", "*") && matches("", "") && !matches("", "?"))
    #expect(matches("Bamako", "*a*o") && !matches("Bamako", "*a*m"))
    #expect(matches("aab", "*ab"))
    #expect(!matches("Bamako", "Bam"))
  }

  @Test func `takes an escaped character literally`() {
    #expect(matches("a*b", "a\\*b") && !matches("axb", "a\\*b"))
    #expect(matches("a?", "a\\?") && matches("a\\b", "a\\b") && matches("a\\", "a\\\\"))
    #expect(matches("a\\", "a\\"))
  }

  @Test func `compares ignoring its options`() {
    #expect(matches("ZÜRICH", "z?rich", .caseInsensitive))
    #expect(matches("Zürich", "*ric*u*", [.caseInsensitive, .diacriticInsensitive]) == false)
    #expect(matches("Zürich", "zu*", [.caseInsensitive, .diacriticInsensitive]))
    #expect(matches("Straße", "stra??e", .caseInsensitive))
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `matches as trying everything does`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func string(_ letters: String) -> String {
      String(
        (0..<Int.random(in: 0...7, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? "a"
        })
    }
    for _ in 0..<1_000 {
      let (text, pattern) = (string("abé"), string("aabé?**"))
      #expect(matches(text, pattern) == Plain.isLike(text[...], pattern[...]), "\(text) \(pattern)")
    }
  }
}
