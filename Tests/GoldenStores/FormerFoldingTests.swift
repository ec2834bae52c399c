// SPDX-License-Identifier: Apache-2.0
import Foundation
import GoldenModels
import Strata
import StrataTestSupport
import Testing

/// The names of the store, in the order of their numbers, are: Straße, STRAẞE, Strasse, σοφός,
/// ΣΟΦΟΣ, σοφοσ, ﬁsh, fish, ŉ, ʼn, がく, かく, पुल, पल, Zürich, zurich.
private let equal: [(text: String, numbers: [Int])] = [
  ("STRAẞE", [0, 1, 2]), ("σοφος", [3, 4, 5]), ("FISH", [6, 7]), ("ŉ", [8, 9]), ("がく", [10]),
  ("かく", [11]), ("पुल", [12]), ("पल", [13]), ("ZURICH", [14, 15]),
]

@Suite struct `A golden store whose texts were folded in another way` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("streets")
    let source = try #require(
      Bundle.module.url(
        forResource: "format-8-folded", withExtension: "strata", subdirectory: "Stores"))
    try FileManager.default.copyItem(at: source, to: url)
  }

  private func open(isReadOnly: Bool = false) throws -> PersistentContainer {
    try PersistentContainer(
      at: url, model: Folded.model(), durability: .none, isReadOnly: isReadOnly)
  }

  /// Whether the searches for words and for derived texts find equal texts.
  private func expectFolded(_ container: PersistentContainer) throws {
    try container.root.performAndWait { context in
      func numbers(_ request: FetchRequest<Folded.Street>) throws -> [Int] {
        try context.fetch(request).map(\.number).sorted()
      }
      for (text, expected) in equal {
        let plain = TextOptions([.caseInsensitive, .diacriticInsensitive]).folded(text)
        let texts = try numbers(Folded.Street.where { $0.plainName == plain })
        let words = try numbers(Folded.Street.where { $0.name.contains(words: text) })
        #expect(texts == expected && words == expected, "\(text): \(texts), \(words)")
      }
    }
  }

  @Test func `has the present folding when it is opened, once`() throws {
    for _ in 0..<2 {
      let container = try open()
      let metadata = try container.coordinator.metadata()
      #expect(metadata.formatVersion == 9 && metadata.modelVersion == 2)
      try expectFolded(container)
    }
    try open().root.performAndWait { context in
      let zurich = try context.fetch(Folded.Street.where { $0.number == 14 })
      zurich[0].name = "STRAẞE"
      try context.save()
      let words = Folded.Street.where { $0.name.contains(words: "strasse") }.sorted(by: \.number)
      let found = try context.fetch(words).map(\.number)
      #expect(found == [0, 1, 2, 14])
      let counts = try ["strasse", "zurich"].map { text in
        try context.count(Folded.Street.where { $0.plainName == text })
      }
      #expect(counts == [4, 1])
    }
  }

  @Test func `is read as it is when it is opened read-only`() throws {
    let container = try open(isReadOnly: true)
    #expect(try container.coordinator.metadata().formatVersion == 8)
    try container.root.performAndWait { context in
      let counts = try [
        context.count(Folded.Street.all),
        context.count(Folded.Street.where { $0.name.contains(words: "zurich") }),
        context.count(Folded.Street.where { $0.plainName == "straße" }),
      ]
      #expect(counts == [16, 2, 2])
    }
  }

  @Test func `has it after it was opened without the classes, too`() throws {
    do {
      let container = try PersistentContainer(
        at: url, model: ManagedObjectModel(ofStoreAt: url), durability: .none)
      #expect(try container.coordinator.metadata().formatVersion == 9)
    }
    try expectFolded(try open())
  }
}
