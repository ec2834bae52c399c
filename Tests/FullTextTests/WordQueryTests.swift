// SPDX-License-Identifier: Apache-2.0
import Strata
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
}
