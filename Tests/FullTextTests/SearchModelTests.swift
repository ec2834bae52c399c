// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataStore
import StrataTestSupport
import Testing

/// Articles in a store and in three contexts, one in the other. Each step changes texts in one of
/// the contexts, saves, undoes, or changes the store beside them. Searches find and rank the same
/// objects as a naive search over all objects that the context sees.
private struct SearchedWorld: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let contexts: [ContextQueue]

  init(_ random: ModelRandom) throws {
    self.random = random
    container = try library()
    let child = ContextQueue(parent: container.root)
    contexts = [container.root, child, ContextQueue(parent: child)]
    for (depth, context) in contexts.enumerated() {
      try context.performAndWait {
        $0.mergePolicy = .mergeByPropertyObjectTrump
        if depth > 0 { $0.undoManager = ManagedObjectContext.UndoManager() }
      }
    }
    var random = random
    let texts = (0..<30).map { _ in Vocabulary.text(&random) }
    try container.root.performAndWait { context in
      for (number, text) in texts.enumerated() { context.article(number, text) }
      try context.save()
    }
    self.random = random
  }

  static var operations: [ModelOperation<SearchedWorld>] {
    [
      ModelOperation("change", weight: 5) { try $0.perform(change) },
      ModelOperation("save", weight: 2) { try $0.perform { context, _ in try? context.save() } },
      ModelOperation("undo") { world in
        try world.perform { context, _ in
          guard let manager = context.undoManager, manager.canUndo else { return }
          context.undo()
        }
      },
      ModelOperation("roll back") { world in
        guard world.random.chance(4) else { return }
        try world.perform { context, _ in context.rollback() }
      },
      ModelOperation("save another root") { try $0.saveAnotherRoot() },
      ModelOperation("batch") { try $0.executeBatch() },
      ModelOperation("compare", weight: 5) { try $0.perform(compare) },
      ModelOperation("check the store") { try $0.checkStore() },
    ]
  }

  private mutating func perform(
    _ body: @Sendable (ManagedObjectContext, inout SeededGenerator) throws -> Void
  ) throws {
    let seed = random.next()
    try contexts[random.below(3)].performAndWait { context in
      var random = SeededGenerator(seed: seed)
      try body(context, &random)
    }
  }

  @Sendable private static func change(
    in context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let articles = try context.fetch(Article.all)
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      let article = articles.randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: if let article, !article.isDeleted { context.delete(article) }
      case 1: context.article(Int.random(in: 100..<1_000, using: &random), Vocabulary.text(&random))
      case 2:
        let letter = Letter(context: context)
        letter.text = Vocabulary.text(&random)
      default:
        guard let article, !article.isDeleted else { continue }
        article.text = Vocabulary.text(&random)
      }
    }
  }

  private mutating func saveAnotherRoot() throws {
    var random = random.seeded()
    let context = ManagedObjectContext(parent: container.coordinator)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try Self.change(in: context, &random)
    try? context.save()
  }

  private mutating func executeBatch() throws {
    var random = random.seeded()
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let texts = (0..<3).map { _ in Vocabulary.text(&random) }
      _ = try container.coordinator.execute(BatchInsertRequest(Article.self), rows: texts) {
        row, text in
        row.text = text
      }
    case 1:
      let word = Vocabulary.word(&random)
      let update = BatchUpdateRequest(Article.where { $0.text.contains(words: word) })
        .setting(\.text, to: Vocabulary.text(&random))
      _ = try container.coordinator.execute(update)
    default:
      let number = Int.random(in: 0..<200, using: &random)
      _ = try container.coordinator.execute(
        BatchDeleteRequest(Article.where { $0.number == number }))
    }
  }

  private func checkStore() throws {
    var findings: [String] = []
    var check = StoreCheck(
      try container.coordinator.snapshot(), progress: { _ in },
      report: { findings.append("\($0)") })
    _ = check.run()
    try expectNone(findings)
  }

  @Sendable private static func compare(
    in context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws {
    let articles = try context.fetch(Article.all)
    var texts: [Int: String?] = [:]
    for (place, article) in articles.enumerated() { texts[place] = article.text }
    let naive = NaiveSearch(texts)
    let parts = (0...Int.random(in: 0..<2, using: &random)).map { _ in Vocabulary.part(&random) }
    let words = parts.map(\.text).joined(separator: " ")
    let request = Article.where { $0.text.contains(words: words) }
    let expected = naive.found(parts)
    let places = Dictionary(
      uniqueKeysWithValues: articles.enumerated().map { ($1.objectID, $0) })
    try expectSame(
      Set(try context.fetchIDs(request).compactMap { places[$0] }), expected, "found by \(words)")
    try expectSame(try context.count(request), expected.count, "count of \(words)")
    try expectSame(try context.fetch(request).count, expected.count, "objects of \(words)")
    let not = Article.where { !$0.text.contains(words: words) && $0.number >= 0 }
    try expectSame(
      try context.count(not), articles.count - expected.count, "count without \(words)")
    if naive.texts.isEmpty { return }
    let ranked = try context.fetch(
      request.sorted(byRelevanceOf: \.text, to: words)
        .select { ($0.objectID, $0.text.relevance(to: words)) })
    try expectSame(ranked.count, expected.count, "ranked by \(words)")
    for (id, relevance) in ranked {
      let wanted = naive.relevance(of: try #require(places[id]), parts)
      if abs(relevance - wanted) > 1e-9 * max(1, wanted) {
        throw ModelDifference("relevance to \(words) is \(relevance), not \(wanted)")
      }
    }
    let relevances = ranked.map(\.1)
    try expectSame(relevances, relevances.sorted(by: >), "order by relevance to \(words)")
    let best = try context.fetch(
      request.sorted(byRelevanceOf: \.text, to: words).limit(3)
        .select { $0.text.relevance(to: words) })
    try expectSame(best, Array(relevances.prefix(3)), "the best by relevance to \(words)")
  }
}

/// Words that have common beginnings, are written in several ways, and follow each other often.
private enum Vocabulary {
  private static let written = [
    "store", "Store", "stored", "STÓRE", "object", "Objects", "a", "A", "été", "Ete", "x7", "7",
    "Ärger", "arger", "Список", "список",
  ]
  private static let folded = [
    "store", "stored", "object", "objects", "a", "ete", "x7", "7", "arger", "список",
  ]
  private static let beginnings = ["s", "sto", "store", "obj", "object", "x", "сп", "e"]
  private static let separators = [" ", " ", ", ", " - ", "\n", "! "]

  static func text(_ random: inout some RandomNumberGenerator) -> String? {
    let count = Int.random(in: -1..<12, using: &random)
    if count < 0 { return nil }
    return (0..<count).map { _ in
      written.randomElement(using: &random)! + separators.randomElement(using: &random)!
    }.joined()
  }

  static func word(_ random: inout some RandomNumberGenerator) -> String {
    folded.randomElement(using: &random)!
  }

  static func part(_ random: inout some RandomNumberGenerator) -> NaiveSearch.Part {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      NaiveSearch.Part(words: [beginnings.randomElement(using: &random)!], isPrefix: true)
    case 1:
      NaiveSearch.Part(words: [word(&random), word(&random)])
    case 2:
      NaiveSearch.Part(
        words: [word(&random), beginnings.randomElement(using: &random)!], isPrefix: true)
    default: NaiveSearch.Part(words: [word(&random)])
    }
  }
}

@Suite struct `Searches in random histories` {
  @Test func `find and rank what a naive search does, in every context`() async {
    let failure = await ModelTest(
      "full text", sequences: 30, steps: 60, make: SearchedWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
