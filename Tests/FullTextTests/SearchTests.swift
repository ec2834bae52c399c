// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private let texts: [String?] = [
  "Swift is a language.", "A store for objects: the object store of a Swift program",
  "The objects are stored, in store number 7", nil, "", "Zürich, ÉTÉ; naïve CAFÉ",
  "It isn\u{2019}t a back-up", "store object",
]

@Suite struct `A search for words` {
  @Test func `finds the texts that have all words, wherever they are`() throws {
    try withArticles(texts) { context, place in
      expectEqual(try context.numbers("swift"), [0, 1], "\(place)")
      expectEqual(try context.numbers("store"), [1, 2, 7], "\(place)")
      expectEqual(try context.numbers("store swift"), [1], "\(place)")
      expectEqual(try context.numbers("7"), [2], "\(place)")
      expectEqual(try context.numbers("stores"), [], "\(place)")
    }
  }

  @Test func `ignores case, accents and the kind of apostrophe`() throws {
    try withArticles(texts) { context, place in
      expectEqual(try context.numbers("ZURICH"), [5], "\(place)")
      expectEqual(try context.numbers("ete cafe"), [5], "\(place)")
      expectEqual(try context.numbers("nai\u{308}ve"), [5], "\(place)")
      expectEqual(try context.numbers("isn't"), [6], "\(place)")
    }
  }

  @Test func `finds words by their beginnings, each text once`() throws {
    try withArticles(texts) { context, place in
      expectEqual(try context.numbers("sto*"), [1, 2, 7], "\(place)")
      expectEqual(try context.numbers("obj* sto*"), [1, 2, 7], "\(place)")
      let found = Article.where { $0.text.contains(words: "obj*") }
      expectEqual(try context.count(found), 3, "\(place)")
      expectEqual(try context.fetchIDs(found).count, 3, "\(place)")
      expectEqual(try context.fetch(found.limit(2)).count, 2, "\(place)")
    }
  }

  @Test func `finds phrases only where the words follow each other`() throws {
    try withArticles(texts) { context, place in
      expectEqual(try context.numbers("\"object store\""), [1], "\(place)")
      expectEqual(try context.numbers("\"store object\""), [7], "\(place)")
      expectEqual(try context.numbers("\"object sto*\""), [1], "\(place)")
      expectEqual(try context.numbers("object-store"), [1], "\(place)")
      expectEqual(try context.numbers("back-up"), [6], "\(place)")
    }
  }

  @Test func `joins with other conditions, orders and windows`() throws {
    try withArticles(texts) { context, place in
      let either = Article.where {
        $0.text.contains(words: "swift") || $0.text.contains(words: "zurich")
      }
      expectEqual(try context.fetch(either).map(\.number).sorted(), [0, 1, 5], "\(place)")
      let not = Article.where { !$0.text.contains(words: "store") }
      expectEqual(try context.fetch(not).map(\.number).sorted(), [0, 3, 4, 5, 6], "\(place)")
      let both = Article.where { $0.text.contains(words: "store") && $0.number > 1 }
        .sorted(by: \.number, order: .reverse)
      expectEqual(try context.fetch(both).map(\.number), [7, 2], "\(place)")
      expectEqual(try context.fetch(both.offset(1).limit(1)).map(\.number), [2], "\(place)")
      expectEqual(try context.count(both), 2, "\(place)")
    }
  }

  @Test func `is written in format strings with CONTAINSWORDS`() throws {
    try withArticles(texts) { context, place in
      let predicate = try FetchPredicate(format: "text CONTAINSWORDS %@ AND number < 2", "sto*")
      expectEqual(
        try context.fetch(FetchRequest<Article>(predicate)).map(\.number), [1], "\(place)")
      let named = try FetchPredicate(format: "text containswords $words")
        .withSubstitutionVariables(["words": "zurich"])
      expectEqual(try context.fetch(FetchRequest<Article>(named)).map(\.number), [5], "\(place)")
    }
  }

