// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

@Entity final class Document: ManagedObject {
  @Attribute(.fullText) var text: String
}

/// Documents in a store. A result is the number of documents; their texts are read.
struct StrataSearch {
  private let container: PersistentContainer

  init(at url: URL) throws {
    container = try PersistentContainer(at: url, model: ManagedObjectModel(Document.self))
  }

  /// Inserts all texts in one save.
  func insert(_ texts: [String]) throws -> Int {
    let request = BatchInsertRequest(Document.self)
    return try container.coordinator.execute(request, rows: texts) { $0.text = $1 }.insertedCount
  }

  func find(_ words: String) throws -> Int {
    try read(Document.where { $0.text.contains(words: words) })
  }

  func count(_ words: String) throws -> Int {
    try container.root.performAndWait { context in
      try context.count(Document.where { $0.text.contains(words: words) })
    }
  }

  func best(_ words: String, _ limit: Int) throws -> Int {
    try read(
      Document.where { $0.text.contains(words: words) }.sorted(byRelevanceOf: \.text, to: words)
        .limit(limit))
  }

  private func read(_ request: FetchRequest<Document>) throws -> Int {
    try container.root.performAndWait { context in
      var (count, byteCount) = (0, 0)
      try context.forEachRow(request.select(\.text)) { text in
        count += 1
        byteCount += text.utf8.count
      }
      return byteCount > 0 ? count : 0
    }
  }
}
