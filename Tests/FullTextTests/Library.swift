// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

// The world of these tests: articles with texts, and their authors. A letter is an article.

// begin model
@Entity class Article: ManagedObject {
  @Attribute(.fullText) var text: String?
  @Attribute(.indexed) var number: Int = 0
  var author: Author?
}
// end

@Entity final class Letter: Article {
  var addressee: String = ""
}

@Entity final class Author: ManagedObject {
  @Attribute(.fullText, .indexed) var name: String = ""
  /// A text without an index of its words.
  var motto: String?
  @Relationship(inverse: \Article.author) var articles: ToMany<Article>
}

func library(
  in folder: TemporaryDirectory? = nil
) throws -> PersistentContainer {
  let model = try ManagedObjectModel(Article.self, Letter.self, Author.self)
  guard let folder else { return try PersistentContainer(inMemory: model) }
  return try PersistentContainer(
    at: folder.file("library.strata"), model: model, durability: .none)
}

extension ManagedObjectContext {
  @discardableResult
  func article(_ number: Int, _ text: String?) -> Article {
    let article = Article(context: self)
    (article.number, article.text) = (number, text)
    return article
  }

  /// The numbers of the articles that a query finds, ascending.
  func numbers(_ words: String) throws -> [Int] {
    try fetch(Article.where { $0.text.contains(words: words) }).map(\.number).sorted()
  }

  /// The numbers of the articles that a query finds, the best first, with their relevance.
  func ranked(_ words: String) throws -> [Ranked] {
    try fetch(
      Article.where { $0.text.contains(words: words) }
        .sorted(byRelevanceOf: \.text, to: words).sorted(by: \.number)
        .select { ($0.number, $0.text.relevance(to: words)) }
    ).map { Ranked(number: $0, relevance: $1) }
  }
}

struct Ranked: Equatable, Sendable {
  let number: Int
  let relevance: Double
}

/// Calls `body` for a context that sees `articles` as saved objects, as unsaved ones of its own, as
/// unsaved ones of an ancestor, and as a mixture of all three.
func withArticles(
  _ articles: [String?], _ body: @Sendable (ManagedObjectContext, _ place: String) throws -> Void
) throws {
  for place in ["the store", "the context", "its parent", "everywhere"] {
    let container = try library()
    let child = ContextQueue(parent: ContextQueue(parent: container.root))
    let queues = [container.root, child]
    for (index, queue) in queues.enumerated() {
      try queue.performAndWait { context in
        for (number, text) in articles.enumerated() {
          let isHere =
            switch place {
            case "the store", "its parent": index == 0
            case "the context": index == 1
            default: number % 2 == index
            }
          if isHere { context.article(number, text) }
        }
        if index == 0, place == "the store" { try context.save() }
        if index == 0, place == "everywhere" {
          try context.save()
          for article in try context.fetch(Article.all) where article.number % 4 == 0 {
            article.text = (article.text ?? "") + " "
          }
        }
      }
    }
    try child.performAndWait { try body($0, place) }
  }
}

/// Expects a value that is worked out in a closure, where `#expect` cannot see that `try` is
/// handled.
func expectEqual<T: Equatable>(
  _ found: T, _ expected: T, _ comment: @autoclosure () -> String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let comment = comment()
  #expect(found == expected, "\(comment)", sourceLocation: sourceLocation)
}
