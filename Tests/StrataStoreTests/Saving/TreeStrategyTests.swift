// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// The same changes, made in each way to trees that were alike.
@Suite struct `A tree that a save changes` {
  private class Thing {}

  private static let word = EntityDescription(
    "Word", class: Thing.self,
    properties: [
      .attribute(AttributeDescription("text", type: .string, options: [.indexed])),
      .attribute(AttributeDescription("length", type: .int64, options: [.indexed])),
    ])

  /// A store whose trees are changed under its hands.
  private struct Opened {
    let folder: TemporaryDirectory
    let store: LMDBStore
    let environment: Environment
    let entity: EntitySchema

    init() throws {
      folder = try TemporaryDirectory()
      let path = folder.file("store").path
      store = try LMDBStore.open(
        at: path, model: ManagedObjectModel(entities: [word]), durability: .none)
      var options = EnvironmentOptions()
      options.durability = .none
      environment = try Environment.open(at: path, options: options)
      entity = store.schema.of(word)
    }

    func write(
      _ kind: String, _ body: @escaping @Sendable (TreeWriter) throws -> Void
    ) throws {
      let name = "\(kind)\(entity.number.rawValue)"
      try environment.writeSync { transaction in
        let tree = try #require(try transaction.tree(named: name))
        try body(TreeWriter(tree, named: name, in: transaction))
      }
    }

    func entries() throws -> [[UInt8]] {
      var entries: [[UInt8]] = []
      for index in entity.indexes {
        try store.snapshot().scanIndex(index.number, in: KeyRange(), isReversed: false) {
          entry, _ in
          entries.append([UInt8](entry))
          return .more
        }
      }
      return entries
    }

    func serials() throws -> [UInt64] {
      var serials: [UInt64] = []
      try store.snapshot().scanKeys(of: entity.number) { key in
        serials.append(key.serial)
        return .more
      }
      return serials
    }
  }

  /// The values of indexes: the texts of words, whose lengths follow.
  private static func run(
    _ words: [ObjectKey: String], _ index: IndexSchema, _ layout: RecordLayout
  ) -> IndexRun {
    var run = IndexRunBuilder(index, layout, expecting: words.count)
    var arena = RecordArena()
    for (key, text) in words.sorted(by: { $0.key < $1.key }) {
      var drafts = DraftArena()
      let draft = Draft.make(layout, base: nil, in: &drafts)
      for slot in layout.places.indices {
        draft.setValue(slot == 0 ? .string(text) : .int(Int64(text.utf8.count)), at: slot)
      }
      let record = draft.encode(into: &arena)
      run.append(key, record.start)
      withExtendedLifetime(record) {}
    }
    return run.finished()
  }

  @Test func `has the same entries whichever way they are written`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let stores = try TreeStrategy.allCases.map { (strategy: $0, opened: try Opened()) }
    let entity = stores[0].opened.entity
    var words: [ObjectKey: String] = [:]
    for _ in 0..<12 {
      var (removed, added): ([ObjectKey: String], [ObjectKey: String]) = ([:], [:])
      for serial in UInt64(1)...400 where Int.random(in: 0..<3, using: &random) > 0 {
        let key = ObjectKey(entity: entity.number, serial: serial)
        removed[key] = words[key]
        words[key] = nil
        guard Int.random(in: 0..<8, using: &random) > 0 else { continue }
        let number = Int.random(in: 0..<60, using: &random)
        let text = "word \(number)" + String(repeating: "x", count: number % 7)
        (words[key], added[key]) = (text, text)
      }
      var goingCount = 0
      let changes = entity.indexes.sorted { $0.number < $1.number }.map { index in
        // An object that keeps its value keeps its entry.
        let isOfText = index.parts[0].slot == 0
        let kept = removed.keys.filter { key in
          isOfText
            ? removed[key] == added[key] : removed[key]?.utf8.count == added[key]?.utf8.count
        }
        let going = removed.filter { !kept.contains($0.key) }
        let coming = added.filter { !kept.contains($0.key) }
        goingCount += going.count
        return IndexChanges(
          index.number, removed: Self.run(going, index, entity.layout),
          added: Self.run(coming, index, entity.layout))
      }
      for (strategy, opened) in stores {
        // The way in which all go at once is tried at the end; the cheapest until then.
        try opened.write("i") { [goingCount] writer in
          let (removedCount, isRewritten) = try writer.apply(
            changes, by: strategy == .empty ? nil : strategy)
          #expect(removedCount == goingCount, "\(strategy), seed \(seed)")
          #expect(isRewritten == (strategy == .rewrite) || strategy == .empty, "seed \(seed)")
        }
      }
      let entries = try stores[0].opened.entries()
      #expect(entries.count == words.count * entity.indexes.count, "seed \(seed)")
      for (strategy, opened) in stores {
        #expect(try opened.entries() == entries, "\(strategy), seed \(seed)")
      }
    }
    let changes = entity.indexes.sorted { $0.number < $1.number }.map { index in
      IndexChanges(index.number, removed: Self.run(words, index, entity.layout))
    }
    for (strategy, opened) in stores {
      try opened.write("i") { writer in
        if strategy == .empty {
          try writer.empty()
        } else {
          _ = try writer.apply(changes, by: strategy)
        }
      }
      #expect(try opened.entries().isEmpty, "\(strategy), seed \(seed)")
    }
  }

  @Test func `has the same records whichever way others are removed`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let stores = try TreeStrategy.allCases.map { (strategy: $0, opened: try Opened()) }
    for (_, opened) in stores {
      var edit = Edit(opened.store)
      for number in 0..<500 { edit.insert(Self.word, ["text": .string("word \(number)")]) }
      try edit.save()
    }
    while case let serials = try stores[0].opened.serials(), !serials.isEmpty {
      var going = serials.filter { _ in Bool.random(using: &random) }
      if serials.count < 20 { going = serials }
      let isLast = going == serials
      for (strategy, opened) in stores {
        try opened.write("r") { [going] writer in
          if strategy == .empty, isLast {
            try writer.empty()
          } else {
            _ = try writer.removeRecords(going, by: strategy == .empty ? nil : strategy)
          }
        }
      }
      let rest = try stores[0].opened.serials()
      #expect(rest == serials.filter { !going.contains($0) }, "seed \(seed)")
      for (strategy, opened) in stores {
        #expect(try opened.serials() == rest, "\(strategy), seed \(seed)")
      }
    }
  }
}
