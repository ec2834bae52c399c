// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

@Suite struct `A query for words` {
  private func marked(_ query: String, _ text: String) throws -> [String] {
    try WordQuery(query).highlights(in: text).map { String(text[$0]) }
  }

  @Test func `marks words, beginnings and phrases as they are in the text`() throws {
    let text = "An Object store: objects, stored. ÖBJECT-STORE!"
    expectEqual(try marked("object", text), ["Object", "ÖBJECT"])
    expectEqual(try marked("obj*", text), ["Object", "objects", "ÖBJECT"])
    expectEqual(try marked("\"object store\"", text), ["Object store", "ÖBJECT-STORE"])
    expectEqual(try marked("\"object store\" store", text), ["Object store", "ÖBJECT-STORE"])
    expectEqual(try marked("stored nothing", text), ["stored"])
    expectEqual(try marked("nothing", text), [])
  }

  @Test func `marks phrases that overlap as one`() throws {
    expectEqual(try marked("\"a b\" \"b c\"", "a b c a"), ["a b c"])
    expectEqual(try marked("\"a a\"", "a a a b a a"), ["a a a", "a a"])
  }

  @Test func `matches a text that has all its parts`() throws {
    let query = try WordQuery("\"quick brown\" fo*")
    #expect(query.matches("The quick brown fox"))
    #expect(query.matches("forty Quick, brown bears"))
    #expect(!query.matches("The quick fox is brown"))
    #expect(!query.matches("The quick brown bear"))
  }

  @Test func `may have quotation marks of other kinds, and spaces in phrases`() throws {
    #expect(try WordQuery("\u{201C}a  b\u{201D}").matches("a b"))
    #expect(try WordQuery("x\"a b\"y").matches("y x a b"))
    #expect(try WordQuery("a & b").matches("b a"))
  }

  @Test func `finds a word again that the same phrase has begun before`() throws {
    #expect(try WordQuery("\"a b a c\"").matches("a b a b a c"))
    #expect(try !WordQuery("\"a b a c\"").matches("a b a b c"))
  }

  /// A part is looked for by one of its words, marks are made from all words of the text.
  @Test func `matches a text in which it marks something, whatever the text`() throws {
    let pieces = [
      "a", "A", "lord", "Lord", "LORDS", "the", "god", "God", "7", "x7", "_", "'", "\u{2019}", ".",
      ",", ":", " ", " ", " ", "-", "\u{2014}", "\u{E9}", "E\u{301}", "\u{301}", "\u{DF}",
      "\u{41A}", "\u{6F22}", "\u{AD}", "\n", "@", "`", "\u{1F}", "\u{212A}", "can't", "3.14",
      String(repeating: "x", count: 95), String(repeating: "X", count: 96), "\u{434}",
    ]
    let words = [
      "a", "lord", "the", "god", "7", "x7", "can't", "3.14", "\u{E9}", "ss", "k", "\u{6F22}", "x",
      String(repeating: "x", count: 95), String(repeating: "x", count: 97),
    ]
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let phrase = (0...Int.random(in: 0..<3, using: &random))
        .map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
      let query = try WordQuery("\"\(phrase)\(Bool.random(using: &random) ? "*" : "")\"")
      for _ in 0..<4 {
        let text = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
          pieces.randomElement(using: &random)! + (Bool.random(using: &random) ? " " : "")
        }.joined()
        let isMarked = !query.highlights(in: text).isEmpty
        #expect(query.matches(text) == isMarked, "\(query) in \(text.debugDescription), \(seed)")
      }
    }
  }

  @Test func `reads a text about once, however often a part begins in vain`() throws {
    let query = try WordQuery("\"a b c d\" \"lord god\"")
    for text in [
      String(repeating: "a,", count: 50_000), String(repeating: "lord ", count: 20_000),
      String(repeating: "lord" + String(repeating: " ", count: 50), count: 5_000),
    ] {
      #expect(!query.matches(text))
      #expect(query.matches("\(text) a b c d, the lord god"))
    }
  }
}
