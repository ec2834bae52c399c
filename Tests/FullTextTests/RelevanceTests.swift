// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `The relevance of a text` {
  @Test func `is higher for a rarer word, for more of them, and in a shorter text`() throws {
    let texts: [String?] = [
      "the cat sat on the mat by the door", "the dog", "the cat", "cat and cat and cat and dog",
      "the end of the story of the fish",
    ]
    try withArticles(texts) { context, place in
      expectEqual(try context.ranked("cat").map(\.number), [3, 2, 0], "\(place)")
      let words = try context.fetch(
        Article.where { $0.number == 4 }
          .select { ($0.text.relevance(to: "fish"), $0.text.relevance(to: "the")) })
      #expect(words.allSatisfy { $0.0 > $0.1 && $0.1 > 0 }, "\(place)")
    }
  }

  @Test func `is the number of BM25, wherever the texts are`() throws {
    let texts: [String?] = [
      "one", "one two", "one two three two", nil, "", "two two two", "four five six seven",
    ]
    let naive = NaiveSearch(Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($0, $1) }))
    let parts = [NaiveSearch.Part(words: ["two"]), NaiveSearch.Part(words: ["t"], isPrefix: true)]
    try withArticles(texts) { context, place in
      for ranked in try context.ranked("two t*") {
        let expected = naive.relevance(of: ranked.number, parts)
        #expect(abs(ranked.relevance - expected) < 1e-12, "\(place)")
      }
      expectEqual(try context.ranked("two t*").map(\.number).sorted(), [1, 2, 5], "\(place)")
    }
  }

  @Test func `is 0 for a text without the words, and for nil`() throws {
    try withArticles(["a", nil, ""]) { context, place in
      let all = try context.fetch(Article.all.select { $0.text.relevance(to: "b") })
      #expect(all == [0, 0, 0], "\(place)")
    }
  }

  @Test func `of unsaved changes is the one after a save, to the last bit`() throws {
    let container = try library()
    let child = ContextQueue(parent: container.root)
    try container.root.performAndWait { context in
      for number in 0..<60 {
        context.article(
          number, String(repeating: "word\(number % 7) other ", count: number % 5 + 1))
      }
      try context.save()
      for article in try context.fetch(Article.where { $0.number < 20 }) {
        article.text = "word3 \(article.text ?? "")"
      }
    }
    let unsaved = try child.performAndWait { context in
      for article in try context.fetch(Article.where { $0.number > 50 }) { context.delete(article) }
      for number in 60..<80 { context.article(number, "word3 and word\(number % 3)") }
      return try context.ranked("word3 wo*")
    }
    try child.performAndWait { try $0.save() }
    let pushed = try container.root.performAndWait { context in
      let pushed = try context.ranked("word3 wo*")
      try context.save()
      return pushed
    }
    let saved = try container.root.performAndWait { try $0.ranked("word3 wo*") }
    #expect(unsaved == pushed)
    #expect(pushed == saved)
    #expect(!saved.isEmpty)
  }

  @Test func `of unsaved changes is the same on eight threads beside a writer`() throws {
    let container = try library()
    let root = container.root
    try root.performAndWait { context in
      for number in 0..<60 {
        context.article(
          number, String(repeating: "word\(number % 7) other ", count: number % 5 + 1))
      }
      try context.save()
      for article in try context.fetch(Article.where { $0.number < 20 }) {
        article.text = "word3 \(article.text ?? "")"
      }
    }
    // It saves objects without articles: the store changes, and the relevance does not.
    let writer = ContextQueue(parent: container.coordinator)
    let found = Mutex<[[Ranked]]>([])
    performOnThreads(9) { thread in
      if thread == 8 {
        for number in 0..<20 {
          try? writer.performAndWait { context in
            Author(context: context).name = "word3 \(number)"
            try context.save()
          }
        }
        return
      }
      let queue = ContextQueue(parent: root)
      for _ in 0..<10 {
        let ranked = try? queue.performAndWait { try $0.ranked("word3 wo*") }
        found.withLock { $0.append(ranked ?? []) }
      }
    }
    let saved = try root.performAndWait { context in
      try context.save()
      expectEqual(try context.count(Author.all), 20)
      return try context.ranked("word3 wo*")
    }
    let all = found.withLock { $0 }
    #expect(all.count == 80 && !saved.isEmpty)
    #expect(all.allSatisfy { $0 == saved })
  }

  @Test func `follows the texts that another context saves`() throws {
    let container = try library()
    let texts = ["cat", "dog dog dog dog", "cat dog"]
    try container.root.performAndWait { context in
      for (number, text) in texts.enumerated() { context.article(number, text) }
      try context.save()
      try #require(try context.fetch(Article.where { $0.number == 0 }).first).text = "cat cat"
      _ = try context.ranked("cat")
    }
    let other = ContextQueue(parent: container.coordinator)
    try other.performAndWait { context in
      try #require(try context.fetch(Article.where { $0.number == 1 }).first).text = "dog"
      try context.save()
    }
    let naive = NaiveSearch([0: "cat cat", 1: "dog", 2: "cat dog"])
    try container.root.performAndWait { context in
      for ranked in try context.ranked("cat") {
        let expected = naive.relevance(of: ranked.number, [NaiveSearch.Part(words: ["cat"])])
        #expect(abs(ranked.relevance - expected) < 1e-12)
      }
    }
  }

  @Test func `orders a fetch by names too`() throws {
    try withArticles(["store store", "a store", "a", "store"]) { context, place in
      let request = Article.where { $0.text.contains(words: "store") }
        .sorted(byRelevanceOf: "text", to: "store")
      expectEqual(try context.fetch(request).map(\.number), [0, 3, 1], "\(place)")
      expectEqual(try context.fetch(request.limit(1)).map(\.number), [0], "\(place)")
      let typed = try context.fetch(request.select { $0.text.relevance(to: "store") })
      let named = try context.fetch(request.select(.relevance(of: "text", to: "store", as: "rank")))
      #expect(named.map { $0["rank"] } == typed.map { .double($0) }, "\(place)")
    }
  }
}
