// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Entity(indexes: ["title", "line"], ["digest", "title", "line"]) final class Scroll: ManagedObject {
  var title: String
  var digest: Data?
  var line: Int
}

@Suite struct `The order of a compound index` {
  /// Bytes below 3 are written as two, the second of which also ends a part.
  @Test func `is that of values with bytes which have to be escaped, too`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Scroll.self))
    let titles = ["x\0b", "x\u{1}", "x\0a", "x", "\0", "x\u{2}\0\u{1}y", "x\u{2}\u{1}z", ""]
    let digest = Data([0, 1, 2, 0, 9])
    try container.root.performAndWait { context in
      for (line, title) in titles.enumerated() {
        let scroll = Scroll(context: context)
        scroll.title = title
        scroll.digest = digest
        scroll.line = -line
      }
      try context.save()
    }
    let sorted = titles.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    try container.root.performAndWait { context in
      let all = Scroll.all.sorted(by: \.title)
      expectEqual(try context.fetch(all).map(\.title), sorted)
      expectEqual(try context.fetch(all.limit(3)).map(\.title), Array(sorted.prefix(3)))
      let alike = Scroll.where { $0.digest == digest }.sorted(by: \.title)
      expectEqual(try context.fetch(alike).map(\.title), sorted)
      expectEqual(try context.fetch(alike.limit(3)).map(\.title), Array(sorted.prefix(3)))
    }
  }
}