  @Test func `joins with a predicate of Foundation`() throws {
    try withArticles(texts) { context, place in
      let numbers = try FetchPredicate(#Predicate<Article> { $0.number > 1 })
      let request = FetchRequest<Article>(numbers).where { $0.text.contains(words: "store") }
      let found = try context.fetch(request)
      #expect(found.map(\.number).sorted() == [2, 7], "\(place)")
    }
  }

  @Test func `goes over relationships, both ways`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for (number, name) in ["Ada Lovelace", "Kurt Gödel"].enumerated() {
        let author = Author(context: context)
        author.name = name
        context.article(number, "by number \(number)").author = author
      }
      let ofAuthor = Article.where { $0.author.name.contains(words: "godel") }
      expectEqual(try context.fetch(ofAuthor).map(\.number), [1])
      let ofArticle = Author.where { $0.articles.any { $0.text.contains(words: "0") } }
      expectEqual(try context.fetch(ofArticle).map(\.name), ["Ada Lovelace"])
      try context.save()
      expectEqual(try context.fetch(ofAuthor).map(\.number), [1])
      expectEqual(try context.fetch(ofArticle).map(\.name), ["Ada Lovelace"])
    }
  }

  @Test func `needs no index`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      let author = Author(context: context)
      author.motto = "Festina lente"
      let found = Author.where { $0.motto.contains(words: "LENTE") }
      expectEqual(try context.count(found), 1)
      let explanation = try context.explain(found)
      #expect(!"\(explanation)".contains("words of"))
    }
  }

  @Test func `uses the index of a full-text attribute`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for number in 0..<400 { context.article(number, "number \(number) of many") }
      try context.save()
      let one = try context.explain(Article.where { $0.text.contains(words: "17 many") })
      #expect("\(one)".contains("words of text"))
      #expect(one.recordsRead <= 2)
      let prefix = try context.explain(Article.where { $0.text.contains(words: "39*") }, for: .ids)
      #expect(prefix.rowsReturned == 11 && prefix.recordsRead == 0)
    }
  }

  @Test func `walks the rarest of its words first`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for number in 0..<3_000 {
        context.article(number, "common also half\(number % 2) number\(number)")
      }
      try context.save()
      let rare = Article.where { $0.text.contains(words: "common also number1500") }
      let explanation = try context.explain(rare)
      #expect(explanation.rowsReturned == 1)
      #expect(explanation.entriesRead < 300 && explanation.recordsRead == 1)
      expectEqual(try context.numbers("also half1 common").count, 1_500)
      expectEqual(try context.numbers("common also").count, 3_000)
      expectEqual(try context.numbers("\"common also half0\"").count, 1_500)
      let few = Article.where { $0.text.contains(words: "common half1") && $0.number < 10 }
      expectEqual(try context.fetch(few).map(\.number), [1, 3, 5, 7, 9])
    }
  }

  @Test func `shows in its explanation the sources that it used, once`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for number in 0..<200 { context.article(number, "common also store\(number)") }
      try context.save()
      let all = Article.where { $0.text.contains(words: "common also store*") }
      let plan = try context.explain(all, for: .ids).plan
      #expect(plan.kind == .intersection && plan.found == 200)
      #expect(plan.inputs.map(\.kind) == [.index, .index, .union])
      #expect(plan.inputs.map(\.found) == [200, 200, 200])
      #expect(plan.inputs.last?.inputs.map(\.kind) == [.index])
      let one = try context.explain(
        Article.where { $0.text.contains(words: "common also store7") }, for: .ids)
      #expect(one.plan.inputs.map(\.outcome) == [.done, .givenUp, .givenUp])
      #expect(one.rowsReturned == 1)
    }
  }

  @Test func `reads the texts of no more candidates than its window needs`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for number in 0..<300 { context.article(number, number < 290 ? "a b" : "b a") }
      try context.save()
      for article in try context.fetch(Article.where { $0.number < 5 }) { article.text = "a b c" }
      let phrase = Article.where { $0.text.contains(words: "\"a b\"") }
      let first = try context.explain(phrase.offset(2).limit(3))
      #expect(first.rowsReturned == 3 && first.recordsRead == 5)
      expectEqual(try context.fetch(phrase.offset(288).limit(9)).map(\.number), [288, 289])
      expectEqual(try context.count(phrase), 290)
    }
  }

  @Test func `reads no text of objects before its window if the index has decided`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for number in 0..<300 { context.article(number, "a b") }
      try context.save()
      for words in ["a b", "b*"] {
        let page = Article.where { $0.text.contains(words: words) }.offset(280).limit(3)
        expectEqual(try context.fetch(page).map(\.number), [280, 281, 282])
        expectEqual(try context.explain(page).recordsRead, 3)
      }
    }
  }

  @Test func `finds the objects of subentities`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      context.article(1, "a text")
      let letter = Letter(context: context)
      (letter.number, letter.text) = (2, "a letter's text")
      try context.save()
      expectEqual(try context.numbers("text"), [1, 2])
      let letters = Letter.where { $0.text.contains(words: "text") }
      expectEqual(try context.fetch(letters).map(\.number), [2])
      let others = Article.where { $0.text.contains(words: "text") }.excludingSubentities()
      expectEqual(try context.count(others), 1)
    }
  }

  @Test func `follows each change of a text`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      let article = context.article(1, "one two three")
      try context.save()
      article.text = "two three four"
      expectEqual(try context.numbers("one"), [])
      expectEqual(try context.numbers("four"), [1])
      try context.save()
      expectEqual(try context.numbers("one"), [])
      expectEqual(try context.numbers("two"), [1])
      expectEqual(try context.numbers("four"), [1])
      article.text = nil
      try context.save()
      expectEqual(try context.numbers("two"), [])
      article.text = "one"
      try context.save()
      context.delete(article)
      expectEqual(try context.numbers("one"), [])
      try context.save()
      expectEqual(try context.numbers("one"), [])
    }
  }

  @Test func `for what is no query is an error when the request is executed`() throws {
    let container = try library()
    try container.root.performAndWait { context in
      for words in ["", " ", "!?", "\"open", "\"\"", "*", "a*b", "a * b", "\"a* b\""] {
        #expect("\(words)") { try context.numbers(words) } throws: {
          if case QueryError.invalidWords = $0 { true } else { false }
        }
      }
      let many = (0..<65).map { "w\($0)" }.joined(separator: " ")
      #expect(throws: QueryError.invalidWords(reason: "it has more than 64 words")) {
        try context.numbers(many)
      }
      expectEqual(try context.numbers((0..<64).map { "w\($0)" }.joined(separator: " ")), [])
      for words in [many, ""] {
        let isUnfit: (any Error) -> Bool = {
          if case QueryError.invalidWords = $0 { true } else { false }
        }
        #expect("\(words)") {
          try context.fetch(Article.where { $0.text.relevance(to: words) > 0 })
        } throws: { isUnfit($0) }
        #expect("\(words)") {
          try context.fetch(Article.all.sorted(byRelevanceOf: \.text, to: words))
        } throws: { isUnfit($0) }
        #expect("\(words)") { try WordQuery(words) } throws: { isUnfit($0) }
      }
      #expect(throws: QueryError.withoutWordIndex(entity: "Author", property: "motto")) {
        try context.fetch(Author.where { $0.motto.relevance(to: "a") > 0 })
      }
    }
  }

  @Test func `takes texts of many words and words of many characters`() throws {
    let container = try library()
    let long = String(repeating: "x", count: 5_000)
    try container.root.performAndWait { context in
      context.article(1, (0..<20_000).map { "w\($0)" }.joined(separator: " "))
      context.article(2, long + " end")
      try context.save()
      expectEqual(try context.numbers("w19999 w0"), [1])
      expectEqual(try context.numbers("\"w77 w78 w79\""), [1])
      expectEqual(try context.numbers("w1999*"), [1])
      expectEqual(try context.numbers(long), [2])
      // Of a word, 96 bytes are compared.
      expectEqual(try context.numbers(String(repeating: "x", count: 96) + "y"), [2])
      expectEqual(try context.numbers(String(repeating: "x", count: 95) + "y"), [])
      expectEqual(try context.numbers("\"\(long) end\""), [2])
      let article = try #require(try context.fetch(Article.where { $0.number == 1 }).first)
      article.text = "short"
      try context.save()
      expectEqual(try context.numbers("w19999"), [])
    }
  }
}
