// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// The code of the guide FullText, part by part. Its model is in Library.swift.
@Suite struct `The patterns of the full-text guide` {
  private func world() throws -> ManagedObjectContext {
    let context = ManagedObjectContext(parent: try library().coordinator)
    let author = Author(context: context)
    author.name = "Ada"
    let texts = [
      "A Swift object store", "a store of objects, in Swift", "a draft about a swift",
      "the store and the object", "object store",
    ]
    for (number, text) in texts.enumerated() { context.article(number * 2, text).author = author }
    return context
  }

  @Test func `finds words, beginnings and phrases`() throws {
    let context = try world()
    // begin searches
    let both = Article.where { $0.text.contains(words: "swift store") }
    let beginning = Article.where { $0.text.contains(words: "sto*") }
    let phrase = Article.where { $0.text.contains(words: "\"object store\"") }
    let either = Article.where {
      ($0.text.contains(words: "swift") || $0.text.contains(words: "store")) && $0.number > 5
    }
    let without = Article.where { !$0.text.contains(words: "draft") }
    let byAuthor = Article.where { $0.author.name.contains(words: "ada") }
    // end searches
    let numbers = try [both, beginning, phrase, either, without, byAuthor].map { request in
      try context.fetch(request).map(\.number)
    }
    #expect(numbers == [[0, 2], [0, 2, 6, 8], [0, 8], [6, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8]])
  }

  @Test func `accepts format strings and #Predicate`() throws {
    let context = try world()
    // begin fronts
    let named = FetchRequest<Article>(
      try FetchPredicate(format: "text CONTAINSWORDS %@ AND number > %d", "swift sto*", 5))
    let joined = FetchRequest<Article>(try FetchPredicate(#Predicate<Article> { $0.number > 5 }))
      .where { $0.text.contains(words: "swift sto*") }
    // end fronts
    context.article(7, "swift stores")
    let numbers = try [named, joined].map { try context.fetch($0).map(\.number) }
    #expect(numbers == [[7], [7]])
  }

  @Test func `sorts by relevance`() throws {
    let context = try world()
    // begin relevance
    let words = "swift store"
    let best = Article.where { $0.text.contains(words: words) }
      .sorted(byRelevanceOf: \.text, to: words)
      .limit(20)
    let articles = try context.fetch(best)
    let rows = try context.fetch(best.select { ($0.number, $0.text.relevance(to: words)) })
    // end relevance
    #expect(articles.map(\.number) == [0, 2])
    #expect(rows.map(\.0) == [0, 2] && rows[0].1 > rows[1].1)
  }

  @Test func `marks the places that were found`() throws {
    let text = "Swift has no object store."
    // begin marks
    let query = try WordQuery("\"object store\" swift")
    for place in query.highlights(in: text) { print(text[place]) }
    let isFound = query.matches(text)
    // end marks
    #expect(isFound && query.highlights(in: text).map { text[$0] } == ["Swift", "object store"])
  }
}
