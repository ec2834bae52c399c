// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

// The code that `@Entity` generates, written by hand.

private final class Author: ManagedObject, Entity {
  var name: String {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var books: ToMany<Book> { self[slot: 1] }

  private static let description: EntityDescription = EntityDescription(
    entity: "Author", of: Author.self,
    properties: [
      .attribute("name", \Author.name, as: String.self, .indexed),
      .relationship("books", \Author.books, as: ToMany<Book>.self, inverse: "author"),
    ])
  override class var entity: EntityDescription { description }
}

private final class Book: ManagedObject, Entity {
  var title: String {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var author: Author? {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }

  private static let description: EntityDescription = EntityDescription(
    entity: "Book", of: Book.self,
    properties: [
      .property("title", \Book.title, as: String.self),
      .property("author", \Book.author, as: Author?.self),
    ])
  override class var entity: EntityDescription { description }
}

@Suite struct `A model written by hand` {
  @Test func `works as one written by macros`() async throws {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Author.self, Book.self))
    try await container.root.perform { context in
      let author = Author(context: context)
      author.name = "Hafez"
      let book = Book(context: context)
      book.title = "Divan"
      book.author = author
      try context.save()
      context.reset()
      let found = try context.fetch(Book.where { $0.author.name == "Hafez" })
      #expect(found.map(\.title) == ["Divan"])
      #expect(found.first?.author?.books.count == 1)
    }
  }
}
